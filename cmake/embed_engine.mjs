// node embed_engine.mjs TEMPLATE OUTPUT [MODULE]: replaces the mark in the template by the WebAssembly library,
// compressed with zlib and encoded in base64. page/src/engine.ts reads it.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { deflateSync } from "node:zlib";

const mark = "<!--catena-engine-->";
const [template, output, module] = process.argv.slice(2);
const page = readFileSync(template, "utf8");
if (page.split(mark).length !== 2) throw new Error(`${template} must have ${mark} once`);
const engine =
  module && existsSync(module)
    ? `<script type="text/plain" id="catena-engine">${deflateSync(readFileSync(module), { level: 9 }).toString("base64")}</script>`
    : "";
writeFileSync(output, page.replace(mark, () => engine));
