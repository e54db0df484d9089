// A page plays: opened from disk, without a network, with and without numbers in its columns.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { close, downloaded, folder, open, picture, start, stop, template, write } from "./browser.mjs";
import { catena, describe, describeToml, payload, pose, samples, scene, simulated } from "./payload.mjs";
import { cubes } from "./cubes.mjs";

before(start);
after(stop);

const silent = template.replace(/(<script[^>]*id="catena-engine">)[^<]*/, "$1");
let fallen;
const falling = () => (fallen ??= simulated("planar3r", "--time", "1"));

test("opens from disk without a network, draws and plays", async () => {
  const view = await open(write("plays.html", payload(falling())));
  const first = await picture(view.page);
  assert.ok(first.drawn > 40, `a blank canvas: ${first.drawn} pixels`);
  await view.page.keyboard.press(" ");
  await view.page.waitForFunction(() => window.catena.session.time > 0.25);
  const later = await picture(view.page);
  assert.notEqual(later.sum, first.sum, "the picture stands still while playing");
  await view.page.keyboard.press(" ");
  const stopped = await view.run(() => window.catena.session.time);
  await view.settle();
  assert.equal(await view.run(() => window.catena.session.time), stopped, "pause does not stop");
  await view.page.keyboard.press("ArrowRight");
  const stepped = await view.run(() => window.catena.session.time);
  assert.ok(stepped > stopped && stepped - stopped < 0.05, `a step of ${stepped - stopped} s`);
  await view.page.keyboard.press("End");
  close(await view.run(() => window.catena.session.time), 1, 1e-9, "End goes to the end");
  await view.page.keyboard.press("Home");
  assert.equal(await view.run(() => window.catena.session.time), 0);
  await view.close();
});

test("plots have data and follow one cursor, and their CSV is what was computed", async () => {
  const content = falling();
  const view = await open(write("plots.html", payload(content), silent));
  const groups = await view.run(() => window.catena.plots.plots.map((plot) => [plot.group, plot.tracks.length, plot.tracks[0].values.length]));
  assert.deepEqual(groups.slice(0, 3).map(([group, tracks]) => [group, tracks]), [["q", 3], ["qd", 3], ["tau", 3]]);
  assert.ok(groups.every(([, , count]) => count === content.samples.count));
  const marks = () => view.run(() => [...document.querySelectorAll(".plots .playhead")].map((mark) => mark.style.transform));
  await view.page.waitForFunction(() => document.querySelectorAll(".plots .playhead").length >= 2);
  const before = await marks();
  await view.run(() => window.catena.session.setTime(0.5));
  const now = await marks();
  assert.ok(now.length >= 2 && now.every((place, i) => place !== before[i]), "the cursor does not follow");
  const box = await view.page.locator(".plot-card[data-group=q] .u-over").boundingBox();
  await view.page.mouse.click(box.x + box.width * 0.75, box.y + 40);
  close(await view.run(() => window.catena.session.time), 0.75, 0.02, "a click on a plot goes to that time");
  const lines = (await downloaded(view.page, "[data-csv=q]")).trim().split("\n").map((line) => line.split(","));
  assert.deepEqual(lines[0], ["t", "q1", "q2", "q3"]);
  assert.equal(lines.length, content.samples.count + 1);
  const shown = await view.run(() => Array.from(window.catena.session.recording.of("q")[2].values));
  lines.slice(1).forEach((line, i) => assert.equal(Number(line[3]), shown[i]));
  await view.close();
});

test("sliders move the robot", async () => {
  const view = await open(write("sliders.html", payload(scene("ur5"))));
  const before = await picture(view.page);
  const tool = () => view.run(() => window.catena.stage.drawing.poseOf(window.catena.session.robot.tool));
  const from = await tool();
  await view.page.locator(".joint input[type=range]").nth(1).fill("-1");
  await view.settle();
  assert.notEqual((await picture(view.page)).sum, before.sum);
  assert.ok(Math.hypot(...[3, 7, 11].map((i) => from[i])) > 0.1);
  const to = await tool();
  assert.ok(Math.hypot(...[3, 7, 11].map((i) => to[i] - from[i])) > 0.1, "the tool did not move");
  await view.close();
});

test("without an engine it plays and says so", async () => {
  const view = await open(write("silent.html", payload(falling()), silent));
  assert.equal(await view.page.textContent(".badge"), "plays only");
  await view.tab("live");
  await view.settle();
  assert.match(await view.page.textContent(".panel"), /made without the WebAssembly engine/);
  for (const tab of ["model", "analysis", "table", "motion"]) await view.tab(tab);
  await view.run(() => window.catena.player.play());
  await view.page.waitForFunction(() => window.catena.session.time > 0.05);
  await view.close();
});

test("closed loops play without an engine, and stay where they were recorded", async () => {
  process.env.CATENA_PAGE = write("silent_template.html", silent);
  const file = join(folder, "linkage.html");
  catena("--quiet", "simulate", "fourbar_press", "--time", "1", "--report", file);
  const view = await open(file);
  const gap = () => view.run(() => {
    const [a, b] = window.catena.session.robot.loops[0].frames.map((name) => window.catena.stage.drawing.poseOf(name));
    return Math.hypot(...[3, 7, 11].map((i) => a[i] - b[i]));
  });
  for (const time of [0, 0.2, 0.5, 1]) {
    await view.run((to) => window.catena.session.setTime(to), time);
    assert.ok(await gap() < 1e-8, `at ${time} s the loop is open by ${await gap()} m`);
  }
  assert.deepEqual(await view.run(() => window.catena.session.recording.of("tree").map((track) => track.column.label)), ["coupler", "rocker"]);
  await view.tab("live");
  await view.settle();
  assert.equal(await view.page.locator(".joint input[type=range]").first().isDisabled(), true);
  await view.page.click("button:text-is('Start')");
  assert.ok(await gap() < 1e-9, "the start");
  await view.page.click("button:text-is('Zero')");
  assert.ok(await gap() < 1e-9);
  await view.tab("table");
  await view.settle();
  assert.match(await view.page.textContent(".panel"), /rocker.*follows from loops/s);
  await view.close();
});

test("numbers that are none, no samples, one sample, a mesh that is missing", async () => {
  const arm = describe("planar2r");
  const t = [0, 0.1, 0.2, 0.3];
  const q = [[0, 0], [0.1, 0.2], [NaN, 0.4], [0.3, Infinity]];
  const tau = t.map(() => [NaN, NaN]);
  const missing = { link: 1, origin: pose(), scale: [1, 1, 1], format: "stl", data: null, file: "package://gone.stl", note: "gone.stl was not found" };
  const broken = { ...missing, format: "obj", data: "eJzLSM3JyVcIzy/KSQEAGgsEXQ==" };
  const view = await open(write("nan.html", payload(
    scene(arm, { name: "gaps", samples: samples(arm.robot, t, { q, tau }) }),
    scene(arm, { name: "none", samples: samples(arm.robot, [], { q: [[]].slice(1), tau: [] }) }),
    scene(arm, { name: "one", samples: samples(arm.robot, [0], { q: [[0.5, 0.5]] }) }),
    scene(arm, { name: "mesh", meshes: [missing, broken], notes: ["gone.stl was not found"] }))));
  await view.run(() => window.catena.session.setTime(0.2));
  assert.match(await view.page.textContent(".stage-note"), /no number/);
  const pose16 = await view.run(() => window.catena.stage.drawing.poseOf("link2"));
  assert.ok(pose16.every(Number.isFinite), "the drawing has numbers that are none");
  await view.tab("table");
  for (let i = 1; i < 4; ++i) {
    await view.run((index) => window.catena.session.open(index), i);
    await view.settle();
    for (const tab of ["motion", "live", "table"]) await view.tab(tab);
    assert.ok((await picture(view.page)).drawn > 20, `scene ${i} is blank`);
  }
  await view.close();
});

test("meshes in three formats take the place of capsules", async () => {
  const arm = describe("planar2r");
  const view = await open(write("meshes.html", payload(scene(arm, { meshes: cubes() })), silent));
  await view.page.waitForFunction(() => window.catena.stage.hasMeshes);
  const found = await view.run(() => {
    const names = [];
    window.catena.stage.drawing.links.forEach((link, i) => link.traverse((part) => {
      if (part.isMesh && part.geometry.getAttribute("position").count === 36 && part.geometry.type === "BufferGeometry") names.push(i);
    }));
    return names;
  });
  assert.ok(found.length >= 3, `${found.length} meshes`);
  await view.close();
});

test("names that no person gives are words and nothing else", async () => {
  const names = ['</script><script>window.hacked=1</script>', '"><img src=x onerror="window.hacked=1">', "🦾 <b>elbow</b> & 'co'", "<!--<script>"];
  const { toml, robot } = describe("ur5");
  robot.name = names[0];
  robot.joints.forEach((joint, i) => { joint.name = names[i % 4] + i; });
  robot.joint_names = robot.joints.filter((joint) => joint.q >= 0).map((joint) => joint.name);
  robot.links.forEach((link, i) => { link.name = names[(i + 1) % 4] + i; });
  robot.base = robot.links[0].name;
  robot.tool = robot.links.at(-1).name;
  const t = [0, 1];
  const q = t.map((time) => robot.joint_names.map(() => time));
  const view = await open(write("hostile.html", { ...payload(scene({ toml, robot }, {
    name: names[0], command: names[1], notes: names, samples: samples(robot, t, { q }, [{ t: 0.5, text: names[0] }]) })), title: names[2] }));
  for (const tab of ["motion", "live", "model", "analysis", "table"]) await view.tab(tab);
  await view.run(() => window.catena.stage.show({ names: true, frames: true }));
  await view.page.keyboard.press("?");
  assert.equal(await view.run(() => window.hacked), undefined, "a name ran");
  assert.equal(await view.run(() => document.querySelectorAll("#app img, #app b, #app script").length), 0);
  assert.ok((await view.page.textContent("dialog")).includes(names[0]));
  assert.ok((await view.page.textContent(".labels")).includes("🦾 <b>elbow</b> & 'co'"));
  await view.close();
});

test("sixty joints, and a tree", async () => {
  const links = Array.from({ length: 60 }, (_, i) => `
[[link]]
name = "l${i + 1}"
joint = "${i % 7 === 6 ? "prismatic" : "revolute"}"
joint_name = "j${i + 1}"
parent = "${i === 0 ? "base" : `l${i}`}"
xyz = [0.1, 0, ${i % 2 === 0 ? 0.02 : 0}]
axis = [0, ${i % 2}, ${1 - (i % 2)}]
mass = 0.5
com = [0.05, 0, 0]
inertia = [0.001, 0.001, 0.001]
`);
  const toml = `name = "snake"\nconvention = "frames"\ngravity = [0, 0, -9.81]\ntool = "l60"\n\n[base]\nname = "base"\n${links.join("")}`;
  const robot = describeToml(toml);
  const t = Array.from({ length: 50 }, (_, i) => i / 10);
  const q = t.map((time) => robot.joint_names.map((_, j) => (j % 7 === 6 ? 0.02 : 0.3) * Math.sin(time + j / 5)));
  const view = await open(write("many.html", payload(
    scene({ toml, robot }, { name: "snake", samples: samples(robot, t, { q }) }), scene("tests/data/wild/sprig_hand.urdf", { name: "hand" }))));
  const first = await picture(view.page);
  await view.run(() => window.catena.session.setTime(2));
  assert.notEqual((await picture(view.page)).sum, first.sum);
  assert.equal(await view.page.locator(".plot-card[data-group=q] .legend-item").count(), 60);
  for (const tab of ["live", "analysis", "table"]) { await view.tab(tab); await view.settle(); }
  await view.run(() => window.catena.session.open(1));
  await view.tab("live");
  assert.ok((await picture(view.page)).drawn > 100);
  assert.equal(await view.page.locator(".joint input[type=range]").count(), await view.run(() => window.catena.session.robot.dof));
  await view.close();
});

test("the page's own rules forbid all network", async () => {
  let hits = 0;
  const server = createServer((_, answer) => { ++hits; answer.end(); });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  server.unref();
  const address = `http://127.0.0.1:${server.address().port}/`;
  const view = await open(write("rules.html", payload(scene("planar2r")), silent), { offline: false });
  const refused = await view.run(async (url) => {
    const rules = [];
    document.addEventListener("securitypolicyviolation", (event) => rules.push(event.effectiveDirective));
    const fetched = await fetch(url).then(() => "fetched", () => "refused");
    const image = new Image();
    image.src = url;
    const script = document.createElement("script");
    script.src = url;
    document.head.append(script);
    const frame = document.createElement("iframe");
    frame.src = url;
    document.body.append(frame);
    try { new WebSocket(url.replace("http", "ws")); } catch { /* refused at once */ }
    navigator.sendBeacon(url, "x");
    await new Promise((done) => setTimeout(done, 300));
    return { fetched, rules: [...new Set(rules)] };
  }, address);
  assert.equal(refused.fetched, "refused");
  assert.ok(refused.rules.includes("connect-src") && refused.rules.includes("img-src"), refused.rules.join());
  assert.equal(hits, 0, "something came through");
  server.close();
  view.said.length = 0; // the browser reports each refusal
  view.asked.length = 0;
  await view.close();
});

test("light and dark, a phone, no layout shift, and a table for those who do not see the picture", async () => {
  const file = write("looks.html", payload(falling()), silent);
  const background = (view) => view.run(() => getComputedStyle(document.body).backgroundColor);
  const phone = await open(file, { viewport: { width: 390, height: 844 }, colorScheme: "dark", isMobile: true, hasTouch: true });
  const dark = await background(phone);
  assert.equal(await phone.run(() => document.documentElement.scrollWidth <= innerWidth), true, "wider than a phone");
  await phone.page.keyboard.press("t");
  const light = await background(phone);
  assert.notEqual(light, dark);
  await phone.close();
  const view = await open(file, { colorScheme: "light" });
  assert.equal(await background(view), light);
  await view.run(() => {
    window.shifts = 0;
    new PerformanceObserver((list) => { for (const entry of list.getEntries()) window.shifts += entry.value; }).observe({ type: "layout-shift", buffered: false });
    window.catena.player.play();
  });
  await view.page.waitForFunction(() => window.catena.session.time > 0.3);
  assert.ok(await view.run(() => window.shifts) < 0.01, "the page shifts while it plays");
  await view.run(() => { window.catena.player.pause(); window.catena.session.setTime(0.5); });
  await view.tab("table");
  await view.settle();
  assert.match(await view.page.textContent(".panel h2:has-text('State')"), /0\.5 s/);
  const cell = await view.page.locator(".panel tbody tr").first().locator("td").first().textContent();
  const q1 = await view.run(() => window.catena.session.q[0]);
  close(Number(cell.replace("−", "-")), q1, 1e-6, "the table's number");
  assert.ok((await view.run(() => document.querySelector("canvas.view").getAttribute("aria-label"))).includes("planar 3R"));
  await view.close();
});
