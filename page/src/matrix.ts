// The inertia matrix as colours: now, and over the time of a recording.
import { csv, csvRows } from "./csv";
import { button, card, download, el, fileName, text } from "./dom";
import { number } from "./format";
import { noEngine, type Session } from "./session";
import { cssColor, diverging, onTheme } from "./theme";

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

export class MatrixPanel {
  readonly node: HTMLElement;
  private readonly canvas = el("canvas", { class: "heat", role: "img", "aria-label": "Inertia matrix as colours; its numbers are in the table" });
  private readonly read = el("div", { class: "heat-read" });
  private values: Float64Array | null = null;
  private readonly height = 240;

  constructor(private readonly session: Session) {
    this.canvas.style.height = `${this.height}px`;
    this.node = el("section", { class: "card" },
      el("header", {}, el("h2", {}, "Inertia matrix", el("small", {}, " M(q)")), button("CSV", () => this.save(), { class: "small", "data-csv": "M" })),
      this.canvas, this.read);
    this.canvas.addEventListener("pointermove", (event) => this.point(event));
    this.canvas.addEventListener("pointerleave", () => this.say());
    onTheme(() => this.update());
    new ResizeObserver(() => this.update()).observe(this.canvas);
  }

  update(): void {
    if (!this.session.opened || this.canvas.clientWidth === 0) return;
    this.values = this.session.compute("inertia");
    const { dof } = this.session.robot;
    const field = prepare(this.canvas, this.height);
    if (field && this.values) this.draw(field.ctx, field.width, dof);
    this.say();
  }

  private cell(width: number, dof: number): { size: number; wide: number; left: number } {
    const size = this.height / dof;
    const wide = Math.min(width / dof, Math.max(size, 78));
    return { size, wide, left: (width - wide * dof) / 2 };
  }

  private draw(ctx: CanvasRenderingContext2D, width: number, dof: number): void {
    const values = this.values!;
    const largest = Math.max(...Array.from(values, Math.abs));
    const { size, wide, left } = this.cell(width, dof);
    const gap = size > 12 ? 1 : 0;
    ctx.font = "11px system-ui, sans-serif";
    ctx.textAlign = "center";
    ctx.textBaseline = "middle";
    for (let i = 0; i < dof; ++i)
      for (let k = 0; k < dof; ++k) {
        const value = values[i * dof + k]!;
        const colour = shade(value, largest);
        ctx.fillStyle = diverging(colour);
        ctx.fillRect(left + k * wide, i * size, wide - gap, size - gap);
        if (wide < 46 || size < 14) continue;
        ctx.fillStyle = Math.abs(colour) > 0.62 ? "#ffffff" : cssColor("--text");
        ctx.fillText(number(value, 3), left + (k + 0.5) * wide, (i + 0.5) * size);
      }
  }

  private point(event: PointerEvent): void {
    const { dof, joint_names: names } = this.session.robot;
    if (!this.values) return;
    const { size, wide, left } = this.cell(this.canvas.clientWidth, dof);
    const i = Math.floor(event.offsetY / size);
    const k = Math.floor((event.offsetX - left) / wide);
    if (i < 0 || k < 0 || i >= dof || k >= dof) return this.say();
    text(this.read, `${names[i]} by ${names[k]}: ${number(this.values[i * dof + k]!, 7)}`);
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
  private readonly read = el("div", { class: "heat-read" });
  private times: Float64Array = new Float64Array(0);
  private entries: { i: number; k: number; values: Float64Array }[] = [];
  private stale = true;
  private readonly line = el("span", { class: "playhead" });
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
    this.line.style.transform = `translateX(${(this.margin + share * (this.canvas.clientWidth - this.margin)).toFixed(1)}px)`;
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

// A matrix of a result, with its numbers behind a button.
export function matrixCard(title: string, rows: number[][], name: string): HTMLElement {
  const canvas = el("canvas", { class: "heat", role: "img", "aria-label": `${title} as colours` });
  const height = Math.min(200, Math.max(90, rows.length * 24));
  canvas.style.height = `${height}px`;
  const draw = () => {
    const field = prepare(canvas, height);
    if (!field) return;
    const largest = Math.max(...rows.flat().map(Math.abs), 0);
    const size = height / rows.length;
    const wide = field.width / (rows[0]?.length ?? 1);
    field.ctx.font = "11px system-ui, sans-serif";
    field.ctx.textAlign = "center";
    field.ctx.textBaseline = "middle";
    rows.forEach((row, i) => row.forEach((value, k) => {
      const colour = shade(value, largest);
      field.ctx.fillStyle = diverging(colour);
      field.ctx.fillRect(k * wide, i * size, wide - 1, size - 1);
      if (wide < 46 || size < 14) return;
      field.ctx.fillStyle = Math.abs(colour) > 0.62 ? "#ffffff" : cssColor("--text");
      field.ctx.fillText(number(value, 3), (k + 0.5) * wide, (i + 0.5) * size);
    }));
  };
  onTheme(draw);
  new ResizeObserver(draw).observe(canvas);
  const save = () => download(fileName(name, "csv"), csvRows(rows[0]?.map((_, k) => String(k + 1)) ?? [], rows), "text/csv");
  return card(title, canvas, el("div", { class: "row" }, button("CSV", save, { class: "small" })));
}
