// The site of the documentation from disk: every page in the navigation, links that lead somewhere, a search that finds, code in
// colours, formulas in the middle, light and dark, and nothing cut off on a desk or on a phone.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative, resolve } from "node:path";
import { after, before, test } from "node:test";

const { chromium } = createRequire(join(resolve(process.env.PAGE_BUILD ?? "build/page"), "package.json"))("playwright-core");
const site = resolve(process.env.SITE ?? "build/site/checked");
const files = readdirSync(site, { recursive: true }).filter((name) => name.endsWith(".html") && name !== "404.html").sort();
const text = new Map(files.map((name) => [name, readFileSync(join(site, name), "utf8")]));
const written = readdirSync("docs", { recursive: true }).filter((name) => name.endsWith(".md"));

let browser;
before(async () => {
  browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox", "--disable-dev-shm-usage"] });
});
after(() => browser?.close());

async function at(width, name, options = {}) {
  const context = await browser.newContext({ viewport: { width, height: 800 }, offline: true, ...options });
  context.setDefaultTimeout(60000); // a machine that builds and tests at once is slow
  const page = await context.newPage();
  if (name) await page.goto(`file://${join(site, name)}`);
  return page;
}

test("the navigation has every page", async () => {
  for (const name of written) assert.ok(text.has(name.replace(/\.md$/, ".html")), `${name} is not on the site`);
  const page = await at(1280, "index.html");
  const listed = new Set(await page.$$eval(".md-nav--primary a[href]", (links) => links.map((a) => a.href.split("#")[0])));
  assert.deepEqual(files.filter((name) => !listed.has(`file://${join(site, name)}`)), []);
  await page.context().close();
});

test("links lead to pages and headings", () => {
  const wrong = [];
  for (const [name, html] of text) {
    const content = html.slice(html.indexOf("<article"), html.indexOf("</article>"));
    for (const [, href] of content.matchAll(/href="([^"]+)"/g)) {
      if (/^[a-z]+:/.test(href) || href === "#") continue;
      const [path, anchor] = decodeURIComponent(href).split("#");
      const goal = path ? relative(site, resolve(site, dirname(name), path)) : name;
      if (!goal.endsWith(".html")) continue;
      if (!text.has(goal)) wrong.push(`${name}: ${href}`);
      else if (anchor && !text.get(goal).includes(`id="${anchor}"`)) wrong.push(`${name}: ${href}: no such heading`);
    }
  }
  assert.deepEqual(wrong, []);
});

test("the search finds pages from disk", async () => {
  const page = await at(1280, "index.html");
  await page.click(".md-search__input");
  await page.type(".md-search__input", "articulated", { delay: 20 });
  await page.waitForSelector(".md-search-result__item a");
  const found = await page.$$eval(".md-search-result__item a", (links) => links.map((a) => a.href));
  assert.ok(found.some((href) => href.includes("equations/articulated_body.html")), found.join(" "));
  await page.context().close();
});

test("code is highlighted, formulas are set and centred, dark is dark", async () => {
  for (const colorScheme of ["light", "dark"]) {
    const page = await at(1280, "tutorial/1-from-a-paper.html", { colorScheme });
    const seen = await page.evaluate(() => {
      const bright = (element, what) => {
        const canvas = document.createElement("canvas").getContext("2d");
        canvas.fillStyle = getComputedStyle(element)[what];
        canvas.fillRect(0, 0, 1, 1);
        return canvas.getImageData(0, 0, 1, 1).data.slice(0, 3).reduce((sum, part) => sum + part) / 765;
      };
      const colours = new Set([...document.querySelectorAll(".highlight code span")].map((span) => getComputedStyle(span).color));
      const box = document.querySelector(".formula").getBoundingClientRect();
      const inner = document.querySelector(".formula math > *").getBoundingClientRect();
      return { colours: colours.size, back: bright(document.body, "backgroundColor"), words: bright(document.querySelector("article p"), "color"),
               off: Math.abs((inner.left + inner.right - box.left - box.right) / 2) / box.width, height: inner.height };
    });
    assert.ok(seen.colours >= 3, `${seen.colours} colours of code`);
    assert.ok(seen.off < 0.1 && seen.height > 10, JSON.stringify(seen));
    assert.ok(colorScheme === "dark" ? seen.back < 0.3 && seen.words > 0.5 : seen.back > 0.9 && seen.words < 0.4, `${colorScheme}: ${JSON.stringify(seen)}`);
    await page.context().close();
  }
});

test("no formula is left as it was typed", () => {
  for (const [name, html] of text) {
    const words = html.slice(html.indexOf("<article"), html.indexOf("</article>")).replace(/<(pre|code)\b.*?<\/\1>/gs, "").replace(/<[^>]*>/g, "");
    assert.equal(words.match(/\$[^$\s][^$\n]*\\[a-z]+[^$\n]*\$/)?.[0], undefined, name);
  }
});

test("the menu of a phone opens", async () => {
  const page = await at(390, "index.html");
  await page.click('label.md-header__button[for="__drawer"]');
  await page.waitForFunction(() => document.querySelector(".md-sidebar--primary").getBoundingClientRect().left >= 0);
  assert.ok(await page.isVisible(".md-nav--primary .md-nav__title"));
  await page.context().close();
});

// What is wider than the page scrolls by itself; blocks of code reach the edge of a phone's screen.
const cut = () => {
  const content = document.querySelector(".md-content__inner"), edge = document.documentElement.clientWidth;
  const scrolls = (element) => element !== content && (/auto|scroll/.test(getComputedStyle(element).overflowX) || scrolls(element.parentElement));
  const wide = [...content.querySelectorAll("p, li, table, pre, math, img, h1, h2, h3")]
    .filter((element) => element.getBoundingClientRect().right > edge + 1 && !scrolls(element.parentElement));
  return [...(document.documentElement.scrollWidth > edge ? [`${document.documentElement.scrollWidth - edge} px wider than the screen`] : []),
          ...wide.map((element) => `${element.tagName} ${element.textContent.slice(0, 60)}`)];
};
for (const width of [1280, 390])
  test(`nothing is cut off at ${width} pixels`, async () => {
    const wrong = [], left = [...files];
    const walk = async (page) => {
      for (let name; (name = left.pop());) {
        await page.goto(`file://${join(site, name)}`, { waitUntil: "domcontentloaded" });
        await page.waitForFunction(() => [...document.querySelectorAll("article table:not([class])")].every((table) => table.closest(".md-typeset__scrollwrap")));
        wrong.push(...(await page.evaluate(cut)).map((what) => `${name}: ${what}`));
      }
      await page.context().close();
    };
    await Promise.all([1, 2].map(async () => walk(await at(width))));
    assert.deepEqual(wrong, []);
  });
