// How the page looks and what it says: lines, limits, names, marks, labels, sizes of buttons, and readings.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { close, computes, downloaded, folder, open, start, stop, templateFile, write } from "./browser.mjs";
import { cubes } from "./cubes.mjs";
import { catena, catenaJson, describe, payload, scene } from "./payload.mjs";

process.env.CATENA_PAGE = templateFile;
before(start);
after(stop);
const when = { skip: computes ? false : "the page has no engine (Debian: emscripten)" };

function page(name, ...command) {
  const file = join(folder, name);
  catena("--quiet", ...command, command[0] === "report" ? "-o" : "--report", file);
  return file;
}
const swing = ["--from", "0,-0.5,0,-2,0,1.5,0", "--to", "1,0.4,-0.5,-1.2,0.6,2.2,0.4", "--time", "2"];

// All words that are drawn on canvases from now on.
const collectWords = () => {
  window.drawn = [];
  const own = CanvasRenderingContext2D.prototype.fillText;
  CanvasRenderingContext2D.prototype.fillText = function (words, ...rest) {
    window.drawn.push(words);
    return own.call(this, words, ...rest);
  };
};

test("lines are as smooth as the numbers, and each torque has its own limit", when, async () => {
  const table = join(folder, "motion.csv");
  catena("trajectory", "panda", ...swing, "-o", table);
  const view = await open(page("limits.html", "inverse", "panda", "--states", table));
  await view.run(() => document.querySelector("[data-group=tau]").scrollIntoView());
  await view.page.waitForFunction(() => window.catena.plots.plots.find((plot) => plot.group === "tau").plot);
  const aligned = await view.run(() => window.catena.plots.plots.filter((plot) => plot.plot).flatMap((plot) => plot.plot.series.slice(1).map((one) => one.pxAlign)));
  assert.ok(aligned.length >= 7 && aligned.every((value) => value === 0), `lines are rounded to pixels: ${aligned}`);
  const legend = await view.page.locator("[data-group=tau] .legend-item").allTextContents();
  assert.ok(legend.slice(0, 4).every((words) => words.includes("of ±87")) && legend.slice(4).every((words) => words.includes("of ±12")), legend.join("; "));
  const names = await view.page.locator("[data-group=tau] .legend-item .name").allTextContents();
  await view.tab("live");
  await view.settle();
  assert.deepEqual(await view.page.locator(".joint:not(.head) .who").allTextContents(), names, "joints have other names in the plots");
  assert.deepEqual((await view.run(() => window.catena.stage.drawing.labels.filter((one) => one.kind === "joint").map((one) => one.words))), names, "joints have other names in the picture");
  await view.tab("table");
  await view.settle();
  assert.deepEqual((await view.page.locator(".panel table").first().locator("tbody th").allTextContents()), names, "joints have other names in the table");
  await view.close();
});

test("CSV files have every digit of the result, and scenes of one name say their file", async () => {
  const [one, two] = ["one.csv", "two.csv"].map((name) => join(folder, name));
  catena("simulate", "planar3r", "--time", "0.5", "-o", one);
  catena("simulate", "planar3r", "--time", "0.4", "-o", two);
  const view = await open(page("digits.html", "report", "planar3r", one, "planar3r", two));
  const rows = readFileSync(one, "utf8").trim().split("\n").map((line) => line.split(","));
  const lines = (await downloaded(view.page, "[data-csv=q]")).trim().split("\n").map((line) => line.split(","));
  assert.equal(lines.length, rows.length);
  const places = lines[0].map((name) => rows[0].indexOf(name));
  for (let i = 1; i < rows.length; ++i) lines[i].forEach((cell, k) => assert.equal(Number(cell), Number(rows[i][places[k]]), `row ${i}, ${lines[0][k]}`));
  const scenes = await view.page.locator(".top select option").allTextContents();
  assert.ok(scenes.length === 2 && scenes[0].includes("one.csv") && scenes[1].includes("two.csv"), scenes.join("; "));
  await view.close();
});

const rough = `name = "rough"
gravity = [0, -9.81, 0]
convention = "classic"
[[link]]
joint = "revolute"
a = 0.5
mass = 1
com = [-0.25, 0, 0]
inertia = [0, 0.02, 0.02]
friction = { viscous = 0.02, coulomb = 0.6 }
[[link]]
joint = "revolute"
a = 0.4
mass = 0.8
com = [-0.2, 0, 0]
inertia = [0, 0.01, 0.01]
friction = { coulomb = 0.4 }
`;

test("a fall with dry friction keeps its account, and comes to rest where the program says", when, async () => {
  const robot = join(folder, "rough.toml");
  writeFileSync(robot, rough);
  const view = await open(page("rough.html", "report", robot));
  const run = await view.run(() => {
    const { handle } = window.catena.session;
    const fall = handle.fall([0, 0], [0, 0]);
    let worst = 0;
    for (let i = 0; i < 10000; ++i) {
      fall.step(1e-3);
      worst = Math.max(worst, Math.abs(fall.balance));
    }
    const end = { worst, q: Array.from(fall.q), qd: Array.from(fall.qd), work: fall.work };
    fall.free();
    return end;
  });
  assert.ok(run.work < -1, `friction took ${-run.work} J`);
  assert.ok(run.worst < 1e-6, `the balance is off by ${run.worst} J`);
  assert.ok(Math.hypot(...run.qd) === 0, `it does not come to rest: ${run.qd}`);
  const told = catenaJson("simulate", robot, "--q", "0,0", "--time", "10", "--samples", "2");
  run.q.forEach((value, i) => close(value, told.q.at(-1)[i], 1e-5, `q${i + 1} at rest`));
  await view.close();
});

test("back to the start, the readings are those of the start; who is slower than real time says so", when, async () => {
  const view = await open(page("start.html", "report", "planar3r"));
  await view.tab("live");
  const card = ".card:has(h2:text-is('Let it fall'))";
  const readings = () => view.page.locator(`${card} .figures dd`).allTextContents();
  const fresh = await readings();
  await view.page.click("button:text-is('Let it fall')");
  await view.page.waitForFunction(() => (window.catena.fall.fall?.time ?? 0) > 0.1);
  assert.notDeepEqual(await readings(), fresh);
  await view.run(() => {
    const { fall } = window.catena.fall;
    const own = fall.step.bind(fall);
    fall.step = (...args) => {
      for (const until = performance.now() + 8; performance.now() < until;);
      own(...args);
    };
  });
  await view.page.waitForFunction(() => /slower than real time/i.test(document.querySelector(".panel").textContent));
  await view.page.click("button:text-is('Back to the start')");
  await view.settle();
  assert.deepEqual(await readings(), fresh, "the readings are of the fall");
  assert.deepEqual(await view.run(() => Array.from(window.catena.session.q)), [0, 0, 0]);
  await view.close();
});

test("nothing of the tool's pose is cut off, at any width", when, async () => {
  for (const width of [1600, 1180, 900, 390]) {
    const view = await open(page("tool.html", "report", "stanford", "--q=-1.3,-1.2,0.9,-2,-1.5,-2.2"), { viewport: { width, height: 900 } });
    await view.tab("live");
    await view.settle();
    const cut = await view.run(() => [...document.querySelectorAll(".figures dd")].filter((one) => one.scrollWidth > one.clientWidth + 1).map((one) => one.textContent));
    assert.deepEqual(cut, [], `at ${width} pixels`);
    await view.close();
  }
});

test("a number that cannot be is marked where it is typed", when, async () => {
  const view = await open(page("marks.html", "report", "planar3r"));
  await view.tab("model");
  await view.settle();
  const mass = view.page.locator("[data-edit=mass]");
  const before = await view.run(() => window.catena.session.toml);
  for (const [typed, words] of [["", /no number/], ["-2", /below zero/]]) {
    await mass.fill(typed);
    assert.equal(await mass.getAttribute("aria-invalid"), "true", `a mass of '${typed}' is not marked`);
    assert.match(await view.page.textContent(".card:has([data-edit=mass]) .error"), words);
    assert.equal(await view.run(() => window.catena.session.toml), before);
  }
  await mass.fill("2.5");
  assert.equal(await mass.getAttribute("aria-invalid"), null);
  assert.equal(await view.page.locator(".card:has([data-edit=mass]) .error").isVisible(), false);
  await view.page.locator("[data-edit=Ixx]").fill("900");
  assert.equal(await view.page.locator("[data-edit=Ixx]").getAttribute("aria-invalid"), "true", "moments that no body has are not marked");
  await view.close();
});

test("the page of a regulator has A, B, K and the poles of both loops", when, async () => {
  const at = ["planar2r", "--q", "0.3,0.4", "--state-space", "--lqr"];
  const told = catenaJson("linearize", ...at);
  const view = await open(page("lqr.html", "linearize", ...at));
  await view.tab("analysis");
  await view.page.waitForFunction(() => document.querySelectorAll(".pole.closed").length > 0);
  const titles = await view.page.locator(".panel h2").allTextContents();
  for (const name of ["A of", "B of", "K of"]) assert.ok(titles.some((title) => title.startsWith(name)), `no card of ${name}: ${titles.join("; ")}`);
  const { matrix } = await view.run(() => window.catena.session.scene);
  for (const name of ["A", "B", "K"]) assert.deepEqual(matrix[name], told[name], name);
  assert.deepEqual(matrix.closed_loop_poles.map(({ re, im }) => [re, im]), told.closed_loop_poles);
  const lines = (await downloaded(view.page, "[data-csv=poles]")).trim().split("\n").map((line) => line.split(","));
  assert.deepEqual(lines.filter(([of]) => of === "closed loop").map((line) => line.slice(1).map(Number)), told.closed_loop_poles);
  assert.match(await view.page.textContent(".panel"), /agree to [\d.e−]+: .*divided by the largest entry of/);
  await view.close();
});

test("matrices have names at their rows, and zeros that are zeros", when, async () => {
  const view = await open(page("matrix.html", "report", "puma560"));
  await view.tab("live");
  await view.run(collectWords);
  await view.run(() => window.catena.session.setPosture([0.3, 0, 1.2, 0, 0, 0]));
  await view.run(() => document.querySelector("[data-csv=M]").scrollIntoView());
  await view.settle();
  const words = await view.run(() => window.drawn);
  const names = await view.page.locator(".joint:not(.head) .who").allTextContents();
  for (const name of names) assert.ok(words.filter((one) => one === name).length >= 2, `${name} is not at a row and a column: ${words.slice(0, 20)}`);
  assert.ok(words.includes("0"), "no zeros");
  const noise = words.filter((one) => /e−(1[3-9]|[2-9]\d)$/.test(one));
  assert.deepEqual(noise, [], "rounding is shown as numbers");
  await view.close();
});

test("labels do not overlap, axes are red, green and blue, and Fit looks at the robot alone", when, async () => {
  const table = join(folder, "names.csv");
  catena("trajectory", "panda", ...swing, "-o", table);
  const view = await open(page("names.html", "report", "panda", table));
  const distance = () => view.run(() => window.catena.stage.controls.target.distanceTo(window.catena.stage.camera.position));
  const whole = await distance();
  await view.page.click("button:text-is('Fit')");
  assert.ok(await distance() < 0.98 * whole, "Fit looks at all places of the motion");
  await view.run(() => window.catena.stage.show({ names: true, frames: true }));
  await view.settle();
  const boxes = await view.run(() => [...document.querySelectorAll(".label")].filter((one) => !one.hidden && one.style.opacity !== "0")
    .map((one) => { const { left, right, top, bottom } = one.getBoundingClientRect(); return { words: one.textContent, left, right, top, bottom }; }));
  assert.ok(boxes.length >= 10, `${boxes.length} labels`);
  boxes.forEach((a, i) => boxes.slice(i + 1).forEach((b) =>
    assert.ok(a.left >= b.right - 0.5 || b.left >= a.right - 0.5 || a.top >= b.bottom - 0.5 || b.top >= a.bottom - 0.5, `${a.words} lies on ${b.words}`)));
  const colors = await view.run(() => window.catena.stage.drawing.layers.frames[0].children.slice(0, 3).map((arrow) => arrow.children[0].material.color.toArray()));
  colors.forEach((color, axis) => color.forEach((part, k) => { if (k !== axis) assert.ok(color[axis] > 2 * part, `axis ${"xyz"[axis]}: ${color}`); }));
  await view.close();
});

test("a finger finds every button of a phone", when, async () => {
  const table = join(folder, "phone.csv");
  catena("simulate", "planar3r", "--time", "0.5", "-o", table);
  const view = await open(page("phone.html", "report", "planar3r", table), { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true });
  for (const tab of ["motion", "live", "model", "analysis", "table"]) {
    await view.tab(tab);
    await view.settle();
    const small = await view.run(() => [...document.querySelectorAll("button, select, summary")].filter((one) => one.offsetParent !== null && !one.classList.contains("link"))
      .map((one) => [one.textContent || one.title, one.getBoundingClientRect()]).filter(([, { width, height }]) => width > 0 && (height < 43.5 || width < 43.5))
      .map(([words, { width, height }]) => `${words}: ${width.toFixed()} x ${height.toFixed()}`));
    assert.deepEqual(small, [], `in ${tab}`);
    assert.equal(await view.run(() => document.documentElement.scrollWidth <= innerWidth), true, `${tab} is wider than a phone`);
  }
  await view.close();
});

test("a robot whose limits leave out 0 stands within them", when, async () => {
  const view = await open(page("within.html", "report", "panda"));
  const outside = await view.run(() => window.catena.session.robot.joints.filter((joint) => {
    const at = window.catena.session.q[joint.q];
    return joint.q >= 0 && ((joint.lower !== null && at < joint.lower) || (joint.upper !== null && at > joint.upper));
  }).map((joint) => joint.name));
  assert.deepEqual(outside, []);
  await view.close();
});

test("bars have numbers, and a logarithmic scale where they differ by more than a hundred", async () => {
  const content = payload(scene("planar2r"));
  content.benchmarks = [{ title: "times", unit: "ns", source: "made up", rows: [{ name: "one", values: { fast: 2, middle: 40, slow: 4000 } }] }];
  const view = await open(write("bars.html", content));
  await view.tab("analysis");
  await view.settle();
  const bars = ".card:has(h2:text-is('Benchmarks'))";
  assert.match(await view.page.textContent(bars), /logarithmic scale/);
  const widths = await view.run((card) => [...[...document.querySelectorAll(".card")].find((one) => one.textContent.includes("Benchmarks")).querySelectorAll(".strip i")].map((bar) => bar.getBoundingClientRect().width), bars);
  assert.ok(widths[0] > 0.08 * widths[2] && widths[1] > 0.3 * widths[2] && widths[1] < 0.7 * widths[2], `bars of ${widths} pixels`);
  if (computes) {
    await view.page.waitForFunction(() => document.querySelectorAll(".agreement .bar-row").length > 3);
    assert.match(await view.page.locator(".agreement .bar-row").first().textContent(), /\d × .*\d \+/);
  }
  await view.close();
});

test("meshes leave joints their colours and torques their arrows", async () => {
  const view = await open(write("rings.html", payload(scene(describe("planar2r"), { meshes: cubes() }))));
  await view.page.waitForFunction(() => window.catena.stage.hasMeshes);
  const seen = await view.run(() => {
    const { drawing, node } = window.catena.stage;
    const tests = [];
    drawing.layers.torques.forEach((holder) => holder.traverse((part) => { if (part.material) tests.push(part.material.depthTest); }));
    return { rings: drawing.layers.rings?.filter((ring) => ring.visible).length, tests, loading: node.querySelector(".loading")?.hidden };
  });
  assert.ok(seen.rings >= 1, "no joint has its colour");
  assert.ok(seen.tests.length > 0 && seen.tests.every((test) => !test), "meshes hide the arrows");
  assert.equal(seen.loading, true, "still loading");
  await view.run(() => window.catena.stage.show({ meshes: false }));
  assert.equal(await view.run(() => window.catena.stage.drawing.layers.rings.some((ring) => ring.visible)), false);
  await view.close();
});
