// node framed.mjs FILE.html: what a page that shows another one in an iframe has in it, as JSON. Also in a sandbox, which is
// how Jupyter serves files.
import { open, picture, start, stop } from "./browser.mjs";

await start();
try {
  const view = await open(process.argv[2], { within: "iframe" });
  const drawn = await picture(view.page);
  const scene = await view.run(() => {
    const { session } = window.catena;
    return { robot: session.robot.name, scenes: session.payload.scenes.map((one) => one.name), samples: session.scene.samples?.count ?? 0,
      last: session.recording?.of("q").map((column) => column.values.at(-1)) ?? [] };
  });
  if (process.argv[3]) await view.shot(process.argv[3]);
  console.log(JSON.stringify({ drawn: drawn.drawn, ...scene }));
  await view.close();
} finally {
  await stop();
}
