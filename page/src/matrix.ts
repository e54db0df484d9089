// The inertia matrix as colours: now, and over the time of a recording.
import { cellBox, type Grid } from "./cells";
import { csv, csvRows } from "./csv";
import { button, card, download, el, fileName, text } from "./dom";
import { number, withoutNoise } from "./format";
import { jointName, noEngine, type Session } from "./session";
import { cssColor, diverging, inkOn, onTheme } from "./theme";

function prepare(canvas: HTMLCanvasElement, height: number): { ctx: CanvasRenderingContext2D; width: number } | null {
  const width = canvas.clientWidth;
  const ratio = Math.min(2, window.devicePixelRatio);
  const ctx = canvas.getContext("2d");
  if (width < 20 || !ctx) return null;
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
  }
  ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
  ctx.clearRect(0, 0, width, height);
  return { ctx, width };
}

// Small entries stay visible: the colour goes with the root of the size.
const shade = (value: number, largest: number): number => Math.sign(value) * Math.sqrt(Math.abs(value) / (largest || 1));

// Rows and columns have their names where there is room for them.
function gridOf(width: number, height: number, rows: number, columns: number): Grid {
  const named = (height - 18) / rows >= 11;
  const [margin, top] = named ? [Math.min(92, 0.18 * width), 18] : [0, 0];
  const size = (height - top) / rows;
  const wide = Math.min((width - margin) / columns, Math.max(size, 78));
  return { size, wide, left: margin, top };
}

function drawMatrix(ctx: CanvasRenderingContext2D, grid: Grid, rows: ArrayLike<number>[], rowNames: string[], columnNames: string[]): void {
  const largest = Math.max(...rows.flatMap((row) => Array.from(row, Math.abs)), 0);
  const { size, wide, left, top } = grid;
  const gap = size > 12 ? 1 : 0;
  ctx.font = wide < 40 ? little : large;
  ctx.textBaseline = "middle";
  ctx.fillStyle = cssColor("--muted");
  if (top > 0) {
    ctx.textAlign = "right";
    rowNames.forEach((name, i) => ctx.fillText(cutTo(ctx, name, left - 10), left - 6, top + (i + 0.5) * size));
    ctx.textAlign = "center";
    columnNames.forEach((name, k) => { if (wide >= 18) ctx.fillText(cutTo(ctx, name, wide - 4), left + (k + 0.5) * wide, top / 2); });
  }
  ctx.textAlign = "center";
  rows.forEach((row, i) => Array.from(row).forEach((exact, k) => {
    const value = withoutNoise(exact, largest);
    const colour = shade(value, largest);
    ctx.fillStyle = diverging(colour);
    ctx.fillRect(left + k * wide, top + i * size, wide - gap, size - gap);
    if (size < 12) return;
    ctx.fillStyle = inkOn(ctx.fillStyle);
    ctx.fillText(fitted(ctx, value, wide - 3, largest), left + (k + 0.5) * wide, top + (i + 0.5) * size);
    ctx.font = large;
  }));
}

const [large, little] = ["11px system-ui, sans-serif", "9px system-ui, sans-serif"];

// As many digits as a cell has room for, in smaller letters if they must be.
function fitted(ctx: CanvasRenderingContext2D, value: number, room: number, largest: number): string {
  for (const [font, digits] of [[large, 3], [large, 2], [little, 2], [little, 1]] as const) {
    ctx.font = font;
    const words = number(value, digits);
    const short = words.replace(/^(-|−)?0\./, "$1.");
    for (const one of [words, short]) if (ctx.measureText(one).width < room) return one;
  }
  const rest = Math.abs(value) < 1e-3 * largest ? "≈0" : "…";
  return ctx.measureText(rest).width < room ? rest : "";
}

// Narrower than this a cell has no room for a number: the matrix is then as wide as it must be, and scrolls.
const narrowest = 27;
const most = 16; // columns of such a matrix; one with more is colours alone, and says a number where one points

function widen(canvas: HTMLCanvasElement, columns: number): void {
  canvas.style.minWidth = columns <= most ? `${Math.ceil((columns * narrowest) / 0.82)}px` : "";
}

// A name too long for its place keeps its end, where names differ.
function cutTo(ctx: CanvasRenderingContext2D, words: string, width: number): string {
  if (ctx.measureText(words).width <= width) return words;
  const head = words.match(/^(\S{1,3}) /)?.[1] ?? ""; // δq of "δq joint1"
  let rest = words.slice(head.length);
  while (rest.length > 1 && ctx.measureText(`${head}…${rest}`).width > width) rest = rest.slice(1);
  return `${head}…${rest}`;
}

export class MatrixPanel {
  readonly node: HTMLElement;
  private readonly canvas = el("canvas", { class: "heat", role: "img", "aria-label": "Inertia matrix as colours. Arrow keys go from entry to entry; the tab Table has all numbers" });
  private readonly read = el("div", { class: "heat-read", role: "status" });
  private values: Float64Array | null = null;
  private readonly height = 240;

  constructor(private readonly session: Session) {
    this.canvas.style.height = `${this.height}px`;
    this.node = el("section", { class: "card" },
      el("header", {}, el("h2", {}, "Inertia matrix", el("small", {}, " M(q)")), button("CSV", () => this.save(), { class: "small", "data-csv": "M" })),
      cellBox(this.canvas, () => this.cells(), (cell) => this.point(cell)), this.read);
    onTheme(() => this.update());
    new ResizeObserver(() => this.update()).observe(this.canvas);
  }

  update(): void {
    if (!this.session.opened || this.canvas.clientWidth === 0) return;
    this.values = this.session.compute("inertia");
    const { dof } = this.session.robot;
    widen(this.canvas, dof);
    const field = prepare(this.canvas, this.height);
    if (field && this.values) {
      const { values, names } = this;
      const rows = names.map((_, i) => values.subarray(i * dof, (i + 1) * dof));
      drawMatrix(field.ctx, gridOf(field.width, this.height, dof, dof), rows, names, names);
    }
    this.say();
  }

  private get names(): string[] {
    const { robot } = this.session;
    return robot.joint_names.map((name) => jointName(robot, name));
  }

  private cells() {
    const dof = this.values ? this.session.robot.dof : 0;
    return { ...gridOf(this.canvas.clientWidth, this.height, dof, dof), rows: dof, columns: dof };
  }

  private point(cell: { i: number; k: number } | null): void {
    if (!this.values || !cell) return this.say();
    const { names } = this;
    text(this.read, `${names[cell.i]} by ${names[cell.k]}: ${number(this.values[cell.i * names.length + cell.k]!, 7)}`);
  }

  private say(): void {
    text(this.read, !this.session.engine ? noEngine : this.values ? "kg m², kg m and kg; blue below zero, orange above" : "no result at this state");
  }

  private save(): void {
    if (!this.values) return;
    const { dof, joint_names: names } = this.session.robot;
    const rows = names.map((name, i) => [name, ...Array.from(this.values!.subarray(i * dof, (i + 1) * dof))]);
    download(fileName(`${this.session.robot.name}_M`, "csv"), csvRows(["joint", ...names], rows), "text/csv");
  }
}

// M over time: one line an entry, one column a time.
export class MatrixOverTime {
  readonly node: HTMLElement;
  private readonly canvas = el("canvas", { class: "heat", role: "img", "aria-label": "Entries of the inertia matrix over time as colours" });
  private readonly read = el("div", { class: "heat-read", role: "status" });
  private times: Float64Array = new Float64Array(0);
  private entries: { i: number; k: number; values: Float64Array }[] = [];
  private stale = true;
  private readonly line = el("span", { class: "playhead" });
  private wide = 0; // pixels, when it was drawn
  private readonly margin = 44;
  private visible = false;

  constructor(private readonly session: Session) {
    this.node = el("section", { class: "card", "data-group": "M" },
      el("header", {}, el("h2", {}, "Inertia matrix over time", el("small", {}, " M")), button("CSV", () => this.save(), { class: "small", "data-csv": "M-time" })),
      el("div", { class: "heat-box" }, this.canvas, this.line), this.read);
    const again = () => { this.stale = true; this.run(); };
    session.on("scene", () => { this.node.hidden = !session.recording?.plays || !session.engine; again(); });
    session.on("robot", again);
    session.on("state", () => this.follow());
    onTheme(() => this.draw());
    new IntersectionObserver(([entry]) => { this.visible = entry!.isIntersecting; this.run(); }, { rootMargin: "100px" }).observe(this.node);
    new ResizeObserver(() => this.draw()).observe(this.canvas);
    this.canvas.addEventListener("pointermove", (event) => this.point(event));
    this.canvas.addEventListener("click", (event) => {
      const at = this.column(event.offsetX);
      if (at >= 0) session.setTime(this.times[at]!);
    });
  }

  private run(): void {
    if (!this.visible || !this.stale || !this.session.handle || !this.session.recording?.plays) return;
    this.stale = false;
    this.fill();
    this.draw();
  }

  private fill(): void {
    const { recording, robot, handle } = this.session;
    if (!recording || !handle || robot.nq !== this.session.scene.robot.nq) return;
    const count = Math.min(240, recording.count);
    const n = robot.dof;
    const pairs: [number, number][] = [];
    for (let i = 0; i < n; ++i) for (let k = i; k < (n > 8 ? i + 1 : n); ++k) pairs.push([i, k]);
    this.times = Float64Array.from({ length: count }, (_, s) => recording.start + ((recording.end - recording.start) * s) / (count - 1));
    this.entries = pairs.map(([i, k]) => ({ i, k, values: new Float64Array(count).fill(NaN) }));
    const q = Float64Array.from(this.session.q);
    for (let s = 0; s < count; ++s) {
      if (!recording.read("q", this.times[s]!, q)) continue;
      let M: Float64Array;
      try {
        M = handle.compute("inertia", { q });
      } catch {
        continue;
      }
      for (const { i, k, values } of this.entries) values[s] = M[i * n + k]!;
    }
    this.canvas.style.height = `${this.height()}px`;
  }

  private height(): number {
    return Math.max(60, Math.min(340, this.entries.length * 12));
  }

  private draw(): void {
    if (this.entries.length === 0 || !this.visible) return;
    const height = this.height();
    const field = prepare(this.canvas, height);
    if (!field) return;
    const { ctx, width } = field;
    this.wide = width;
    const size = height / this.entries.length;
    const wide = (width - this.margin) / this.times.length;
    ctx.font = "10px system-ui, sans-serif";
    ctx.textBaseline = "middle";
    this.entries.forEach(({ i, k, values }, row) => {
      const largest = values.reduce((most, value) => (Number.isFinite(value) ? Math.max(most, Math.abs(value)) : most), 0);
      values.forEach((value, s) => {
        ctx.fillStyle = Number.isFinite(value) ? diverging(largest > 0 ? value / largest : 0) : cssColor("--back");
        ctx.fillRect(this.margin + s * wide, row * size, wide + 0.6, Math.max(1, size - 0.6));
      });
      ctx.fillStyle = cssColor("--muted");
      if (size >= 9 || row % 5 === 0) ctx.fillText(`${i + 1},${k + 1}`, 2, (row + 0.5) * size);
    });
    text(this.read, "each entry of M in shares of its own largest; blue below zero, orange above");
    this.follow();
  }

  private follow(): void {
    if (!this.visible || this.entries.length === 0) return;
    const { recording, time, mode } = this.session;
    if (!recording) return;
    const share = (time - recording.start) / (recording.end - recording.start || 1);
    this.line.style.transform = `translateX(${(this.margin + share * (this.wide - this.margin)).toFixed(1)}px)`;
    this.line.style.opacity = mode === "play" ? "1" : "0";
  }

  private column(x: number): number {
    const at = Math.floor(((x - this.margin) / (this.canvas.clientWidth - this.margin)) * this.times.length);
    return at >= 0 && at < this.times.length ? at : -1;
  }

  private point(event: PointerEvent): void {
    const at = this.column(event.offsetX);
    const entry = this.entries[Math.floor((event.offsetY / this.height()) * this.entries.length)];
    if (at < 0 || !entry) return;
    text(this.read, `M ${entry.i + 1},${entry.k + 1} at ${number(this.times[at]!, 4)} s: ${number(entry.values[at]!, 6)}`);
  }

  private save(): void {
    if (this.stale) this.fill();
    download(fileName(`${this.session.scene.name}_M`, "csv"),
      csv(["t", ...this.entries.map(({ i, k }) => `M${i + 1}_${k + 1}`)], [this.times, ...this.entries.map(({ values }) => values)]), "text/csv");
  }
}

// A matrix of a result, with names beside its rows and above its columns.
export function matrixCard(title: string, rows: number[][], name: string, rowNames: string[], columnNames: string[]): HTMLElement {
  const canvas = el("canvas", { class: "heat", role: "img", "aria-label": `${title} as colours. Arrow keys go from entry to entry` });
  const height = 18 + Math.min(300, Math.max(40, rows.length * 24));
  canvas.style.height = `${height}px`;
  const columns = rows[0]?.length ?? 1;
  widen(canvas, columns);
  const read = el("div", { class: "heat-read", role: "status" });
  const draw = () => {
    const field = prepare(canvas, height);
    if (field) drawMatrix(field.ctx, gridOf(field.width, height, rows.length, columns), rows, rowNames, columnNames);
  };
  const box = cellBox(canvas, () => ({ ...gridOf(canvas.clientWidth, height, rows.length, columns), rows: rows.length, columns }), (cell) => {
    text(read, cell ? `${rowNames[cell.i] ?? cell.i + 1} by ${columnNames[cell.k] ?? cell.k + 1}: ${number(rows[cell.i]![cell.k]!, 9)}` : "");
  });
  onTheme(draw);
  new ResizeObserver(draw).observe(canvas);
  const save = () => download(fileName(name, "csv"),
    csvRows(["", ...rows[0]?.map((_, k) => columnNames[k] ?? String(k + 1)) ?? []], rows.map((row, i) => [rowNames[i] ?? String(i + 1), ...row])), "text/csv");
  return card(title, box, read, el("div", { class: "row" }, button("CSV", save, { class: "small" })));
}
