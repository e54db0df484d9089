// node tools/measure_page.mjs [PAGE.html] [TIMES]: how fast a page of Catena opens, and how many frames a second it plays,
// in Chromium without a graphics card. Default: out/demo/index.html, five times; `make measure-page` makes that page
// first. The best of all is what the machine can do: others that run at the same time only make it slower.
import { existsSync } from "node:fs";
import { resolve } from "node:path";

const [file = "out/demo/index.html", times = "5"] = process.argv.slice(2);
if (!existsSync(file) || !(Number(times) >= 1)) {
  console.error(`measure_page.mjs: ${existsSync(file) ? `'${times}' is no number of times` : `no page '${file}' (make demo)`}`);
  process.exit(1);
}
const { open, start, stop } = await import("../tests/page/browser.mjs");
const best = { opened: Infinity, frames: 0 };
for (let k = 1; k <= Number(times); ++k) {
  await start(); // a browser that has not seen the page
  const view = await open(resolve(file), { viewport: { width: 1280, height: 800 } });
  const frames = await view.run(async () => {
    const { stage, player } = window.catena;
    player.play();
    await new Promise((done) => setTimeout(done, 500));
    const [before, from] = [stage.frames, performance.now()];
    await new Promise((done) => setTimeout(done, 4000));
    return (1000 * (stage.frames - before)) / (performance.now() - from);
  });
  const opened = view.opened / 1000;
  console.log(`${k}: opened in ${opened.toFixed(2)} s, ${frames.toFixed(1)} frames a second`);
  best.opened = Math.min(best.opened, opened);
  best.frames = Math.max(best.frames, frames);
  await view.close();
  await stop();
}
console.log(`best: opened in ${best.opened.toFixed(2)} s, ${best.frames.toFixed(1)} frames a second`);
