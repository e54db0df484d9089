// References and tracking errors of every law, files out of the page, undo, dimension lines, torque limits, and a second
// recording as a ghost.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { close, computes, folder, open, picture, start, stop, templateFile, write } from "./browser.mjs";
import { catena, catenaJson, payload, samples, scene, describe } from "./payload.mjs";

before(start);
after(stop);

process.env.CATENA_PAGE ??= templateFile;
const modules = resolve(process.env.PAGE_BUILD ?? "build/page", "node_modules");

// The scenes that the program writes for a command line.
let pages = 0;
function scenesOf(...args) {
  const file = join(folder, `more${++pages}.html`);
  catena("--quiet", ...args, args[0] === "report" ? "-o" : "--report", file);
  return JSON.parse(/id="catena-data">([^<]*)</.exec(readFileSync(file, "utf8"))[1]).scenes;
}

async function saved(view, selector) {
  const [file] = await Promise.all([view.page.waitForEvent("download"), view.page.click(selector)]);
  return { name: file.suggestedFilename(), bytes: readFileSync(await file.path()) };
}

const to = "0.4,-0.8,0.6,0.1,0.5,-0.2";
const from = "0.1,-0.9,0.7,0.2,0.6,0.1";
const motions = [["--from", from, "--to", to], ["--q", from, "--goal", "0.4,0.2,0.4"], ["--q", from], ["--tau", "1,1,1,1,1,1"]];

// A run by a law: with the first kind of motion that it takes.
function runBy(law) {
  for (const motion of motions) {
    const line = ["simulate", "ur5", "--torque", law, "--time", "0.3", "--samples", "31", "--payload", "tool0:0.5,0,0,0.05", ...motion];
    if (law !== "zero" && law !== "constant") line.push("--controller-model", "ur5");
    try {
      return { line, told: catenaJson(...line) };
    } catch (error) {
      assert.equal(error.status, 2, `${line.join(" ")}: ${error.stderr}`); // refused, as it should be
    }
  }
  assert.fail(`no motion for ${law}`);
}

const rms = (rows) => Math.sqrt(rows.flat().reduce((sum, value) => sum + value * value, 0) / rows.flat().length);

test("every law shows what it follows beside what the robot does, and the tracking error", async () => {
  const laws = /--torque LAW\s+([^]*?), or a CSV/.exec(catena("simulate", "--help"))[1].split(",").map((name) => name.trim());
  assert.ok(laws.length >= 17 && laws.includes("null-space"), laws.join());
  const runs = laws.map((law) => ({ law, ...runBy(law) }));
  const view = await open(write("laws.html", payload(...runs.map(({ law, line }) => ({ ...scenesOf(...line)[0], name: law })))));
  let [joints, frames] = [0, 0];
  for (const [i, { law, told }] of runs.entries()) {
    await view.page.selectOption("select[aria-label=Scene]", String(i));
    await view.page.waitForFunction((name) => window.catena.session.scene.name === name, law);
    await view.settle();
    const { q, wanted, frame, goal, error, dashes, hints } = await view.run(() => {
      const { plots, session } = window.catena;
      const columns = (group) => session.recording.of(group).map((track) => Array.from(track.values));
      const plot = plots.plots.find((one) => one.group === "q");
      return {
        q: columns("q"), wanted: columns("q_ref"), frame: columns("frame"), goal: columns("frame_ref"),
        error: plots.plots.filter((one) => one.group === "error").map((one) => one.tracks.map((track) => [track.column.name, Array.from(track.values)])),
        dashes: plot.plot.series.slice(1).map((series) => series.dash?.length ?? 0),
        hints: [...document.querySelectorAll("[data-group=q] .hint, [data-group=frame] .hint")].map((node) => node.textContent),
      };
    });
    if (["zero", "constant"].includes(law)) {
      assert.deepEqual([wanted, goal, error], [[], [], []], law);
      continue;
    }
    assert.ok(wanted.length === 6 || goal.length === 3, `${law} shows nothing that it follows`);
    joints += wanted.length === 6;
    frames += goal.length === 3;
    assert.ok(hints.some((words) => /dashed: (reference|set point)/.test(words)), `${law}: ${hints}`);
    const errors = new Map(error.flat());
    wanted.forEach((values, j) => {
      assert.ok(dashes[6 + j] > 0, `${law}: the reference of joint ${j + 1} is not dashed`);
      values.forEach((value, k) => close(errors.get(`q${j + 1}_error`)[k], value - q[j][k], 1e-15, `${law}: error`));
    });
    goal.forEach((values, j) => values.forEach((value, k) => close(errors.get(`${"xyz"[j]}_error`)[k], value - frame[j][k], 1e-15, `${law}: error of the frame`)));
    // As large as the program says it is.
    const said = told.tracking_error;
    if (said?.position) {
      const off = goal[0].map((_, k) => Math.hypot(...[0, 1, 2].map((j) => errors.get(`${"xyz"[j]}_error`)[k])));
      close(Math.max(...off), said.position.largest, 1e-9, `${law}: the frame's largest error`);
      if (said.rotation) close(Math.max(...errors.get("turn_error")), said.rotation.largest, 1e-9, `${law}: rotation`);
    } else if (said) {
      close(rms(wanted.map((_, j) => errors.get(`q${j + 1}_error`))), said.rms, 1e-9, `${law}: rms`);
    }
  }
  assert.ok(joints >= 11 && frames >= 5, `${joints} laws of joints, ${frames} of a frame`);
  await view.close();
});

test("a law that holds a place shows it as a set point, a table may bring its own reference", async () => {
  const [held] = scenesOf("simulate", "planar2r", "--torque", "pd-gravity", "--target", "0.5,-0.3", "--time", "0.5", "--samples", "26");
  const rows = Array.from({ length: 11 }, (_, i) => [i / 10, Math.sin(i / 10), 0, Math.sin(i / 10) + 0.01, 0.02]);
  const table = write("logged.csv", ["t,q1,q2,q_ref1,q_ref2", ...rows.map((row) => row.join())].join("\n"));
  const [logged] = scenesOf("report", "planar2r", table);
  const view = await open(write("setpoint.html", payload(held, { ...logged, name: "logged" })));
  assert.equal(await view.page.textContent("[data-group=q] .hint"), "dashed: set point");
  assert.match(await view.page.textContent("[data-group=error] .hint"), /rad rms, at most 0\.5/);
  await view.page.selectOption("select[aria-label=Scene]", "1");
  await view.page.waitForFunction(() => window.catena.session.scene.name === "logged");
  assert.equal(await view.page.textContent("[data-group=q] .hint"), "dashed: reference");
  assert.match(await view.page.textContent("[data-group=error] .hint"), /at most 0\.02/);
  await view.close();
});

// --- files ---

test("a screenshot is a PNG of the picture, with its labels", async () => {
  const view = await open(write("png.html", payload(scene("ur5"))));
  await view.page.click(".export > summary");
  const plain = await saved(view, "[data-export=png]");
  assert.deepEqual([...plain.bytes.subarray(0, 8)], [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  assert.match(plain.name, /^UR5.*\.png$/i);
  const size = await view.run(() => [window.catena.stage.canvas.width, window.catena.stage.canvas.height]);
  assert.deepEqual([plain.bytes.readUInt32BE(16), plain.bytes.readUInt32BE(20)], size);
  await view.run(() => window.catena.stage.show({ names: true }));
  await view.settle();
  const labelled = await saved(view, "[data-export=png]");
  assert.ok(labelled.bytes.length > plain.bytes.length, "labels are missing");
  const drawn = await view.run(async (base64) => {
    const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
    const bitmap = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
    const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
    canvas.getContext("2d").drawImage(bitmap, 0, 0);
    const { data } = canvas.getContext("2d").getImageData(0, 0, bitmap.width, bitmap.height);
    let count = 0;
    for (let i = 0; i < data.length; i += 4) if (Math.abs(data[i] - data[0]) + Math.abs(data[i + 1] - data[1]) > 40) ++count;
    return count;
  }, plain.bytes.toString("base64"));
  assert.ok(drawn > 2000, `a blank picture: ${drawn} pixels`);
  await view.close();
});

// The elements of a WebM file that are looked at: those of its head, and its blocks.
function readWebm(bytes) {
  const found = { blocks: 0, last: 0 };
  const size = (at) => {
    const width = Math.clz32(bytes[at]) - 23;
    let value = bytes[at] & ((1 << (8 - width)) - 1);
    let unknown = value === (1 << (8 - width)) - 1;
    for (let k = 1; k < width; ++k) { value = value * 256 + bytes[at + k]; unknown &&= bytes[at + k] === 255; }
    return { value: unknown ? Infinity : value, next: at + width };
  };
  const walk = (at, end) => {
    let cluster = 0;
    while (at < end) {
      const width = Math.clz32(bytes[at]) - 23;
      const id = bytes.readUIntBE(at, width);
      const { value, next } = size(at + width);
      const stop = Math.min(end, next + value);
      if ([0x18538067, 0x1549a966, 0x1654ae6b, 0xae, 0x1f43b675, 0xa0].includes(id)) walk(next, stop);
      else if (id === 0x4489) found.duration = value === 8 ? bytes.readDoubleBE(next) : bytes.readFloatBE(next);
      else if (id === 0xe7) cluster = value === 0 ? 0 : bytes.readUIntBE(next, value);
      else if (id === 0x86) found.codec = bytes.toString("latin1", next, stop);
      else if (id === 0xa3 || id === 0xa1) { ++found.blocks; found.last = cluster + bytes.readInt16BE(next + 1); }
      if (id === 0x1f43b675 && value === Infinity) return;
      at = stop;
    }
  };
  walk(0, bytes.length);
  return found;
}

test("a video is a WebM of one run, and says how long it is", async () => {
  const [run] = scenesOf("simulate", "planar3r", "--time", "1.5");
  const view = await open(write("webm.html", payload(run, scene("ur5", { name: "still" }))));
  await view.run(() => window.catena.session.setTime(1));
  await view.page.click(".export > summary");
  const { name, bytes } = await saved(view, "[data-export=webm]");
  assert.match(name, /\.webm$/);
  assert.deepEqual([...bytes.subarray(0, 4)], [0x1a, 0x45, 0xdf, 0xa3]);
  const { duration, blocks, last, codec } = readWebm(bytes);
  assert.match(codec, /^V_VP[89]/);
  assert.ok(blocks >= 8, `${blocks} frames`);
  assert.ok(duration > 1400 && last > 1000 && last <= duration + 100, `${duration} ms, the last frame at ${last} ms`);
  close(await view.run(() => window.catena.session.time), 1.5, 1e-9, "the run ends at its end");
  assert.equal(await view.run(() => window.catena.player.loop), true, "the player loops as before");
  assert.equal(await view.page.textContent("[data-export=webm]"), "Video (WebM)");
  // A browser plays it, and knows its length.
  const blank = await view.page.context().newPage();
  const seen = await blank.evaluate(async (base64) => {
    const video = document.createElement("video");
    video.src = `data:video/webm;base64,${base64}`;
    await new Promise((done, failed) => { video.onloadeddata = done; video.onerror = () => failed(new Error(video.error.message)); });
    return { seconds: video.duration, width: video.videoWidth };
  }, bytes.toString("base64"));
  assert.ok(seen.seconds > 1.4 && seen.seconds < 30 && seen.width > 100, JSON.stringify(seen));
  await blank.close();
  await view.page.selectOption("select[aria-label=Scene]", "1");
  await view.page.waitForFunction(() => window.catena.session.scene.name === "still");
  assert.equal(await view.page.isDisabled("[data-export=webm]"), true, "a robot that stands still");
  await view.close();
});

const three = await import(pathToFileURL(join(modules, "three/build/three.module.js")));
const { GLTFLoader } = await import(pathToFileURL(join(modules, "three/examples/jsm/loaders/GLTFLoader.js")));

test("a GLB has the links where the page draws them, and moves as the recording does", async () => {
  globalThis.self ??= globalThis;
  const runs = [["simulate", "stanford", "--time", "0.6"], ["simulate", "fourbar_press", "--time", "0.5"], ["simulate", "panda", "--floating-base", "--time", "0.5"],
    ["simulate", "ur5", "--time", "0.5", "--base-twist", "0,0.2,1,0.5,0,0"], ["trajectory", "ur5", "--to", to, "--time", "1"], ["report", "ur5", "--q", to], ["report", "tests/data/wild/sprig_hand.urdf"]];
  const view = await open(write("glb.html", payload(...runs.map((line, i) => ({ ...scenesOf(...line)[0], name: `robot ${i}` })))));
  for (const [i, line] of runs.entries()) {
    await view.page.selectOption("select[aria-label=Scene]", String(i));
    await view.page.waitForFunction((name) => window.catena.session.scene.name === name, `robot ${i}`);
    await view.settle();
    if ((await view.page.getAttribute(".export", "open")) === null) await view.page.click(".export > summary");
    const moves = line[0] !== "report";
    if (moves) await view.run(() => window.catena.session.setTime(0.2));
    const { bytes } = await saved(view, "[data-export=glb]");
    assert.equal(bytes.toString("latin1", 0, 4), "glTF");
    assert.equal(bytes.readUInt32LE(8), bytes.length);
    const { scene: root, animations } = await new GLTFLoader().parseAsync(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length), "");
    const places = () => view.run(() => {
      const { drawing } = window.catena.stage;
      drawing.root.updateMatrixWorld(true);
      return drawing.links.map((link, k) => [drawing.robot.links[k].name, link.matrixWorld.elements.slice(12, 15)]);
    });
    // Loaders change some letters of names; of one name there may be a link and a joint.
    const nodeOf = (name, at) => {
      const found = [];
      root.traverse((node) => { if (node.userData.name === name || node.name === name || node.name.replace(/_\d+$/, "") === three.PropertyBinding.sanitizeNodeName(name)) found.push(node); });
      assert.ok(found.length > 0, `${line.join(" ")}: no node ${name}`);
      return Math.min(...found.map((node) => node.getWorldPosition(new three.Vector3()).distanceTo(new three.Vector3(...at))));
    };
    const compare = async (when) => {
      root.updateMatrixWorld(true);
      for (const [name, at] of await places()) assert.ok(nodeOf(name, at) < 2e-4, `${line.join(" ")}: ${name} is ${nodeOf(name, at)} m off ${when}`);
    };
    await compare("as it stands");
    let meshes = 0;
    root.traverse((node) => { meshes += node.isMesh ? 1 : 0; });
    assert.ok(meshes > 2, `${meshes} meshes`);
    assert.equal(animations.length, moves ? 1 : 0, line.join(" "));
    if (!moves) continue;
    const mixer = new three.AnimationMixer(root);
    mixer.clipAction(animations[0]).play();
    const end = await view.run(() => window.catena.session.recording.end);
    close(animations[0].duration, end, 1e-6, "how long it moves");
    for (const time of [0, 0.5 * end, 0.9 * end]) {
      mixer.setTime(time);
      await view.run((now) => window.catena.session.setTime(now), time);
      await compare(`at ${time} s`);
    }
  }
  await view.close();
});

// --- undo ---

const state = (view) => view.run(() => {
  const { session } = window.catena;
  return { toml: session.toml, base: session.base, q: Array.from(session.q) };
});

test("every edit is undone and redone step by step", { skip: !computes && "this page does not compute" }, async () => {
  const view = await open(write("undo.html", payload(scene("ur5"), scene("planar2r"))));
  const steps = [await state(view)];
  const did = async (words) => {
    const now = await state(view);
    assert.notDeepEqual(now, steps.at(-1), `${words} changed nothing`);
    steps.push(now);
  };
  const enabled = async () => [await view.page.isEnabled("[data-undo=undo]"), await view.page.isEnabled("[data-undo=redo]")];
  assert.deepEqual(await enabled(), [false, false]);
  await view.tab("model");
  await view.settle();
  await view.page.selectOption("select[aria-label=Link]", { index: 3 });
  const fields = await view.page.locator("[data-edit]").evaluateAll((nodes) => nodes.map((node) => node.dataset.edit));
  assert.ok(fields.length >= 20, fields.join());
  for (const field of fields.filter((name) => !/^load[xyz]/.test(name)).concat("loadx", "loady", "loadz")) {
    const input = view.page.locator(`[data-edit=${field}]`);
    const value = Number(await input.inputValue());
    await input.fill(String(/^I[xyz]{2}$/.test(field) && field[1] !== field[2] ? value + 1e-4 : value + 0.25));
    await did(field);
  }
  const text = await view.page.inputValue("textarea.toml");
  await view.page.fill("textarea.toml", text.replace(/mass = [\d.]+/, "mass = 7.125"));
  await view.page.waitForFunction(() => window.catena.session.toml.includes("7.125"));
  await did("text");
  await view.page.click("button:text-is('Undo all changes')");
  await did("undo all");
  await view.tab("live");
  await view.settle();
  await view.page.locator(".joint input[type=range]").nth(1).fill("-0.7");
  await did("slider");
  await view.page.locator(".joint input[type=number]").nth(2).fill("25");
  await view.page.keyboard.press("Enter");
  await did("angle");
  for (const name of ["Random", "Random", "Zero"]) {
    await view.page.click(`button:text-is('${name}')`);
    await did(name);
  }
  await view.page.locator("[data-pose=z]").fill("0.6");
  await view.page.click("button:text-is('Solve')");
  await did("Solve");
  await view.page.locator("[data-base=vx]").fill("0.5");
  await did("base");
  await view.page.locator("[data-base=ωz]").fill("0.75");
  await did("base turns");
  await view.page.click("button:text-is('At rest')");
  await did("At rest");
  const there = steps.length - 1;
  // Back by the keys, to the first, then on by the button, to the last.
  await view.page.locator(".tabs button").first().focus();
  for (let k = there - 1; k >= 0; --k) {
    await view.page.keyboard.press("Control+z");
    assert.deepEqual(await state(view), steps[k], `undo to step ${k}`);
  }
  assert.deepEqual(await enabled(), [false, true]);
  assert.equal(await view.page.locator("[data-base=vx]").inputValue(), "0");
  for (let k = 1; k <= there; ++k) {
    if (k % 2) await view.page.click("[data-undo=redo]");
    else await view.page.keyboard.press("Control+Shift+Z");
    assert.deepEqual(await state(view), steps[k], `redo to step ${k}`);
  }
  assert.deepEqual(await enabled(), [true, false]);
  // The fields show what the robot is, and a new change forgets what was undone.
  for (let k = 0; k < there - 5; ++k) await view.page.click("[data-undo=undo]");
  await view.tab("model");
  await view.settle();
  const is = await view.run(() => window.catena.session.robot.links[window.catena.edit.link].mass);
  close(Number(await view.page.inputValue("[data-edit=mass]")), is, 1e-9, "the field after undo");
  await view.page.locator("[data-edit=gx]").fill("1.5");
  assert.deepEqual(await enabled(), [true, false]);
  // Digits that are typed one after the other are one step.
  const before = await state(view);
  await view.page.locator("[data-edit=mass]").focus();
  await view.page.keyboard.press("Control+a");
  await view.page.keyboard.type("12.5", { delay: 20 });
  assert.equal(await view.run(() => window.catena.session.robot.links[window.catena.edit.link].mass), 12.5);
  await view.page.click("[data-undo=undo]");
  assert.equal((await state(view)).toml, before.toml, "a number is one step");
  // Another scene has its own.
  await view.page.selectOption("select[aria-label=Scene]", "1");
  await view.page.waitForFunction(() => window.catena.session.robot.dof === 2);
  assert.deepEqual(await enabled(), [false, false]);
  await view.close();
});

// --- dimension lines ---

test("the steps of a row have dimension lines of a and d with their values", async () => {
  for (const model of ["stanford", "ur5", "panda"]) {
    const [one] = scenesOf("report", model);
    const view = await open(write(`${model}_dimensions.html`, payload(one)));
    const rows = one.robot.dh;
    if (!rows) { await view.close(); continue; }
    await view.tab("model");
    for (const row of rows) {
      await view.page.selectOption("select[aria-label='Which frames']", String(row.joint));
      await view.page.click("[aria-label='Step on']");
      await view.settle();
      const drawn = await view.run(() => {
        const { ghost } = window.catena.frame;
        const lines = ghost.getObjectByName("dimensions").children;
        return lines.map((line) => ({ words: line.userData.words, ends: line.children[2].geometry.attributes.position.array.slice() }));
      });
      const d = row.d + (one.robot.joints[row.joint].type === "prismatic" ? one.q[one.robot.joints[row.joint].q] : 0);
      const expected = [["a", row.a], ["d", d]].filter(([, value]) => Math.abs(value) > 1e-9);
      assert.equal(drawn.length, expected.length, `${model}, row ${row.joint}: ${JSON.stringify(drawn.map((one) => one.words))}`);
      for (const [name, value] of expected) {
        const line = drawn.find(({ words }) => words.startsWith(`${name} = `));
        close(Number(line.words.replace(/^. = | m$/g, "").replace("−", "-")), value, 1e-3, `${name} of ${model}`);
        const [x, y, z, u, v, w] = Object.values(line.ends);
        close(Math.hypot(u - x, v - y, w - z), Math.abs(value), 1e-6, `the length of ${name}`);
      }
    }
    await view.close();
  }
});

// --- torque limits ---

const red = (view) => view.run(() => {
  const { drawing } = window.catena.stage;
  const over = getComputedStyle(document.documentElement).getPropertyValue("--over").trim();
  const probe = document.createElement("canvas").getContext("2d");
  probe.fillStyle = over;
  return drawing.joints.flatMap(({ info, body }) => (body && `#${body.color.getHexString()}` === probe.fillStyle ? [info.name] : []));
});
const limitWords = async (view) => ((await view.page.isVisible(".limit-note")) ? view.page.textContent(".limit-note") : "");

test("a joint at its torque limit turns red and is named: recorded, live and falling", { skip: !computes && "this page does not compute" }, async () => {
  const heavy = ["--payload", "tool0:40,0,0,0.1"];
  const [run] = scenesOf("simulate", "ur5", ...heavy, "--torque", "pd-gravity", "--q", "0,-0.3,0.3,0,0,0", "--target", "0,-1.5,0,0,0,0", "--saturate", "--time", "0.5", "--samples", "51");
  const [plain] = scenesOf("simulate", "ur5", "--torque", "pd-gravity", "--q", "0,-1.5,0,0,0,0", "--target", "0,-1.5,0,0,0,0", "--time", "0.2");
  const view = await open(write("limits.html", payload({ ...run, name: "heavy" }, { ...plain, name: "light" })));
  const limits = run.robot.joints.filter((joint) => joint.v >= 0).map((joint) => joint.effort);
  for (const time of [0, 0.1, 0.25, 0.5]) {
    await view.run((now) => window.catena.session.setTime(now), time);
    const tau = await view.run(() => Array.from(window.catena.session.efforts()));
    const expected = run.robot.joint_names.filter((_, i) => limits[i] && Math.abs(tau[i]) >= limits[i] * (1 - 1e-9));
    assert.deepEqual(await red(view), expected, `at ${time} s`);
    const words = await limitWords(view);
    assert.equal(words !== "", expected.length > 0, words);
    if (time === 0) {
      assert.ok(expected.length > 0, "the heavy load reaches no limit");
      assert.match(words, /at its torque limit: shoulder_(lift|pan).*150 of ±150 N m/);
    }
  }
  // By hand: what would hold it is more than the motor has.
  await view.tab("live");
  await view.page.locator(".joint input[type=range]").nth(1).fill("-0.2");
  await view.settle();
  assert.match(await limitWords(view), /beyond its torque limit: shoulder_lift/);
  assert.ok((await red(view)).includes("shoulder_lift_joint"));
  // Falling: motors that hold the weight give no more than they have, and the arm sinks.
  await view.page.click("label:has-text('motors hold its weight')");
  await view.page.click("button:text-is('Let it fall')");
  await view.page.waitForFunction(() => window.catena.fall.fall?.time > 0.1);
  const falling = await view.run(() => ({ tau: Array.from(window.catena.session.efforts()), mode: window.catena.session.mode, qd: window.catena.session.qd[1] }));
  assert.equal(falling.mode, "fall");
  falling.tau.forEach((value, i) => assert.ok(Math.abs(value) <= limits[i] * (1 + 1e-12), `joint ${i + 1}: ${value} of ${limits[i]}`));
  assert.match(await limitWords(view), /at its torque limit: shoulder_lift/);
  assert.ok((await red(view)).includes("shoulder_lift_joint"));
  assert.ok(Math.abs(falling.qd) > 0.05, `it does not sink: ${falling.qd} rad/s`);
  await view.page.click("button:text-is('Stop')");
  await view.run(() => window.catena.session.setPosture([0, -0.2, 0, 0, 0, 0]));
  // Light or dark, the red stays; a robot that is strong enough has none.
  await view.page.keyboard.press("t");
  assert.ok((await red(view)).includes("shoulder_lift_joint"));
  await view.page.selectOption("select[aria-label=Scene]", "1");
  await view.page.waitForFunction(() => window.catena.session.scene.name === "light");
  await view.settle();
  assert.deepEqual(await red(view), []);
  assert.equal(await limitWords(view), "");
  await view.close();
});

// --- the ghost ---

test("a second recording is a ghost in the same picture, at the same time, and differences are read", async () => {
  const runs = ["10", "40"].map((kp, i) => {
    const file = join(folder, `kp${i}.csv`);
    catena("--quiet", "simulate", "ur5", "--torque", "pd-gravity", "--to", to, "--kp", kp, "--time", i ? "1" : "0.8", "--samples", i ? "101" : "81", "-o", file);
    return file;
  });
  const other = join(folder, "other.csv");
  catena("--quiet", "simulate", "planar3r", "--time", "1", "-o", other);
  const view = await open(write("ghost.html", payload(...scenesOf("report", "ur5", ...runs, "planar3r", other, "stanford"))));
  const drawnAlone = await picture(view.page);
  assert.equal(await view.page.locator("[data-ghost] option").count(), 3, "none, the other run, the other robot");
  await view.page.locator("[data-ghost]").focus();
  await view.page.selectOption("[data-ghost]", "1");
  await view.page.waitForFunction(() => window.catena.ghost.other);
  for (const time of [0, 0.35, 0.8]) {
    await view.run((now) => window.catena.session.setTime(now), time);
    const { here, there, expected, table, apart, tool } = await view.run((now) => {
      const { session, ghost, stage, plots } = window.catena;
      const rows = [...document.querySelectorAll("[aria-label='Differences to the ghost'] tbody tr")].map((row) => [...row.children].map((cell) => cell.textContent.replace("−", "-")));
      const q = new Float64Array(6);
      ghost.other.recording.read("q", now, q);
      const points = [stage.drawing, ghost.other.drawing].map((one) => one.poseOf(one.robot.tool));
      return { here: Array.from(session.q), there: Array.from(ghost.other.q), expected: Array.from(q), table: rows,
        tool: Math.hypot(...[3, 7, 11].map((i) => points[0][i] - points[1][i])),
        apart: plots.plots.find((one) => one.group === "difference").tracks.map((track) => track.values[session.recording.nearest(now)]) };
    }, time);
    assert.deepEqual(there, expected, `the ghost's clock at ${time} s`);
    table.slice(0, 6).forEach((row, i) => {
      close(Number(row[1]), here[i], 1e-4, "this one");
      close(Number(row[2]), there[i], 1e-4, "ghost");
      close(Number(row[3]), here[i] - there[i], 1e-3, "difference");
    });
    apart.forEach((value, i) => close(value, here[i] - there[i], 1e-9, "the difference in the plot"));
    assert.ok((await view.page.textContent(".card:has-text('Beside another recording') p")).includes(`${(1000 * tool).toFixed(2)} mm apart`));
    if (time === 0.35) assert.ok(tool > 0.001, `the runs do not differ: ${tool} m`);
  }
  const look = await view.run(() => {
    const materials = new Set();
    window.catena.ghost.other.drawing.root.traverse((part) => { if (part.isMesh && part.visible && part.parent.visible) materials.add(part.material); });
    return [...materials].filter((one) => one.transparent && one.opacity < 0.6).length;
  });
  assert.ok(look >= 3, "it is not half transparent");
  await view.run(() => window.catena.session.setTime(0.35));
  assert.notEqual((await picture(view.page)).sum, drawnAlone.sum);
  // Playing moves both.
  await view.run(() => { window.catena.player.jump(0); window.catena.player.play(); });
  await view.page.waitForFunction(() => window.catena.session.time > 0.3);
  assert.ok(await view.run(() => Math.abs(window.catena.ghost.other.q[1]) > 1e-4));
  await view.run(() => window.catena.player.pause());
  // Another robot: drawn, not compared. None: gone.
  await view.page.selectOption("[data-ghost]", "2");
  await view.page.waitForFunction(() => window.catena.ghost.other?.scene.robot.dof === 3);
  assert.match(await view.page.textContent(".panel"), /another robot: its joints are not compared/);
  await view.page.selectOption("[data-ghost]", "");
  await view.page.waitForFunction(() => window.catena.ghost.other === null);
  assert.equal(await view.page.isVisible("p:has-text('mm apart')"), false);
  // A scene without a motion has no ghost.
  await view.page.selectOption("select[aria-label=Scene]", "3");
  await view.page.waitForFunction(() => window.catena.session.recording === null);
  assert.equal(await view.page.isVisible("[data-ghost]"), false);
  await view.close();
});

test("one sample, and no motion, harm none of it", async () => {
  const arm = describe("planar2r");
  const still = samples(arm.robot, [0], { q: [[0.5, 0.5]] });
  const view = await open(write("one.html", payload(scene(arm, { name: "one", samples: still }), scene(arm, { name: "none" }), scene(arm, { name: "none" }))));
  assert.deepEqual(await view.page.locator("select[aria-label=Scene] option").allTextContents(), ["one", "none (2)", "none (3)"]);
  assert.equal(await view.page.isVisible("[data-ghost]"), false);
  await view.page.click(".export > summary");
  assert.equal(await view.page.isDisabled("[data-export=webm]"), true);
  assert.equal((await saved(view, "[data-export=glb]")).bytes.toString("latin1", 0, 4), "glTF");
  await view.page.keyboard.press("Escape");
  assert.equal(await view.page.getAttribute(".export", "open"), null);
  await view.close();
});
