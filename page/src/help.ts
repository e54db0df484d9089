// Keys, and what this file is.
import { el, replace } from "./dom";
import { noEngine, type Session } from "./session";

export const keys: [string, string][] = [
  ["Space", "play, pause"], ["← →", "one sample back, on (with Shift: a hundredth of the motion)"], ["Home End", "first, last sample"],
  ["− +", "slower, faster"], ["1 … 5", "the panels"], ["F", "bring the robot into view"], ["T", "light, dark"],
  ["A", "frames"], ["M", "mass centres and inertias"], ["E", "the next ellipsoid of the tool"], ["Ctrl-Z Ctrl-Shift-Z", "undo, redo a change"], ["?", "this help"],
  ["Tab", "from one control to the next. On the picture arrows turn the view, page keys zoom, with Shift arrows move it; on a plot Enter zooms in about the time shown, Escape shows all; on a matrix arrows go from entry to entry"],
];

export function helpDialog(session: Session): HTMLDialogElement {
  const about = el("div", {});
  const close = el("button", { type: "button", class: "primary" }, "Close");
  const dialog = el("dialog", { "aria-label": "Help" },
    el("h2", {}, "Keys and mouse"),
    el("dl", { class: "keys" }, ...keys.flatMap(([key, words]) => [el("dt", {}, ...key.split(" ").map((one) => (one === "…" ? el("span", {}, "…") : el("kbd", {}, one)))), el("dd", {}, words)])),
    el("p", {}, "Drag to turn the view, wheel or pinch to zoom, right button to move it. Click a plot to go to that time, drag across it to zoom, double click to see all. Click a legend to hide a line."),
    session.engine ? el("p", {}, "Drag the ring at the tool: it pulls the robot by a spring, or places it, as the button on the picture says.") : el("p", {}, noEngine),
    about, el("p", {}, close));
  close.addEventListener("click", () => dialog.close());
  session.on("scene", () => {
    const { scene, payload } = session;
    replace(about, el("h3", {}, "This scene"), el("pre", { class: "command" }, scene.command),
      scene.notes.length > 0 ? el("h3", {}, "Notes") : null,
      scene.notes.length > 0 ? el("ul", { class: "notes" }, ...scene.notes.map((note) => el("li", {}, note))) : null,
      el("p", { class: "hint" }, `Written by ${payload.program}. Everything is in this file; it asks no network for anything.`));
  });
  return dialog;
}
