// Debian's Chromium on pages from disk, with the network off and every complaint of the console kept.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fill } from "./payload.mjs";

const build = resolve(process.env.PAGE_BUILD ?? "build/page");
const { chromium } = createRequire(join(build, "package.json"))("playwright-core");

export const templateFile = resolve(process.env.CATENA_PAGE ?? join(build, "page.html"));
export const template = readFileSync(templateFile, "utf8");
export const computes = /id="catena-engine">\s*[^<\s]/.test(template);
export const folder = mkdtempSync(join(tmpdir(), "catena_page_"));

let browser = null;
export async function start() {
  browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--in-process-gpu", "--disable-dev-shm-usage"],
  });
}
export async function stop() {
  await browser?.close();
}

export function write(name, content, into = template) {
  const file = join(folder, name);
  writeFileSync(file, typeof content === "string" ? content : fill(into, content));
  return file;
}

// A page that is ready, and what it said and asked for on the way; with `within` the one in this frame of it.
export async function open(file, { within, ...options } = {}) {
  const context = await browser.newContext({ viewport: { width: 1180, height: 760 }, offline: true, acceptDownloads: true, ...options });
  context.setDefaultTimeout(120000); // a machine that builds and tests at once is slow
  const whole = await context.newPage();
  const said = [];
  const asked = [];
  whole.on("console", (message) => { if (["error", "warning"].includes(message.type())) said.push(message.text()); });
  whole.on("pageerror", (error) => said.push(String(error.stack ?? error)));
  whole.on("request", (request) => asked.push(request.url()));
  const before = performance.now();
  await whole.goto(`file://${file}`);
  const page = within ? await (await whole.waitForSelector(within)).contentFrame() : whole;
  await page.waitForSelector("#app[data-ready]");
  return {
    page, said, asked, opened: performance.now() - before,
    tab: (key) => page.click(`[data-tab="${key}"]`),
    shot: (path) => whole.screenshot({ path }),
    run: (code, value) => page.evaluate(code, value),
    settle: () => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(done))))),
    async close() {
      await context.close();
      const complaints = said.filter((words) => !/GPU stall|GL Driver Message|WebGL.*(performance|software)/i.test(words));
      assert.deepEqual(complaints, [], "the console has complaints");
      const outside = asked.filter((url) => !/^(file:|data:|blob:)/.test(url));
      assert.deepEqual(outside, [], "the page asked for something");
    },
  };
}

// A checksum of the picture, and how many of its pixels differ from the corner's.
export function picture(page) {
  return page.evaluate(async () => {
    const { stage } = window.catena;
    stage.touch();
    stage.draw();
    const { canvas } = stage;
    const copy = document.createElement("canvas");
    [copy.width, copy.height] = [160, 120];
    const ctx = copy.getContext("2d");
    ctx.drawImage(canvas, 0, 0, 160, 120);
    const { data } = ctx.getImageData(0, 0, 160, 120);
    let [sum, drawn] = [0, 0];
    for (let i = 0; i < data.length; i += 4) {
      sum = (sum * 31 + data[i] * 3 + data[i + 1] * 5 + data[i + 2] * 7) % 2147483647;
      if (Math.abs(data[i] - data[0]) + Math.abs(data[i + 1] - data[1]) + Math.abs(data[i + 2] - data[2]) > 40) ++drawn;
    }
    return { sum, drawn };
  });
}

export async function downloaded(page, selector) {
  const [file] = await Promise.all([page.waitForEvent("download"), page.click(selector)]);
  return readFileSync(await file.path(), "utf8");
}

export function close(value, expected, tolerance, words) {
  const scale = Math.max(1, Math.abs(expected));
  assert.ok(Math.abs(value - expected) <= tolerance * scale, `${words}: ${value}, not ${expected}`);
}
