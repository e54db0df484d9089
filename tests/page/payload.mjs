// Payloads made by hand, from what the program prints: for pages that no command would write (names that no person
// gives, numbers that are none, 60 joints), and for a page without an engine.
import { execFileSync } from "node:child_process";
import { deflateSync } from "node:zlib";

export const program = process.env.CATENA ?? "build/catena";

export function catena(...args) {
  return execFileSync(program, args, { encoding: "utf8", maxBuffer: 1 << 30, stdio: ["pipe", "pipe", "pipe"] });
}
export const catenaJson = (...args) => JSON.parse(catena(...args, "--json"));

const identity = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];

function pose(xyz = [0, 0, 0], [roll, pitch, yaw] = [0, 0, 0]) {
  const [cr, sr, cp, sp, cy, sy] = [roll, pitch, yaw].flatMap((x) => [Math.cos(x), Math.sin(x)]);
  return [
    cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr, xyz[0],
    sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr, xyz[1],
    -sp, cp * sr, cp * cr, xyz[2], 0, 0, 0, 1];
}

// Only what `catena convert --to toml` writes: one key a line, values that JSON reads but for inline tables.
function readToml(text) {
  const robot = { base: {}, links: [], frames: [] };
  let table = robot;
  for (const line of text.split("\n")) {
    if (line === "[base]") table = robot.base;
    else if (line === "[[link]]") robot.links.push((table = {}));
    else if (line === "[[frame]]") robot.frames.push((table = {}));
    else {
      const [, key, value] = /^(\w+) = (.*?)(?: +# [^"]*)?$/.exec(line) ?? [];
      if (key) table[key] = value.startsWith("{") ? inline(value) : JSON.parse(value.replace(/\b(-?)inf\b/g, "null"));
    }
  }
  return robot;
}
const inline = (value) => Object.fromEntries(
  [...value.matchAll(/(\w+) = ("[^"]*"|[-\w.+]+)/g)].map(([, key, word]) => [key, word.startsWith('"') ? JSON.parse(word) : Number(word)]));

const times = (a, b) => a.map((_, k) => [0, 1, 2, 3].reduce((sum, j) => sum + a[k - (k % 4) + j] * b[4 * j + (k % 4)], 0));
const screwZ = (angle = 0, z = 0) => pose([0, 0, z], [0, 0, angle]);
const screwX = (angle = 0, x = 0) => pose([x, 0, 0], [angle, 0, 0]);

// Before and behind the joint: by frames, or by a row.
function placement({ a, alpha, d = 0, theta = 0, gamma = 0, epsilon = 0, ...link }, convention) {
  if (convention === "classic") return { origin: screwZ(gamma + theta, epsilon + d), child: screwX(alpha, a) };
  if (convention === "modified") return { origin: times(times(screwZ(gamma, epsilon), screwX(alpha, a)), screwZ(theta, d)), child: identity };
  return { origin: pose(link.xyz, link.rpy), child: pose(link.frame_xyz, link.frame_rpy) };
}

function inertiaOf(link) {
  const [xx, yy, zz, xy = 0, xz = 0, yz = 0] = link.inertia ?? [0, 0, 0];
  return [xx, xy, xz, xy, yy, yz, xz, yz, zz];
}

export function describe(model, ...options) {
  const toml = catena("convert", model, "--to", "toml", ...options);
  return { toml, robot: describeToml(toml) };
}

export function describeToml(toml) {
  const read = readToml(toml);
  const base = { name: "base", mass: 0, com: [0, 0, 0], ...read.base };
  const links = [base, ...read.links].map((link) => ({
    name: link.name, mass: link.mass ?? 0, com: link.com ?? [0, 0, 0], inertia: inertiaOf(link), physical: true }));
  const index = new Map(links.map((link, i) => [link.name, i]));
  let q = 0;
  const joints = read.links.map((link, i) => {
    const moves = link.joint !== "fixed" && !link.mimic;
    const place = moves ? q++ : -1;
    return {
      name: link.joint_name ?? `joint${i + 1}`, type: link.joint, parent: index.get(link.parent ?? base.name), link: i + 1,
      ...placement(link, read.convention), axis: link.axis ?? [0, 0, 1],
      lower: link.limits?.lower ?? null, upper: link.limits?.upper ?? null, velocity: link.limits?.velocity ?? null, effort: link.limits?.effort ?? null,
      passive: link.passive ?? false, viscous: link.friction?.viscous ?? 0, coulomb: link.friction?.coulomb ?? 0,
      spring: link.spring?.stiffness ?? 0, spring_rest: link.spring?.rest ?? 0,
      torque_offset: link.torque_offset ?? 0, stribeck: link.friction?.stribeck ?? 0, stribeck_speed: link.friction?.stribeck_speed ?? 0, q: place, v: place };
  });
  const moving = joints.filter((joint) => joint.q >= 0);
  return {
    name: read.name, dof: q, nq: q, floating: false, gravity: read.gravity ?? [0, 0, -9.81], base: base.name, tool: read.tool,
    q_names: moving.map((joint) => joint.name), joint_names: moving.map((joint) => joint.name),
    units: moving.map((joint) => (joint.type === "prismatic" ? "m" : "rad")), links, joints,
    frames: read.frames.map((frame) => ({ name: frame.name, link: index.get(frame.link), origin: pose(frame.xyz, frame.rpy) })) };
}

// Numbers as the page's columns keep them: integers of a tenth power, here without differences.
export function pack(values, digits = 10) {
  const finite = values.filter(Number.isFinite);
  if (finite.length === 0) return { constant: null };
  const planes = 7;
  const bytes = Buffer.alloc(values.length * planes);
  const gaps = [];
  values.forEach((value, i) => {
    if (!Number.isFinite(value)) gaps.push([i, 1, Number.isNaN(value) ? "nan" : value > 0 ? "inf" : "-inf"]);
    const k = Number.isFinite(value) ? Math.round(value * 10 ** digits) : 0;
    let zigzag = k < 0 ? -2 * k - 1 : 2 * k;
    for (let plane = 0; plane < planes; ++plane) {
      bytes[plane * values.length + i] = zigzag % 256;
      zigzag = Math.floor(zigzag / 256);
    }
  });
  return { digits, order: 0, start: [], planes, bytes: deflateSync(bytes).toString("base64"), ...(gaps.length > 0 ? { gaps } : {}) };
}

export function samples(robot, t, groups, events = []) {
  const units = { q: "", qd: "/s", qdd: "/s²" };
  const columns = [{ name: "t", label: "time", unit: "s", group: "t", joint: -1, data: pack(t) }];
  for (const [group, table] of Object.entries(groups)) {
    if (Array.isArray(table[0]))
      robot.joint_names.forEach((label, j) => columns.push({
        name: `${group}${j + 1}`, label, group, joint: j, data: pack(table.map((row) => row[j])),
        unit: group === "tau" ? (robot.units[j] === "m" ? "N" : "N m") : robot.units[j] + units[group] }));
    else columns.push({ name: group, label: group, unit: "J", group: group === "balance" ? "balance" : "energy", joint: -1, data: pack(table) });
  }
  return { count: t.length, columns, events };
}

export function scene(model, more = {}, ...options) {
  const { toml, robot } = typeof model === "string" ? describe(model, ...options) : model;
  return { name: robot.name, kind: "robot", command: "made by hand", toml, robot, q: new Array(robot.nq).fill(0), wrenches: [], payloads: [], meshes: [], notes: [], ...more };
}

export function payload(...scenes) {
  return { version: 1, program: "catena", title: "made by hand", scenes };
}

export function simulated(model, ...options) {
  const run = catenaJson("simulate", model, ...options);
  const { toml, robot } = describe(model);
  const groups = { q: run.q, qd: run.qd, ...(run.tau ? { tau: run.tau } : {}) };
  for (const name of ["kinetic", "potential", "work"]) if (run[name]) groups[name] = run[name];
  return scene({ toml, robot }, { name: `${robot.name}, simulated`, kind: "simulate", q: run.q[0], samples: samples(robot, run.t, groups) });
}

// Puts a payload into the page's template, as the program does.
export function fill(template, content) {
  const json = JSON.stringify(content).replace(/</g, "\\u003c").replace(/\u2028/g, "\\u2028").replace(/\u2029/g, "\\u2029");
  const [before, after] = template.split("<!--catena-data-->");
  return `${before}<script type="application/json" id="catena-data">${json}</script>${after}`;
}
export { identity, pose };
