// One HTML file: the script and the style go inside, the two marks of the template stay.
import { defineConfig, type Plugin } from "vite";

const marks = ["<!--catena-data-->", "<!--catena-engine-->"];

// What ends a script or opens a comment in HTML may stand in a string of the program: written by its code.
function safeInScript(code: string): string {
  return code.replace(/<\/(script)/gi, "\\x3C/$1").replace(/<!--/g, "\\x3C!--");
}

function oneFile(): Plugin {
  return {
    name: "one-file",
    enforce: "post",
    generateBundle(_options, bundle) {
      const pages = Object.values(bundle).filter((file) => file.fileName.endsWith(".html"));
      for (const page of pages) {
        if (page.type !== "asset") continue;
        let html = String(page.source);
        for (const file of Object.values(bundle)) {
          const name = file.fileName.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
          if (file.type === "chunk") {
            const tag = new RegExp(`\\s*<script[^>]*src="[^"]*${name}"[^>]*></script>`);
            if (!tag.test(html)) this.error(`${file.fileName} is not in the page: is there a dynamic import?`);
            html = html.replace(tag, "");
            html = html.replace("</body>", () => `<script type="module">${safeInScript(file.code)}</script>\n</body>`);
          } else if (file.fileName.endsWith(".css")) {
            const tag = new RegExp(`<link[^>]*href="[^"]*${name}"[^>]*>`);
            html = html.replace(tag, () => `<style>${String(file.source)}</style>`);
          } else continue;
          delete bundle[file.fileName];
        }
        for (const mark of marks)
          if (html.split(mark).length !== 2) this.error(`the page must have ${mark} once`);
        page.source = html;
        page.fileName = "page.html";
      }
    },
  };
}

export default defineConfig({
  base: "./",
  root: ".",
  resolve: { preserveSymlinks: true },
  build: {
    outDir: "dist",
    emptyOutDir: true,
    target: "es2022",
    modulePreload: false,
    cssCodeSplit: false,
    assetsInlineLimit: 1 << 20,
    reportCompressedSize: false,
    chunkSizeWarningLimit: 2000,
  },
  plugins: [oneFile()],
});
