// Who uses no mouse, or does not see well: axe-core on every panel, on a desktop and a phone, light and dark; and the
// keyboard alone, which reaches everything and shows where it is.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { after, before, test } from "node:test";
import { computes, folder, open, start, stop, templateFile } from "./browser.mjs";
import { catena } from "./payload.mjs";

process.env.CATENA_PAGE = templateFile;
before(start);
after(stop);
const when = { skip: computes ? false : "the page has no engine (Debian: emscripten)" };
const axe = readFileSync(createRequire(join(resolve(process.env.PAGE_BUILD ?? "build/page"), "package.json")).resolve("axe-core/axe.min.js"), "utf8");

function page(name, ...command) {
  const file = join(folder, name);
  catena("--quiet", ...command, command[0] === "report" ? "-o" : "--report", file);
  return file;
}
const panels = ["motion", "live", "model", "analysis", "table"];
const sizes = { desktop: { viewport: { width: 1280, height: 800 } }, phone: { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true } };

// Findings that keep people out: "color-contrast: <span …>".
async function findings(view) {
  await view.settle();
  await view.run(axe);
  return view.run(async () => (await window.axe.run(document, { resultTypes: ["violations"] })).violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .flatMap(({ id, nodes }) => nodes.map(({ html, any }) => `${id}: ${html.slice(0, 160)} ${any[0]?.message ?? ""}`)));
}

for (const [size, options] of Object.entries(sizes))
  for (const colorScheme of ["light", "dark"])
    test(`axe finds nothing serious: ${size}, ${colorScheme}`, when, async () => {
      const motion = await open(page("axe.html", "trajectory", "panda", "--from", "0,-0.5,0,-2,0,1.5,0", "--to", "1,0.4,-0.5,-1.2,0.6,2.2,0.4", "--time", "1"), { ...options, colorScheme });
      for (const panel of panels) {
        await motion.tab(panel);
        assert.deepEqual(await findings(motion), [], panel);
      }
      await motion.page.click(".menu summary");
      assert.deepEqual(await findings(motion), [], "the menu");
      await motion.page.keyboard.press("Escape");
      await motion.page.keyboard.press("?");
      assert.deepEqual(await findings(motion), [], "help");
      await motion.close();
      const result = await open(page("axe_lqr.html", "linearize", "planar2r", "--q", "0.3,0.4", "--state-space", "--lqr"), { ...options, colorScheme });
      await result.page.waitForFunction(() => document.querySelectorAll(".pole.closed").length > 0);
      assert.deepEqual(await findings(result), [], "matrices and poles");
      await result.tab("model");
      await result.page.locator("[data-edit=mass]").fill("-1");
      assert.deepEqual(await findings(result), [], "a number that cannot be");
      await result.close();
    });

test("Tab reaches every control of every panel, and shows where it is", when, async () => {
  const view = await open(page("tab.html", "simulate", "planar3r", "--time", "1"));
  for (const panel of panels) {
    await view.tab(panel);
    await view.settle();
    await view.run(() => {
      document.activeElement?.blur();
      window.expected = [...document.querySelectorAll("button, input, select, textarea, summary, a[href], [tabindex='0']")]
        .filter((one) => !one.disabled && one.tabIndex >= 0 && one.getClientRects().length > 0 && !one.closest("dialog, details:not([open]) > div"));
    });
    const count = await view.run(() => window.expected.length);
    for (let k = 0; k < count + 5; ++k) {
      await view.page.keyboard.press("Tab");
      const bare = await view.run(() => {
        const now = document.activeElement;
        if (now === document.body) return "";
        window.expected = window.expected.filter((one) => one !== now);
        const { outlineStyle, outlineWidth } = getComputedStyle(now);
        return outlineStyle !== "none" && parseFloat(outlineWidth) >= 2 ? "" : now.outerHTML.slice(0, 120);
      });
      assert.equal(bare, "", `${panel}: one sees no focus`);
      if (await view.run(() => window.expected.length === 0)) break;
    }
    assert.deepEqual(await view.run(() => window.expected.map((one) => one.outerHTML.slice(0, 120))), [], `${panel}: not reached`);
  }
  await view.close();
});

test("keys turn the view, zoom plots, read matrices, change panels and close menus", when, async () => {
  const view = await open(page("keys.html", "simulate", "planar3r", "--time", "1"));
  const { page: tab } = view;
  const camera = () => view.run(() => window.catena.stage.camera.position.toArray());
  await view.run(() => window.catena.stage.canvas.focus());
  let last = await camera();
  for (const key of ["ArrowLeft", "ArrowUp", "PageUp", "Shift+ArrowRight"]) {
    await tab.keyboard.press(key);
    const now = await camera();
    assert.ok(Math.hypot(...now.map((x, i) => x - last[i])) > 1e-3, `${key} does nothing`);
    last = now;
  }
  assert.equal(await view.run(() => window.catena.session.time), 0, "the picture's keys are those of the motion too");
  await tab.waitForFunction(() => window.catena.plots.plots[0].plot);
  await view.run(() => document.querySelector("[data-group=q] .plot").focus());
  const span = () => view.run(() => { const { min, max } = window.catena.plots.plots[0].plot.scales.x; return max - min; });
  await tab.keyboard.press("Enter");
  await view.settle();
  assert.ok(await span() < 0.6, "Enter does not zoom");
  await tab.keyboard.press("Escape");
  await view.settle();
  assert.ok(await span() > 0.99, "Escape does not show all");
  await view.run(() => document.querySelector("[data-tab=motion]").focus());
  await tab.keyboard.press("ArrowRight");
  assert.equal(await tab.getAttribute("[data-tab=live]", "aria-selected"), "true");
  await tab.keyboard.press("End");
  assert.equal(await tab.getAttribute("[data-tab=table]", "aria-selected"), "true");
  await view.tab("live");
  await view.settle();
  await view.run(() => document.querySelector(".heat").focus());
  await tab.keyboard.press("ArrowDown");
  await tab.keyboard.press("ArrowRight");
  const M = await view.run(() => Array.from(window.catena.session.compute("inertia")));
  const read = await tab.textContent(".card:has(.heat) .heat-read");
  assert.match(read, /^joint2 by joint2: /);
  assert.ok(Math.abs(Number(read.split(": ")[1]) - M[4]) < 1e-5, read);
  await tab.focus(".menu summary");
  await tab.keyboard.press("Enter");
  assert.equal(await view.run(() => document.querySelector(".menu").open), true);
  await tab.keyboard.press("Escape");
  assert.equal(await view.run(() => document.querySelector(".menu").open), false);
  await view.close();
});
