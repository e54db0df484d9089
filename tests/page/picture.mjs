// node tests/page/picture.mjs PAGE.html OUTPUT.png: the picture of the README, from the page that `make demo` writes.
import { resolve } from "node:path";
import { open, start, stop } from "./browser.mjs";

const [file, output] = process.argv.slice(2);
await start();
const view = await open(`${resolve(file)}#fine`, { viewport: { width: 1120, height: 680 }, colorScheme: "light" });
await view.run(() => window.catena.session.setTime(5.2));
await view.run(() => document.querySelector("[data-group=tau]").scrollIntoView());
await view.page.waitForFunction(() => document.querySelector("[data-group=power] canvas"));
await view.settle();
await view.page.waitForTimeout(500);
await view.page.screenshot({ path: output });
await view.close();
await stop();
