// The cells of a matrix that is drawn on a canvas, one by one: under the mouse, or by the arrow keys.
import { el } from "./dom";

export interface Grid {
  size: number; // height of a row
  wide: number; // width of a column
  left: number; // where the first column begins
  top: number;
}
interface Cells extends Grid {
  rows: number;
  columns: number;
}

// `say` is told the cell, or null where there is none. What is too wide for its place scrolls.
export function cellBox(canvas: HTMLCanvasElement, cells: () => Cells, say: (cell: { i: number; k: number } | null) => void): HTMLElement {
  const mark = el("span", { class: "cell-mark", hidden: true });
  let [i, k] = [0, 0];
  const show = () => {
    const { size, wide, left, top, rows, columns } = cells();
    [i, k] = [Math.min(rows - 1, Math.max(0, i)), Math.min(columns - 1, Math.max(0, k))];
    mark.hidden = rows < 1 || columns < 1;
    if (mark.hidden) return;
    mark.style.cssText = `left:${left + k * wide}px;top:${top + i * size}px;width:${wide}px;height:${size}px`;
    mark.scrollIntoView({ block: "nearest", inline: "nearest" });
    say({ i, k });
  };
  canvas.tabIndex = 0;
  canvas.addEventListener("focus", () => { if (canvas.matches(":focus-visible")) show(); });
  canvas.addEventListener("blur", () => { mark.hidden = true; say(null); });
  canvas.addEventListener("keydown", (event) => {
    const by = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0], Home: [0, -1e6], End: [0, 1e6] }[event.key];
    if (!by || event.ctrlKey || event.metaKey || event.altKey) return;
    [i, k] = [i + by[0]!, k + by[1]!];
    show();
    event.preventDefault();
    event.stopPropagation();
  });
  canvas.addEventListener("pointermove", (event) => {
    const { size, wide, left, top, rows, columns } = cells();
    const at = { i: Math.floor((event.offsetY - top) / size), k: Math.floor((event.offsetX - left) / wide) };
    say(at.i >= 0 && at.k >= 0 && at.i < rows && at.k < columns ? at : null);
  });
  canvas.addEventListener("pointerleave", () => say(null));
  return el("div", { class: "heat-scroll" }, el("div", { class: "heat-box" }, canvas, mark));
}
