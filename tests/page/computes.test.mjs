// A page computes what the program computes: pages that `catena report` wrote, with the engine inside.
import assert from "node:assert/strict";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { after, before, test } from "node:test";
import { close, computes, downloaded, folder, open, picture, start, stop, templateFile } from "./browser.mjs";
import { catena, catenaJson } from "./payload.mjs";

process.env.CATENA_PAGE = templateFile;
before(start);
after(stop);
const strict = process.env.CATENA_PAGE_FIGURES === "strict"; // figures are only asserted where nothing else runs
const when = { skip: computes ? false : "the page has no engine (Debian: emscripten)" };
const shipped = ["iiwa14", "panda", "pelican", "pelican_crucible", "planar2r", "planar3r", "puma560", "stanford", "ur5"];

function report(name, ...args) {
  const file = join(folder, name);
  catena("--quiet", "report", ...args, "-o", file);
  return file;
}

// Torques as they are written beside the sliders.
async function torques(view) {
  await view.tab("live");
  await view.settle();
  return (await view.page.locator(".joint:not(.head) .torque").allTextContents())
    .map((words) => Number(/^[−\d.e+-]+/.exec(words)[0].replaceAll("−", "-")));
}
const posture = (dof) => Array.from({ length: dof }, (_, i) => 0.37 * Math.sin(2.1 * i + 0.7) + 0.2);

function same(shown, expected, words) {
  assert.equal(shown.length, expected.length, words);
  shown.forEach((value, i) => close(value, expected[i], 1e-9, `${words}, joint ${i + 1}`));
}

test("torques beside the sliders are the program's, for every shipped robot", when, async () => {
  const view = await open(report("shipped.html", ...shipped));
  assert.equal(await view.page.textContent(".badge"), "computes");
  for (const [index, model] of shipped.entries()) {
    await view.page.selectOption("select[aria-label=Scene]", String(index));
    await view.page.waitForFunction((at) => window.catena.session.scene === window.catena.session.payload.scenes[at], index);
    const q = posture(await view.run(() => window.catena.session.robot.nq));
    await view.run((to) => window.catena.session.setPosture(to), q);
    same(await torques(view), catenaJson("gravity", model, "--q", q.join()).g, model);
    const frame = await view.run(() => window.catena.session.robot.tool);
    const drawn = await view.run((name) => window.catena.stage.drawing.poseOf(name), frame);
    catenaJson("pose", model, "--q", q.join(), "--frame", frame).T.flat().forEach((value, i) => close(drawn[i], value, 1e-9, `${model}, drawn pose`));
    assert.ok((await picture(view.page)).drawn > 40, `${model} is not drawn`);
  }
  await view.close();
});

// How far apart the frames of each loop are drawn.
const gaps = () => {
  const { drawing } = window.catena.stage;
  return window.catena.session.robot.loops.map(({ frames }) => {
    const [a, b] = frames.map((name) => drawing.poseOf(name));
    return Math.hypot(...[3, 7, 11].map((i) => a[i] - b[i]));
  });
};

test("closed loops stay closed: by sliders, where they cannot close, while they fall, changed", when, async () => {
  const models = ["fourbar_press", "delta", "stewart", "gripper", "palletizer", "excavator"];
  const view = await open(report("loops.html", ...models));
  const closed = async (words) => (await view.run(gaps)).forEach((gap) => assert.ok(gap < 1e-9, `${words}: a loop is open by ${gap} m`));
  for (const [index, model] of models.entries()) {
    await view.run((at) => window.catena.session.open(at), index);
    await closed(model);
    const q = await view.run(() => Array.from(window.catena.session.robot.start, (value, i) => value + 0.02 * Math.sin(i + 1)));
    assert.ok(await view.run((to) => window.catena.session.setPosture(to), q), model);
    await closed(`${model}, moved`);
    const frame = await view.run(() => window.catena.session.robot.tool);
    const drawn = await view.run((name) => window.catena.stage.drawing.poseOf(name), frame);
    catenaJson("pose", model, `--q=${q.join()}`, "--frame", frame).T.flat().forEach((value, i) => close(drawn[i], value, 1e-9, `${model}, drawn pose`));
  }
  await view.run(() => window.catena.session.open(2));
  const before = await view.run(() => Array.from(window.catena.session.q));
  assert.equal(await view.run((q) => window.catena.session.setPosture([5, ...q.slice(1)]), before), false);
  assert.deepEqual(await view.run(() => Array.from(window.catena.session.q)), before, "it goes where its loops are open");
  assert.match(await view.page.textContent(".stage-note"), /cannot close at leg 1 = 5/);
  await view.run(() => window.catena.session.open(0));
  await view.tab("live");
  await view.page.locator(".joint input[type=range]").first().fill("2");
  await closed("a slider");
  await view.page.click("button:text-is('Let it fall')");
  await fallen(view, 0.3);
  await closed("a fall");
  await view.run(() => window.catena.fall.stop());
  await view.run(() => window.catena.session.change(window.catena.session.toml.replace("xyz = [0.36,", "xyz = [0.37,")));
  assert.equal(await view.run(() => window.catena.session.changed), true);
  await closed("a changed robot");
  await view.close();
});

test("an edited row, mass, gravity and payload give what the program says of that robot", when, async () => {
  const view = await open(report("edited.html", "stanford"));
  const q = posture(6);
  await view.run((to) => window.catena.session.setPosture(to), q);
  await view.tab("model");
  const select = view.page.locator("select[aria-label=Link]");
  await select.selectOption({ label: "link2" });
  const edit = (key, value) => view.page.fill(`[data-edit=${key}]`, String(value));
  await edit("d", 0.25);
  const source = readFileSync("models/stanford.toml", "utf8");
  const file = join(folder, "stanford.toml");
  let text = source.replace("d = 0.1\n", "d = 0.25\n");
  const check = async (words, ...options) => {
    writeFileSync(file, text);
    same(await torques(view), catenaJson("gravity", file, "--q", q.join(), ...options).g, words);
    await view.tab("model");
  };
  await check("d");
  await edit("alpha", -60);
  text = text.replace("d = 0.25\nalpha = -90.0", "d = 0.25\nalpha = -60.0");
  await check("alpha");
  await edit("mass", 7.5);
  text = text.replace("mass = 6.0", "mass = 7.5");
  await check("mass");
  await edit("gx", 1.5);
  text = text.replace("gravity = [0.0,", "gravity = [1.5,");
  await check("gravity");
  await edit("load", 2);
  await edit("loadz", 0.1);
  await check("payload", "--payload", "tool:2,0,0,0.1");
  const toml = join(folder, "downloaded.toml");
  writeFileSync(toml, await downloaded(view.page, "[data-download=toml]"));
  same(await torques(view), catenaJson("gravity", toml, "--q", q.join()).g, "the downloaded robot");
  await view.tab("model");
  await edit("mass", -1);
  assert.match(await view.page.textContent(".error:not([hidden])"), /mass/);
  await view.page.click("button:text-is('Undo all changes')");
  same(await torques(view), catenaJson("gravity", "stanford", "--q", q.join()).g, "undone");
  await view.tab("model");
  await view.page.fill(".toml", readFileSync("models/planar2r.toml", "utf8"));
  await view.page.waitForFunction(() => window.catena.session.robot.dof === 2);
  same(await torques(view), catenaJson("gravity", "planar2r", "--q", "0,0").g, "a typed robot");
  await view.tab("model");
  await view.page.fill(".toml", "name = 3");
  await view.page.waitForFunction(() => !document.querySelector(".toml + .error").hidden);
  assert.equal(await view.run(() => window.catena.session.robot.dof), 2, "a text that is no robot leaves the last one");
  await view.close();
});

test("four steps lead from frame to frame, classic and modified", when, async () => {
  const modified = join(folder, "modified.toml");
  writeFileSync(modified, readFileSync("models/stanford.toml", "utf8").replace('"classic"', '"modified"').replaceAll("r = [", "com = ["));
  const view = await open(report("steps.html", "stanford", modified));
  for (const index of [0, 1]) {
    await view.run((at) => window.catena.session.open(at), index);
    await view.tab("model");
    const symbols = await view.page.locator(".steps code").allTextContents();
    const order = symbols.map((words) => words.slice(0, 5));
    assert.deepEqual(order, index === 0 ? ["Rz(θ)", "Tz(d)", "Tx(a)", "Rx(α)"] : ["Rx(α)", "Tx(a)", "Rz(θ)", "Tz(d)"]);
    const before = await picture(view.page);
    await view.page.click("button:text-is('Show the frame')");
    await view.page.waitForFunction(() => window.catena.frame.position > 0.2);
    for (let step = 0; step < 4; ++step) await view.page.click("[aria-label='Step on']");
    assert.equal(await view.run(() => window.catena.frame.position), 4);
    await view.settle();
    assert.notEqual((await picture(view.page)).sum, before.sum);
    const off = await view.run(() => { // the moving frame ends on the link's own
      const { frame, stage, session } = window.catena;
      const link = stage.drawing.links[session.robot.joints[0].link];
      const [a, b] = [frame.moving, link].map((object) => { object.updateWorldMatrix(true, false); return object.matrixWorld.elements; });
      return Math.max(...a.map((value, i) => Math.abs(value - b[i])));
    });
    assert.ok(off < 1e-9, `the steps end ${off} away`);
  }
  await view.close();
});

// What the panel says of the ellipsoid, and what is drawn.
const ellipsoid = (view) => view.run(() => {
  const values = (what) => Array.from(document.querySelectorAll(`[data-ellipsoid=${what}]`), (node) => Number(node.dataset.value));
  const { ellipsoid: drawn, handle } = window.catena.stage.extras;
  return { lengths: values("length"), isotropy: values("isotropy")[0], visible: drawn.visible, metres: drawn.metres, body: drawn.body.scale.toArray(),
    first: drawn.position.clone().set(1, 0, 0).applyQuaternion(drawn.body.quaternion).toArray(), off: drawn.position.distanceTo(handle.position),
    least: 0.001 * window.catena.stage.drawing.reach };
});

async function sameEllipsoid(view, model, kind, options = []) {
  await view.settle();
  if (model === "gripper") return assert.match(await view.page.textContent("[data-ellipsoid=words]"), /^No joint moves the tool here/); // it is on the palm
  const shown = await ellipsoid(view);
  const q = await view.run(() => Array.from(window.catena.session.q));
  const found = catenaJson("--quiet", "kinematics", model, ...options, `--q=${q.join()}`, "--ellipsoids").ellipsoids.translation[kind];
  const words = `${model}, ${kind} at ${q}`;
  const largest = Math.max(...found.lengths) || 1;
  found.lengths.forEach((length, k) => {
    if (length === null) return assert.equal(shown.lengths[k], Infinity, words);
    close(shown.lengths[k] / largest, length / largest, 1e-9, words);
    if (kind !== "inertia") close(shown.body[k], Math.max(length * shown.metres, shown.least), 1e-9, `${words}, drawn`);
  });
  close(shown.isotropy, found.isotropy, 1e-9, `${words}, isotropy`);
  assert.ok([shown.metres, ...shown.body, ...shown.first].every(Number.isFinite), `${words}: ${JSON.stringify(shown)}`);
  assert.ok(shown.visible, words);
  assert.ok(shown.off < 1e-12, `${words}: ${shown.off} m from the tool`);
  if (found.lengths[0] !== null && found.lengths[0] > 1.01 * found.lengths[1])
    close(Math.abs(found.axes[0].reduce((sum, x, i) => sum + x * shown.first[i], 0)), 1, 1e-9, `${words}, direction`);
  return shown;
}

test("the ellipsoid that is chosen is the program's, in the panel and at the tool, while joints move", when, async () => {
  const models = ["ur5", "planar3r", "pelican", "delta", "stewart", "gripper"];
  const view = await open(report("ellipsoids.html", ...models));
  const bare = await picture(view.page);
  const choice = view.page.getByLabel("Ellipsoid of the tool");
  for (const [index, model] of models.entries()) {
    await view.run((at) => window.catena.session.open(at), index);
    await view.tab("live");
    for (const kind of ["velocity", "acceleration", "inertia"]) {
      await choice.selectOption(kind);
      await sameEllipsoid(view, model, kind); // straight, or where the loops close
      await view.run((start) => window.catena.session.setPosture(Array.from(window.catena.session.q, (value, i) => value + 0.02 * Math.sin(i + start))), kind.length);
      await sameEllipsoid(view, model, kind);
    }
  }
  await view.run(() => window.catena.session.open(0));
  await view.settle();
  assert.notEqual((await picture(view.page)).sum, bare.sum, "nothing is drawn");
  const before = await sameEllipsoid(view, "ur5", "inertia");
  await view.page.locator(".joint input[type=range]").nth(2).fill("1.2");
  const after = await sameEllipsoid(view, "ur5", "inertia");
  assert.notEqual(after.lengths[0], before.lengths[0], "a slider changes nothing");
  await choice.focus();
  await view.page.keyboard.press("v");
  assert.equal(await choice.inputValue(), "velocity");
  await sameEllipsoid(view, "ur5", "velocity");
  assert.match(await view.page.textContent("[data-ellipsoid=scale]"), /^1 m\/s as 0\.\d+ m$/);
  await choice.blur();
  for (const kind of ["force", "acceleration", "inertia", "none"]) {
    await view.page.keyboard.press("e");
    assert.equal(await choice.inputValue(), kind);
  }
  assert.equal((await ellipsoid(view)).visible, false);
  await view.close();
  const free = await open(report("free_ellipsoid.html", "ur5", "--floating-base"));
  await free.run((to) => window.catena.session.setPosture(to), [0.1, -0.2, 0.3, 0, 0, Math.sin(0.4), Math.cos(0.4), 0.1, -1, 1, 0.2, 0.3, 0]);
  for (const kind of ["velocity", "acceleration", "inertia"]) {
    await free.page.getByLabel("Ellipsoid of the tool").selectOption(kind);
    await sameEllipsoid(free, "ur5", kind, ["--floating-base"]);
  }
  await free.close();
});

// Until it has fallen so long. A machine that draws no frame for seconds gets there too: asking moves it on.
function fallen(view, seconds) {
  return view.page.waitForFunction((until) => {
    window.catena.fall.advance(0.02);
    return window.catena.fall.fall?.time > until;
  }, seconds, { polling: 100 });
}

test("it falls as it is simulated, with the energy's account; the mouse pulls; a pose is solved", when, async () => {
  const view = await open(report("falls.html", "planar3r", "panda"));
  await view.tab("live");
  const first = await picture(view.page);
  await view.page.click("button:text-is('Let it fall')");
  await fallen(view, 0.5);
  const { time, q, balance, kinetic } = await view.run(() => {
    const { fall } = window.catena.fall;
    const now = { time: fall.time, q: Array.from(fall.q), balance: fall.balance, kinetic: fall.kinetic };
    window.catena.fall.stop();
    return now;
  });
  const run = catenaJson("simulate", "planar3r", "--time", String(time), "--samples", "2");
  q.forEach((value, i) => close(value, run.q.at(-1)[i], 1e-6, `q${i + 1} after ${time} s`));
  assert.ok(kinetic > 1 && Math.abs(balance) < 1e-6 * kinetic, `balance ${balance} of ${kinetic} J`);
  assert.notEqual((await picture(view.page)).sum, first.sum);
  assert.match(await view.page.textContent(".card:has-text('Let it fall')"), /energy balance/);

  await view.run(() => window.catena.session.open(1));
  await view.run(() => window.catena.session.setPosture([0, -0.4, 0, -2, 0, 1.6, 0.8]));
  await view.settle();
  const at = await view.run(() => {
    const { stage } = window.catena;
    const tool = stage.drawing.tool.getWorldPosition(stage.camera.position.clone());
    const box = stage.canvas.getBoundingClientRect();
    const { x, y } = stage.onScreen(tool);
    return { x: box.x + x, y: box.y + y, from: tool.toArray() };
  });
  await view.page.mouse.move(at.x, at.y);
  await view.page.mouse.down();
  await view.page.mouse.move(at.x + 60, at.y - 60, { steps: 4 });
  await fallen(view, 0.3);
  const pulled = await view.run(() => window.catena.session.pull.wrench);
  assert.ok(Math.hypot(...pulled.slice(0, 3)) > 1, `a pull of ${pulled}`);
  const moved = await view.run((from) => {
    const { stage } = window.catena;
    return Math.hypot(...stage.drawing.tool.getWorldPosition(stage.camera.position.clone()).toArray().map((x, i) => x - from[i]));
  }, at.from);
  assert.ok(moved > 0.01, `the tool moved ${moved} m`);
  await view.page.mouse.up();
  assert.equal(await view.run(() => window.catena.session.pull), null);
  await view.run(() => window.catena.fall.stop());

  for (const [key, value] of [["x", 0.45], ["y", 0.2], ["z", 0.5]]) await view.page.fill(`[data-pose=${key}]`, String(value));
  await view.page.click(".solve button");
  assert.match(await view.page.textContent(".card:has(.solve)"), /Reached/);
  const solved = await view.run(() => Array.from(window.catena.session.q));
  const T = catenaJson("pose", "panda", "--q", solved.join()).T;
  [0.45, 0.2, 0.5].forEach((value, i) => close(T[i][3], value, 1e-6, "the solved position"));
  await view.close();
});

test("a result of the program: plots, torque limits, CSV, M over time, poles, formulations", when, async () => {
  const table = join(folder, "motion.csv");
  catena("trajectory", "panda", "--from", "0,-0.5,0,-2,0,1.5,0", "--to", "1,0.4,-0.5,-1.2,0.6,2.2,0.4", "--time", "2", "-o", table);
  const file = join(folder, "inverse.html");
  const torque = join(folder, "torques.csv");
  catena("--quiet", "inverse", "panda", "--states", table, "-o", torque, "--report", file);
  const view = await open(file);
  const groups = await view.run(() => window.catena.plots.plots.map((plot) => plot.group));
  for (const group of ["q", "qd", "qdd", "tau"]) assert.ok(groups.includes(group), `no plot of ${group}`);
  assert.match(await view.page.textContent(".plot-card[data-group=tau]"), /limits ±87/);
  const rows = readFileSync(torque, "utf8").trim().split("\n").map((line) => line.split(","));
  const column = rows[0].findIndex((name) => name === "tau1" || name === "tau_panda_joint1" || name.startsWith("tau"));
  const lines = (await downloaded(view.page, "[data-csv=tau]")).trim().split("\n").map((line) => line.split(","));
  assert.equal(lines.length, rows.length);
  const largest = Math.max(...rows.slice(1).map((row) => Math.abs(Number(row[column]))));
  for (let i = 1; i < rows.length; ++i)
    assert.ok(Math.abs(Number(lines[i][1]) - Number(rows[i][column])) <= 1e-8 * largest, `row ${i}: ${lines[i][1]}, not ${rows[i][column]}`);
  await view.run(() => document.querySelector("[data-group=M]").scrollIntoView());
  await view.page.waitForFunction(() => /largest/.test(document.querySelector("[data-group=M] .heat-read").textContent));
  const M = (await downloaded(view.page, "[data-csv=M-time]")).trim().split("\n").map((line) => line.split(","));
  assert.equal(M[0].length, 1 + 28);
  await view.tab("analysis");
  await view.page.waitForFunction(() => document.querySelectorAll(".agreement .bar-row").length > 5);
  const verdict = /agree to ([\d.e−-]+)/.exec(await view.page.textContent(".panel"))[1].replaceAll("−", "-");
  assert.ok(Number(verdict) < 1e-10, `formulations agree to ${verdict}`);
  await view.page.waitForFunction(() => document.querySelectorAll(".pole").length > 0);
  await view.tab("live");
  await view.settle();
  await view.close();
});

test("what the program writes of hostile names, of sixty joints, of a tree and of a free base", when, async () => {
  const names = ["</script><script>window.hacked=1</script>", "<!--<script>", "🦾 <img src=x onerror=window.hacked=1> & 'co'"];
  const link = (i, name, parent) => `[[link]]\nname = ${JSON.stringify(name)}\njoint = "revolute"\njoint_name = ${JSON.stringify(`j${name}`)}\n${parent}` +
    `xyz = [0.1, 0, ${i % 2 === 0 ? 0.02 : 0}]\naxis = [0, ${i % 2}, ${1 - (i % 2)}]\nmass = 0.5\ncom = [0.05, 0, 0]\ninertia = [0.001, 0.001, 0.001]\n`;
  const robot = (name, links) => `name = ${JSON.stringify(name)}\nconvention = "frames"\n${links.join("")}`;
  const [hostile, snake] = [join(folder, "hostile.toml"), join(folder, "snake.toml")];
  writeFileSync(hostile, robot(names[0], names.map((name, i) => link(i, name, ""))));
  writeFileSync(snake, robot("snake", Array.from({ length: 60 }, (_, i) => link(i, `l${i}`, ""))));
  const models = [hostile, snake, "tests/data/wild/sprig_hand.urdf"];
  const view = await open(report("written.html", ...models));
  for (const [index, model] of models.entries()) {
    await view.run((at) => window.catena.session.open(at), index);
    const q = posture(await view.run(() => window.catena.session.robot.nq));
    await view.run((to) => window.catena.session.setPosture(to), q);
    same(await torques(view), catenaJson("--quiet", "gravity", model, "--q", q.join()).g, basename(model));
  }
  assert.equal(await view.run(() => window.hacked), undefined, "a name ran");
  await view.close();
  const free = await open(report("free.html", "ur5", "--floating-base"));
  const q = [0.1, -0.2, 0.3, 0, 0, Math.sin(0.4), Math.cos(0.4), 0.1, -1, 1, 0.2, 0.3, 0];
  await free.run((to) => window.catena.session.setPosture(to), q);
  const drawn = await free.run(() => window.catena.stage.drawing.poseOf(window.catena.session.robot.tool));
  catenaJson("pose", "ur5", "--floating-base", "--q", q.join()).T.flat().forEach((value, i) => close(drawn[i], value, 1e-9, "a free base, drawn pose"));
  await free.tab("live");
  await free.settle();
  assert.equal(await free.page.locator(".joint input[type=range]").count(), 6);
  await free.close();
});

test("figures: a minute at 1 kHz of seven joints, and inverse dynamics in the page", when, async () => {
  const file = join(folder, "minute.html");
  catena("--quiet", "simulate", "panda", "--q", "0,-0.5,0,-2,0,1.5,0", "--time", "60", "--samples", "60001", "--report", file);
  const size = statSync(file).size / 1e6;
  const view = await open(file);
  const drawn = await view.run(async () => { // far fewer points than samples, and all of them where one looks closely
    const [first, second] = window.catena.plots.plots;
    const inside = () => Array.from(first.plot.data[0]).filter((t) => t >= 10 && t <= 11).length;
    const before = [first.plot.data[0].length, inside()];
    first.plot.setScale("x", { min: 10, max: 11 });
    await new Promise((done) => setTimeout(done, 100));
    const after = inside();
    const followed = second.plot.scales.x.min;
    first.plot.setScale("x", { min: 0, max: 60 });
    return { before, after, followed };
  });
  assert.ok(drawn.before[0] < 4000 && drawn.before[1] < 100 && drawn.after >= 1000 && drawn.followed === 10, JSON.stringify(drawn));
  await view.run(() => window.catena.player.play());
  const fps = await view.run(async () => {
    const { stage } = window.catena;
    const wait = (ms) => new Promise((done) => setTimeout(done, ms));
    await wait(500);
    const [frames, from] = [stage.frames, performance.now()];
    await wait(2000);
    return (1000 * (stage.frames - frames)) / (performance.now() - from);
  });
  await view.run(() => { window.catena.player.pause(); });
  const perSecond = await view.run(() => window.catena.session.handle.throughput("inverse", 0.5));
  console.log(`# ${basename(file)}: ${size.toFixed(2)} MB, opened in ${(view.opened / 1000).toFixed(2)} s, ${fps.toFixed(0)} frames a second (software rendering), ` +
    `inverse dynamics ${(perSecond / 1e6).toFixed(2)} million a second`);
  assert.ok(size < 6, `${size} MB`);
  if (strict) {
    assert.ok(view.opened < 3000, `opened in ${view.opened} ms`);
    assert.ok(fps >= 30, `${fps} frames a second`);
    assert.ok(perSecond >= 1e6, `${perSecond} a second`);
  }
  await view.close();
});
