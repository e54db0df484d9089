// What is drawn and kept as it is: rows through edits and files, parts that events attach, a base that moves; poles far
// apart, legends and matrices that can be read, and one thing that scrolls.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { close, computes, downloaded, folder, open, start, stop, templateFile, write } from "./browser.mjs";
import { catena, catenaJson, payload, scene } from "./payload.mjs";

process.env.CATENA_PAGE = templateFile;
before(start);
after(stop);
const when = { skip: computes ? false : "the page has no engine (Debian: emscripten)" };
const phone = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };

function page(name, ...command) {
  const file = join(folder, name);
  catena("--quiet", ...command, command[0] === "report" ? "-o" : "--report", file);
  return file;
}

test("rows outlive edits, payloads and the file that is saved", when, async () => {
  const view = await open(page("rows.html", "report", "stanford"));
  await view.tab("model");
  await view.settle();
  assert.match(await view.page.inputValue(".toml"), /convention = "classic"/);
  await view.page.selectOption("select[aria-label=Link]", { label: "link2" });
  await view.page.fill("[data-edit=d]", "0.25");
  await view.page.fill("[data-edit=mass]", "7.5");
  await view.page.fill("[data-edit=load]", "2");
  await view.page.fill("[data-edit=loadz]", "0.1");
  await view.settle();
  const saved = join(folder, "saved.toml");
  writeFileSync(saved, await downloaded(view.page, "[data-download=toml]"));
  const text = await view.page.inputValue(".toml");
  for (const words of [/convention = "classic"/, /\nd = 0\.25\n/, /\nmass = 7\.5\n/, /\nalpha = -1\.5707963267948966 /]) assert.match(text, words);
  assert.equal(catena("convert", saved, "--to", "toml"), text, "the program writes another text");
  const rows = await view.run(() => window.catena.session.robot.dh.map(({ a, alpha, d, theta }) => [a, alpha, d, theta]));
  const known = JSON.parse(catena("info", saved, "--json")).dof;
  assert.equal(known, 6);
  assert.deepEqual(rows.slice(0, 6), [[0, -Math.PI / 2, 0.2, 0], [0, -Math.PI / 2, 0.25, 0], [0, 0, 0, 0], [0, Math.PI / 2, 0.6, 0], [0, -Math.PI / 2, 0, 0], [0, 0, 0, 0]]);
  const q = [0.3, -0.4, 0.5, 0.6, -0.7, 0.8];
  const torques = await view.run((at) => Array.from(window.catena.session.handle.compute("gravity", { q: at })), q);
  catenaJson("gravity", saved, "--q", q.join()).g.forEach((value, i) => close(torques[i], value, 1e-12, `torque ${i + 1}`));
  await view.close();
});

test("what events attach is drawn where it hangs, and gone when it is detached", async () => {
  const load = join(folder, "load.toml");
  writeFileSync(load, `name = "load"\n[base]\nname = "bob"\nmass = 0.5\ncom = [0.2, 0, 0]\ninertia = [0.001, 0.001, 0.001]\n`);
  const events = ["--event", `t=0.3 attach ${load} at link2 as revolute called load`, "--event", "t=0.7 detach load"];
  const run = ["simulate", "pelican", "--q", "-40,80", "--deg", "--torque", "pd-gravity", "--target", "-20,60", "--time", "1", "--samples", "51", ...events];
  const view = await open(page("attached.html", ...run));
  const told = catenaJson(...run);
  const drawn = async (time) => {
    await view.run((t) => window.catena.session.setTime(t), time);
    return view.run(() => {
      const { parts, drawing } = window.catena.stage;
      const now = parts.all[parts.now]?.drawings ?? [];
      return now.map(({ drawing: part }) => {
        part.root.updateWorldMatrix(true, true);
        const base = drawing.frame(drawing.robot.base).matrixWorld.clone().invert();
        return { visible: part.root.visible, links: part.robot.links.map((link) => link.name), pose: base.multiply(part.links.at(-1).matrixWorld).transpose().toArray() };
      });
    });
  };
  assert.deepEqual(await drawn(0.1), []);
  const middle = told.segments[1];
  const k = middle.t.findIndex((t) => t > 0.5);
  const [bob] = await drawn(middle.t[k]);
  assert.ok(bob?.visible, "nothing is drawn");
  assert.equal(bob.links.at(-1), "load_bob");
  const held = catenaJson("pose", "pelican", "--q", middle.q[k].slice(0, 2).join(), "--frame", "link2").T;
  const [c, s] = [Math.cos(middle.q[k][2]), Math.sin(middle.q[k][2])];
  const turned = [[c, -s, 0, 0], [s, c, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]];
  for (let i = 0; i < 3; ++i)
    for (let j = 0; j < 4; ++j) close(bob.pose[4 * i + j], held[i].reduce((sum, value, m) => sum + value * turned[m][j], 0), 1e-7, `entry ${i}, ${j} of the load's pose`);
  assert.deepEqual(await drawn(0.9), [], "it was detached");
  await view.close();
});

test("a base that moves is drawn where it is, with the tool's way in the world", when, async () => {
  const view = await open(page("carried.html", "simulate", "planar3r", "--torque", "pd-gravity", "--time", "2", "--base-twist", "1,0,0,0,0,0.5", "--base-acceleration", "0.5,0,0,0,0,0"));
  const at = (time) => view.run((t) => {
    window.catena.session.setTime(t);
    const { world } = window.catena.stage;
    return [...world.position.toArray(), ...world.quaternion.toArray()];
  }, time);
  assert.deepEqual(await at(0), [0, 0, 0, 0, 0, 0, 1]);
  const place = await at(2);
  // v = 1 + t/2 along its own x, which turns at 1/2 rad/s: the integral, by Simpson's rule.
  const integral = (f, n = 200) => Array.from({ length: n + 1 }, (_, i) => f((2 * i) / n) * (i === 0 || i === n ? 1 : i % 2 ? 4 : 2)).reduce((a, b) => a + b) * (2 / n / 3);
  close(place[0], integral((t) => (1 + t / 2) * Math.cos(t / 2)), 1e-7, "x");
  close(place[1], integral((t) => (1 + t / 2) * Math.sin(t / 2)), 1e-7, "y");
  close(place[5], Math.sin(0.5), 1e-9, "its turn");
  await view.settle();
  const inView = await view.run(() => {
    const { stage } = window.catena;
    const { x, y } = stage.onScreen(stage.drawing.tool.getWorldPosition(stage.controls.target.clone()));
    return x > 0 && y > 0 && x < stage.canvas.clientWidth && y < stage.canvas.clientHeight;
  });
  assert.ok(inView, "the camera stays behind");
  const way = await view.run(() => {
    const { extras, world, drawing } = window.catena.stage;
    const tool = world.parent.worldToLocal(drawing.tool.getWorldPosition(world.position.clone()));
    return { last: Array.from(extras.whole.geometry.attributes.position.array.slice(-3)), tool: tool.toArray() };
  });
  way.tool.forEach((value, i) => close(way.last[i], value, 1e-6, `the end of the tool's way, ${"xyz"[i]}`));
  await view.tab("live");
  await view.run(() => { window.catena.session.setPosture([0, 0, 0]); window.catena.session.setBase([0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]); });
  const fallen = await view.run(() => {
    const fall = window.catena.session.handle.fall([0, 0, 0], [0, 0, 0]);
    for (let i = 0; i < 300; ++i) fall.step(1e-3);
    const base = Array.from(fall.base);
    fall.free();
    return base;
  });
  [0, 0.3, 0, 0, 0, 0, 1].forEach((value, i) => close(fallen[i], value, 1e-9, `place ${i} of the base while it falls`));
  await view.close();
});

test("one pole far out does not squeeze the others", async () => {
  const poles = [-0.5, -1, -2, -3, -8000].map((re) => ({ re, im: 0 }));
  const matrix = { q: [0, 0], qd: [0, 0], qdd: [0, 0], D: [], V: [], P: [], poles };
  const content = payload(scene("planar2r", { kind: "linearize", matrix }));
  const view = await open(write("far.html", content));
  await view.tab("analysis");
  await view.page.waitForFunction(() => document.querySelectorAll(".poles .pole").length === 5);
  const x = await view.run(() => [...document.querySelectorAll(".poles .pole")].map((one) => one.getBBox().x));
  for (let k = 1; k < 4; ++k) assert.ok(x[k - 1] - x[k] > 4, `poles ${k} and ${k + 1} are ${x[k - 1] - x[k]} apart`);
  assert.match(await view.page.textContent(".card:has(.poles) .hint"), /logarithmic/);
  const ticks = await view.page.locator(".poles text").allTextContents();
  assert.ok(ticks.includes("−100") && ticks.includes("−1"), ticks.join("; "));
  await view.close();
});

// Elements whose words do not fit into them.
const cut = () => [...document.querySelectorAll(".legend-item .name, .legend-item .value, .joint .who span, .bar-row .name, .figures dd, .card h2, .hint")]
  .filter((one) => one.clientWidth > 0 && (one.scrollWidth > one.clientWidth + 1 || one.getBoundingClientRect().right > (one.closest(".card") ?? document.querySelector(".panel")).getBoundingClientRect().right + 1)).map((one) => one.textContent);

test("no name or number is cut, and a phone's panel has one thing that scrolls up and down", when, async () => {
  for (const options of [{ viewport: { width: 1600, height: 900 } }, { viewport: { width: 1280, height: 768 } }, phone]) {
    const view = await open(page("cut.html", "simulate", "ur5", "--torque", "pd-gravity", "--time", "0.5"), options);
    for (const panel of ["motion", "live", "analysis"]) {
      await view.tab(panel);
      if (panel === "analysis") await view.page.waitForFunction(() => document.querySelectorAll(".agreement .bar-row").length > 3);
      await view.settle();
      assert.deepEqual(await view.run(cut), [], `${panel} at ${options.viewport.width} pixels`);
      if (options !== phone) continue;
      const traps = await view.run(() => [...document.querySelectorAll(".panel *")].filter((one) => one.tagName !== "TEXTAREA" && one.scrollHeight > one.clientHeight + 2 && /auto|scroll/.test(getComputedStyle(one).overflowY)).map((one) => one.className));
      assert.deepEqual(traps, [], panel);
    }
    await view.close();
  }
});

test("every cell of a matrix has its number, on a phone too", when, async () => {
  const view = await open(page("cells.html", "linearize", "panda", "--q", "0,-0.5,0,-2,0,1.5,0", "--state-space"), phone);
  await view.run(() => {
    window.drawn = [];
    const own = CanvasRenderingContext2D.prototype.fillText;
    CanvasRenderingContext2D.prototype.fillText = function (words, ...rest) {
      window.drawn.push(words);
      return own.call(this, words, ...rest);
    };
  });
  await view.tab("analysis");
  await view.page.keyboard.press("t"); // draws all of them again
  await view.settle();
  const empty = await view.run(() => window.drawn.filter((words) => words === "").length);
  const cells = await view.run(() => window.drawn.filter((words) => /^[−≈\d.]/.test(words)).length);
  assert.equal(empty, 0, `${empty} cells are blank`);
  assert.ok(cells >= 14 * 14 + 14 * 7 + 3 * 49, `${cells} numbers`);
  assert.equal(await view.run(() => document.documentElement.scrollWidth <= innerWidth), true, "wider than the phone");
  await view.close();
});

test("on a phone the tools stand above the robot, not on it", async () => {
  const view = await open(write("tools.html", payload(scene("stanford"))), phone);
  await view.settle();
  const gap = await view.run(() => {
    const { stage } = window.catena;
    const bottom = document.querySelector(".stage-tools").getBoundingClientRect().bottom - stage.canvas.getBoundingClientRect().top;
    return Math.min(...stage.drawing.points().map((point) => stage.onScreen(point).y)) - bottom;
  });
  assert.ok(gap >= 0, `${gap} pixels between them`);
  await view.close();
});
