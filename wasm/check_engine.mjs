// node check_engine.mjs PROGRAM BUILD MODELS: tests the module through page/src/engine.ts, without a browser, against
// the program: torques, matrices, poses, ellipsoids, edits, poles, a fall, inverse kinematics, speed. Exit status 77: not checked.
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const [program, build, models, slowest = "1e6"] = process.argv.slice(2);
const page = resolve(build, "page");
if (!existsSync(join(build, "wasm", "catena.wasm")) || !existsSync(join(page, "node_modules", "esbuild"))) {
  console.log("skipped: no module or no page was built (make page)");
  process.exit(77);
}

const folder = mkdtempSync(join(tmpdir(), "catena-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
const esbuild = createRequire(join(page, "package.json"))("esbuild");
await esbuild.build({
  entryPoints: [join(page, "src", "engine.ts")], bundle: true, format: "esm", platform: "neutral", target: "es2022",
  outfile: join(folder, "engine.mjs"), logLevel: "error",
});
const { engineOf } = await import(pathToFileURL(join(folder, "engine.mjs")));
const engine = await engineOf(readFileSync(join(build, "wasm", "catena.wasm")));

let failures = 0;
function expect(truth, what) {
  if (truth) return;
  console.error(`failed: ${what}`);
  ++failures;
}
const catena = (...words) => execFileSync(program, ["--quiet", ...words], { encoding: "utf8", maxBuffer: 1 << 28 });
const asked = (...words) => JSON.parse(catena(...words, "--json"));
function near(ours, theirs, tolerance, what) {
  const flat = theirs.flat(2);
  const scale = Math.max(1, ...flat.map(Math.abs));
  let worst = ours.length === flat.length ? 0 : Infinity;
  flat.forEach((v, k) => (worst = Math.max(worst, Math.abs(v - ours[k]) / scale)));
  expect(worst <= tolerance, `${what}: differs by ${worst}`);
  return worst;
}
function refused(work, words, what) {
  try {
    work();
    expect(false, `${what}: not refused`);
  } catch (error) {
    expect(String(error.message).includes(words), `${what}: says '${error.message}'`);
  }
}
const list = (numbers) => Array.from(numbers).join(",");
const states = (n, seed) => Float64Array.from({ length: n }, (_, k) => Math.sin(1.7 * k + seed));
// Closed loops close near the start, and not everywhere.
const positions = ({ nq, start }, seed) => (start ? states(nq, seed).map((value, k) => start[k] + 0.02 * value) : states(nq, seed));

// The robot in the form that a page gets: the program's TOML output.
function tomlOf(model) {
  const file = join(folder, "robot.toml");
  rmSync(file, { force: true });
  catena("convert", model, "-o", file);
  return readFileSync(file, "utf8");
}

// The scene data of a page of this robot.
function sceneOf(model) {
  const template = join(folder, "template.html");
  writeFileSync(template, "<!--catena-data-->");
  execFileSync(program, ["--quiet", "report", model, "-o", join(folder, "page.html")], { env: { ...process.env, CATENA_PAGE: template } });
  const text = readFileSync(join(folder, "page.html"), "utf8");
  return JSON.parse(text.slice(text.indexOf(">") + 1, text.indexOf("</script>"))).scenes[0];
}
// Poses may differ in the last digit: the module uses another cosine.
const shape = (value) => JSON.stringify(value, (_key, v) => (typeof v === "number" ? Number(v.toFixed(12)) + 0 : v));

// Ellipsoids as the matrices that they are of, since half axes of one length may turn: Σ l² a aᵀ, of inertia Σ a aᵀ / l.
function matrixOf({ lengths, axes }, kind) {
  const weights = lengths.map((length) => (kind === "inertia" ? (length === null ? 0 : 1 / length) : length * length));
  return [0, 1, 2].flatMap((i) => [0, 1, 2].map((j) => weights.reduce((sum, weight, k) => sum + weight * axes[k][i] * axes[k][j], 0)));
}
function sameEllipsoids(robot, q, model, what) {
  const ours = robot.ellipsoids(q);
  const { ellipsoids: theirs, dexterity } = asked("kinematics", model, `--q=${list(q)}`, "--ellipsoids");
  expect(ours.by_efforts === theirs.by_efforts, `${what}: by_efforts ${ours.by_efforts}`);
  near([ours.manipulability], [dexterity.translation.manipulability], 1e-12, `${what}: manipulability`);
  for (const part of ["translation", "rotation"])
    for (const kind of ["velocity", "acceleration", "inertia"]) {
      const still = ["velocity", kind].find((one) => theirs[part][one].lengths[0] !== null && theirs[part][one].lengths[0] < 1e-12);
      if (still) expect(ours[part][still].lengths[0] < 1e-12, `${what}: ${part} has ${still}`);
      if (still) continue; // the rest is rounding
      const [own, other] = [ours[part][kind], theirs[part][kind]];
      const matrix = matrixOf(other, kind);
      const scale = Math.max(...matrix.map(Math.abs)) || 1;
      near(matrixOf(own, kind).map((v) => v / scale), matrix.map((v) => v / scale), 1e-11, `${what}: ${part} ${kind}`);
      near([own.isotropy], [other.isotropy], 1e-9, `${what}: isotropy of ${part} ${kind}`);
    }
  return ours;
}

const jobs = engine.jobs();
expect(jobs.length >= 15 && jobs.every((job) => job.outputs.length > 0), "jobs");
const robots = readdirSync(models).filter((name) => /\.(toml|urdf)$/.test(name)).map((name) => name.replace(/\.\w+$/, ""));
let worst = 0;
for (const name of robots) {
  const scene = sceneOf(name);
  const robot = engine.load(scene.toml);
  const { dof, tool, loops } = robot.description;
  expect(shape(robot.description) === shape(scene.robot), `${name}: the module describes it otherwise than the program`);
  for (let seed = 0; seed < 3; ++seed) {
    const x = { q: positions(robot.description, seed), qd: states(dof, seed + 10), qdd: states(dof, seed + 20) };
    const words = [`--q=${list(x.q)}`, `--qd=${list(x.qd)}`, `--qdd=${list(x.qdd)}`];
    const passive = robot.description.joints.some((joint) => joint.passive && joint.v >= 0);
    if (!passive) worst = Math.max(worst, near(robot.compute("inverse", x), asked("inverse", name, ...words).tau, 1e-12, `${name} inverse`));
    near(robot.compute("inertia", x), asked("inertia", name, words[0]).M, 1e-12, `${name} inertia`);
    near(robot.compute("pose", x), asked("pose", name, words[0]).T, 1e-12, `${name} pose of ${tool}`);
    near(robot.compute("bias", x), asked("bias", name, words[0], words[1]).b, 1e-12, `${name} bias`);
    sameEllipsoids(robot, x.q, name, `${name} ellipsoids`);
    near(robot.compute("place", x), asked("place", name, words[0]).q_tree, 1e-12, `${name} place`);
    if (loops) near(robot.compute("loop_forces", x), asked("loop_forces", name, ...words).loop_forces, 1e-10, `${name} loop_forces`);
  }
  for (const job of ["inverse", "inertia", "forward"])
    for (const method of robot.compare(job, { q: positions(robot.description, 5), qd: states(dof, 6), qdd: states(dof, 7), tau: states(dof, 8) }))
      expect(method.error !== undefined || method.disagreement < 1e-9, `${name} ${job} by ${method.name}: ${method.disagreement}`);
  robot.free();
}
console.log(`${robots.length} robots; torques differ by ${worst.toExponential(1)} at most`);

// Wrenches, and a frame by name.
{
  const robot = engine.load(tomlOf("ur5"));
  const q = [0.1, -1, 1, 0.2, 0.3, 0.4];
  const push = { frame: "tool0", axes: "world", wrench: [1, 2, -30, 0.1, 0.2, 0.3] };
  const theirs = asked("gravity", "ur5", `--q=${list(q)}`, `--wrench=tool0:${list(push.wrench)}`, "--wrench-axes=world");
  near(robot.compute("gravity", { q, wrenches: [push] }), theirs.g, 1e-12, "wrench");
  refused(() => robot.compute("gravity", { q: [1] }), "q has 1 numbers, the robot needs 6", "a short q");
  refused(() => robot.compute("pose", { q, frame: "nose" }), "no frame 'nose'", "a frame that is none");
  refused(() => robot.compute("inverse", { q }, "magic"), "magic", "a method that is none");
  refused(() => engine.load("name = 3"), "robot:", "a file that is none");
  const counts = asked("count", "ur5", "--compute", "inverse");
  const counted = robot.methods("inverse").find((method) => method.name === "luh-walker-paul");
  const operations = counts.counts.find((row) => row.name === "luh-walker-paul").online;
  expect(counted.multiplications === operations.multiplications && counted.additions === operations.additions, "counts");
  robot.free();
  refused(() => robot.toml(), "freed", "a robot that was freed");
}

// A moving base, with inputs in the module's order; poses do not follow it, a fall does.
{
  const robot = engine.load(tomlOf("ur5"));
  const x = { q: [0.1, -1, 1, 0.2, 0.3, 0.4], qd: [0.3, -0.2, 0.1, 0.5, 0.4, 0.2], qdd: [1, 2, -1, 0.5, 0.2, 0.1] };
  const [twist, rates] = [[0.5, -0.2, 0.1, 0.3, 0.2, -0.4], [1, 0.5, -2, 0.4, -0.3, 0.2]];
  const words = [`--q=${list(x.q)}`, `--qd=${list(x.qd)}`, `--base-twist=${list(twist)}`, `--base-acceleration=${list(rates)}`];
  const [still, pose] = [robot.compute("inverse", x), robot.compute("pose", x)];
  robot.setBase([...twist, ...rates]);
  near(robot.compute("inverse", x), asked("inverse", "ur5", ...words, `--qdd=${list(x.qdd)}`).tau, 1e-12, "torques on a moving base");
  near(robot.compute("bias", x), asked("bias", "ur5", ...words).b, 1e-12, "bias on a moving base");
  near(robot.compute("pose", x), Array.from(pose), 1e-12, "a pose on a moving base");
  for (const method of robot.compare("inverse", x))
    expect(method.disagreement < 1e-9, `a moving base by ${method.name}: ${method.disagreement}`);
  const fall = robot.fall(x.q, x.qd);
  for (let k = 0; k < 30; ++k) fall.step(1 / 60);
  expect(Math.abs(fall.balance) < 1e-4, `balance of a fall on a moving base: ${fall.balance}`);
  fall.free();
  refused(() => robot.setBase([1, 2, 3]), "needs 12 numbers", "a motion of three numbers");
  robot.setBase(null);
  near(robot.compute("inverse", x), Array.from(still), 0, "back at rest");
  robot.free();
}

// Ellipsoids that are flat: of a planar arm, of one that is stretched, of a tool that no joint moves.
{
  const arm = engine.load(tomlOf("planar3r"));
  const flat = sameEllipsoids(arm, [0.3, 0.4, 0.5], "planar3r", "a planar arm").translation;
  expect(flat.velocity.lengths[2] === 0 && flat.velocity.isotropy === 0, `a planar arm: ${flat.velocity.lengths}`);
  expect(flat.inertia.lengths[0] === null && flat.inertia.lengths[1] > flat.inertia.lengths[2], `a planar arm: ${flat.inertia.lengths}`);
  const stretched = sameEllipsoids(arm, [0, 0, 0], "planar3r", "a stretched arm").translation;
  expect(stretched.velocity.lengths[1] < 1e-12 * stretched.velocity.lengths[0], `a stretched arm: ${stretched.velocity.lengths}`);
  const gripper = engine.load(tomlOf("gripper"));
  const still = sameEllipsoids(gripper, gripper.description.start, "gripper", "a tool that no joint moves").translation;
  expect(still.inertia.lengths.every((length) => length === null) && still.inertia.isotropy === 0, "a tool that no joint moves");
  refused(() => arm.ellipsoids([1]), "q has 1 numbers, the robot needs 3", "ellipsoids of a short q");
  refused(() => arm.ellipsoids([0, 0, 0], "nose"), "no frame 'nose'", "ellipsoids of a frame that is none");
}

// Edits: the program must compute the same from the edited file.
{
  const robot = engine.load(tomlOf("stanford"));
  const edits = [
    { kind: "dh", joint: 1, ...robot.description.dh[1], joint: robot.description.dh[1].joint, a: 0.1, alpha: 0.7 },
    { kind: "link", link: 2, mass: 3.5, com: [0.01, 0.02, 0.03] },
    { kind: "gravity", gravity: [0, 1, -9] },
    { kind: "payload", frame: robot.description.tool, mass: 0.5, com: [0, 0, 0.1] },
  ];
  const text = robot.edited(edits);
  const file = join(folder, "edited.toml");
  writeFileSync(file, text);
  const other = engine.load(text);
  const q = [0.3, -0.4, 0.2, 0.5, 0.6, 0.7];
  near(other.compute("gravity", { q }), asked("gravity", file, `--q=${list(q)}`).g, 1e-12, "an edited robot");
  const row = other.description.dh[1];
  expect(Math.abs(row.a - 0.1) < 1e-14 && Math.abs(row.alpha - 0.7) < 1e-14, "an edited row comes back");
  near(other.compute("gravity", { q }), Array.from(engine.load(other.toml()).compute("gravity", { q })), 1e-14, "read again");
  refused(() => robot.edited([{ kind: "link", link: 2, mass: -1 }]), "mass", "a negative mass");
}

// Poles, a fall and inverse kinematics.
{
  const robot = engine.load(tomlOf("planar3r"));
  const q = [0.3, -0.5, 0.2];
  const theirs = asked("linearize", "planar3r", `--q=${list(q)}`, "--state-space").poles;
  near(robot.poles(q, [0, 0, 0]).flatMap(({ re, im }) => [re, im]), theirs, 1e-7, "poles");
  const fall = robot.fall(q, [0, 0, 0]);
  for (let k = 0; k < 60; ++k) fall.step(1 / 60);
  const run = asked("simulate", "planar3r", `--q=${list(q)}`, "--time", "1", "--samples", "2");
  near(fall.q, run.q[1], 1e-6, "a fall of one second");
  expect(Math.abs(fall.time - 1) < 1e-12 && Math.abs(fall.balance) < 1e-6, `balance of a fall: ${fall.balance}`);
  for (let k = 0; k < 60; ++k) fall.step(1 / 60, { tau: [1, 0, 0], damping: 0.5, wrenches: [{ frame: robot.description.tool, axes: "world", wrench: [0, 2, 0, 0, 0, 0] }] });
  expect(Math.abs(fall.balance) < 1e-6, `balance of a driven fall: ${fall.balance}`);
  fall.free();
  const arm = engine.load(tomlOf("ur5"));
  const pose = arm.compute("pose", { q: [0.5, -1, 1, 0.3, 0.4, 0.2] });
  const target = { position: [pose[3], pose[7], pose[11]], rotation: [0, 1, 2, 4, 5, 6, 8, 9, 10].map((k) => pose[k]) };
  const found = arm.solvePose("", target, [0, -1, 1, 0, 0, 0]);
  expect(found.reached, `a pose within reach: ${found.residual}`);
  near(arm.compute("pose", { q: found.q }), Array.from(pose), 1e-8, "the pose that was solved for");
  expect(!arm.solvePose("", { position: [9, 9, 9] }, [0, -1, 1, 0, 0, 0]).reached, "a place out of reach");
}

// A free base, a physically impossible robot, many joints.
{
  const file = join(folder, "free.toml");
  rmSync(file, { force: true });
  catena("convert", "ur5", "--floating-base", "-o", file);
  const robot = engine.load(readFileSync(file, "utf8"));
  const q = [0.1, 0.2, 0.3, 0.5, 0.5, 0.5, 0.5, 0.3, -1, 1, 0.2, 0.3, 0.4];
  near(robot.compute("gravity", { q }), asked("gravity", file, `--q=${list(q)}`).g, 1e-12, "a free base");
  sameEllipsoids(robot, q, file, "ellipsoids of a free base");
  const fall = robot.fall(q, new Float64Array(12));
  for (let k = 0; k < 30; ++k) fall.step(1 / 60);
  expect(Math.abs(fall.balance) < 1e-6, `balance of a free fall: ${fall.balance}`);
  refused(() => robot.poles(q, new Float64Array(12)), "base", "poles of a free base");
  refused(() => robot.setBase(new Array(12).fill(1)), "free", "a free base that is told how to move");
}

const panda = engine.load(tomlOf("panda"));
// In processor time: on a busy machine, elapsed time says nothing about the module.
const before = process.cpuUsage();
const start = performance.now();
const calls = panda.throughput("inverse", 1) * ((performance.now() - start) / 1000);
const used = process.cpuUsage(before);
const speed = calls / ((used.user + used.system) / 1e6);
console.log(`inverse dynamics of a panda: ${(speed / 1e6).toFixed(2)} million a second of processor time`);
expect(speed >= Number(slowest), `too slow: ${speed} a second`);
process.exit(failures === 0 ? 0 : 1);
