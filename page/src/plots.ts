// Plots over time, one for each kind of quantity, under one cursor with the animation.
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { csv } from "./csv";
import type { ColumnGroup } from "./data";
import { button, download, el, fileName, replace, text } from "./dom";
import { number, unitWords } from "./format";
import type { Recording, Track } from "./recording";
import { isWanted, trackingErrors, wantedDash, wantedOf, wantedWord, type TrackSet } from "./reference";
import { effortLimits, jointName, type Session } from "./session";
import { cssColor, jointColor, jointDash, jointVariable, onTheme } from "./theme";

const titles: [ColumnGroup, string, string][] = [
  ["q", "Positions", "q"], ["frame", "Position of the frame", "p"], ["tree", "Positions that follow from loops", "q"], ["qd", "Velocities", "q̇"], ["qdd", "Accelerations", "q̈"], ["tau", "Torques", "τ"],
  ["power", "Power", "P"], ["energy", "Energy", "E"], ["balance", "Energy balance error", "ΔE"], ["other", "Other columns", ""],
];
const height = 168;
const pace = 100; // ms

class Plot {
  readonly node: HTMLElement;
  plot: uPlot | null = null;
  private readonly holder = el("div", { class: "plot" });
  private readonly head = el("span", { class: "playhead", "aria-hidden": "true" });
  private readonly legend = el("div", { class: "legend" });
  private readonly values: { track: Track; node: HTMLElement; item: HTMLElement; hidden: boolean }[] = [];
  private readonly units: string[];
  private from = -Infinity; // what of the recording is in the plot's data
  private to = Infinity;
  visible = false;
  private said = -Infinity; // when the numbers were written
  private later = 0; // they will be

  constructor(private readonly all: Plots, readonly group: ColumnGroup, title: string, symbol: string, readonly tracks: Track[], hint = "") {
    this.units = [...new Set(tracks.map((track) => track.column.unit))];
    this.legend.classList.toggle("words", tracks.every((track) => track.column.joint < 0)); // no names of joints, but sentences
    const wanted = tracks.filter(isWanted);
    const words = group === "tau" ? this.limitWords() : wanted.length > 0 ? `dashed: ${wantedWord(wanted)}` : hint;
    for (const track of tracks) this.legend.append(this.legendItem(track, this.nameOf(track)));
    const holder = { role: "img", tabindex: "0", "aria-label": `${title} over time. Enter zooms in about the time shown, Escape shows all` };
    for (const [name, value] of Object.entries(holder)) this.holder.setAttribute(name, value);
    this.holder.addEventListener("keydown", (event) => this.key(event));
    this.node = el("section", { class: "card plot-card", "data-group": group, "aria-label": title },
      el("header", {}, el("h2", {}, title, el("small", {}, symbol && ` ${symbol}`)), el("span", { class: "hint" }, words),
        button("CSV", () => this.save(), { class: "small", title: `Save ${title.toLowerCase()} as CSV`, "data-csv": group })),
      this.holder, this.legend);
  }

  private legendItem(track: Track, short: string): HTMLElement {
    const { column } = track;
    const value = el("span", { class: "value" });
    const swatch = el("span", { class: "swatch" });
    const item = el("button", { type: "button", class: "legend-item", title: `${column.label}: show or hide`, "aria-pressed": "true" },
      swatch, el("span", { class: "name" }, short), value);
    const entry = { track, node: value, item, hidden: false };
    swatch.style.borderTopColor = jointVariable(this.place(track));
    swatch.style.borderTopStyle = this.dash(track).length > 0 ? "dashed" : "solid";
    item.addEventListener("click", () => {
      entry.hidden = !entry.hidden;
      item.setAttribute("aria-pressed", String(!entry.hidden));
      this.plot?.setSeries(this.tracks.indexOf(track) + 1, { show: !entry.hidden });
    });
    item.addEventListener("pointerenter", () => this.all.session.setEmphasis(column.group === "tree" ? -1 : column.joint));
    item.addEventListener("pointerleave", () => this.all.session.setEmphasis(-1));
    this.values.push(entry);
    return item;
  }

  private nameOf(track: Track): string {
    return (isWanted(track) ? "ref. " : "") + jointName(this.all.session.scene.robot, track.column.label);
  }

  private dash(track: Track): number[] {
    return isWanted(track) ? wantedDash : jointDash(track.column.joint);
  }

  private place(track: Track): number {
    return track.column.joint >= 0 ? track.column.joint : this.tracks.filter((one) => one.column.group === track.column.group).indexOf(track);
  }

  private color(track: Track): string {
    return jointColor(this.place(track));
  }

  private limitOf(track: Track): number | null {
    return this.group === "tau" ? effortLimits(this.all.session.scene.robot)[track.column.joint] ?? null : null;
  }

  private limitWords(): string {
    const known = [...new Set(this.tracks.map((track) => this.limitOf(track)).filter((limit) => limit !== null))];
    if (known.length === 0) return "";
    const over = this.tracks.filter((track) => {
      const limit = this.limitOf(track) ?? Infinity;
      return track.values.some((value) => Math.abs(value) > limit);
    });
    const words = `limits ±${known.slice(0, 3).map((limit) => number(limit)).join(", ±")}${known.length > 3 ? ", …" : ""}`;
    return over.length > 0 ? `${words}; over its limit: ${over.map((track) => this.nameOf(track)).slice(0, 3).join(", ")}${over.length > 3 ? " …" : ""}` : words;
  }

  build(): void {
    if (this.plot || this.holder.clientWidth < 50) return;
    const { start, end } = this.all.recording;
    this.plot = new uPlot(this.options(), this.data(start, end), this.holder);
    this.plot.over.append(this.head);
    this.plot.over.addEventListener("click", () => this.seek());
    this.follow();
  }

  private data(from: number, to: number): uPlot.AlignedData {
    const { recording } = this.all;
    const picked = thin(recording, this.tracks.map((track) => track.values), from, to);
    return [picked.t, ...picked.columns.map(drawable)] as unknown as uPlot.AlignedData;
  }

  // A long recording is drawn by its least and largest values a pixel: those of what is in view.
  private zoomed(u: uPlot): void {
    const { min, max } = u.scales["x"]!;
    if (min === undefined || max === undefined || min === null || max === null) return;
    this.all.zoom(this, min, max);
    if (this.all.recording.count > thick && u === this.plot && (min !== this.from || max !== this.to)) {
      [this.from, this.to] = [min, max];
      u.setData(this.data(min, max), false);
      u.redraw(true);
    }
    this.follow();
  }

  // Enter zooms in about the time that is shown, Escape shows all.
  private key(event: KeyboardEvent): void {
    if (!this.plot || (event.key !== "Enter" && event.key !== "Escape")) return;
    const { recording, session } = this.all;
    const { min, max } = this.plot.scales["x"]!;
    const half = event.key === "Enter" ? ((max ?? recording.end) - (min ?? recording.start)) / 4 : Infinity;
    this.plot.setScale("x", { min: Math.max(recording.start, session.time - half), max: Math.min(recording.end, session.time + half) });
    event.preventDefault();
  }

  private seek(): void {
    const { left } = this.plot!.cursor;
    if (left === undefined || left < 0 || this.plot!.select.width > 0) return;
    this.all.session.setTime(this.plot!.posToVal(left, "x"));
  }

  private options(): uPlot.Options {
    const ink = () => cssColor("--muted");
    const lines = { stroke: () => cssColor("--line"), width: 1 };
    const font = "11px system-ui, sans-serif";
    const [first, second] = this.units;
    const axis = (unit: string, side: 1 | 3): uPlot.Axis => ({
      scale: scaleOf(unit), side, stroke: ink, font, labelFont: font, label: unitWords(unit) || " ", labelSize: 16, labelGap: -2, size: 50,
      grid: side === 3 ? lines : { show: false }, ticks: { show: false }, values: (_u, ticks) => ticks.map(tick),
    });
    return {
      width: this.holder.clientWidth, height, legend: { show: false }, padding: [8, second === undefined ? 12 : 0, 0, 0],
      cursor: { sync: { key: "catena" }, drag: { x: true, y: false, setScale: true }, points: { size: 5 }, y: false },
      scales: { x: { time: false }, ...Object.fromEntries(this.units.map((unit) => [scaleOf(unit), { range: wide }])) },
      axes: [
        { stroke: ink, font, labelFont: font, grid: lines, ticks: { show: false }, size: 22, labelSize: 14, labelGap: -2,
          label: this.all.recording.timed ? "time, s" : "sample" },
        axis(first ?? "", 3), ...(second === undefined ? [] : [axis(second, 1)]),
      ],
      series: [{}, ...this.tracks.map((track): uPlot.Series => ({
        label: track.column.label, scale: scaleOf(track.column.unit), stroke: () => this.color(track), width: 1.6, pxAlign: 0,
        dash: this.dash(track), points: { show: this.all.recording.count < 3 },
      }))],
      hooks: {
        drawClear: [(u) => this.shade(u)],
        draw: [() => this.follow()], // its scales are known now
        setScale: [(u, key) => { if (key === "x") queueMicrotask(() => this.zoomed(u)); }],
      },
    };
  }

  // Each joint's own limit is a dashed line of its colour; where joints share one, their dashes take turns. A bar on the
  // time axis says when a joint is beyond its own.
  private shade(u: uPlot): void {
    if (this.group !== "tau") return;
    const { ctx, bbox } = u;
    ctx.save();
    ctx.beginPath();
    ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
    ctx.clip();
    const limited = this.tracks.filter((track, i) => this.limitOf(track) !== null && !this.values[i]!.hidden);
    const ratio = window.devicePixelRatio || 1;
    const dash = 7 * ratio;
    ctx.lineWidth = 1.2 * ratio;
    for (const track of limited) {
      const limit = this.limitOf(track)!;
      const sharing = limited.filter((one) => one.column.unit === track.column.unit && this.limitOf(one) === limit);
      ctx.strokeStyle = this.color(track);
      ctx.setLineDash([dash, sharing.length * 1.6 * dash - dash]);
      ctx.lineDashOffset = -sharing.indexOf(track) * 1.6 * dash;
      for (const sign of [1, -1]) {
        const y = u.valToPos(sign * limit, scaleOf(track.column.unit), true);
        ctx.beginPath();
        ctx.moveTo(bbox.left, y);
        ctx.lineTo(bbox.left + bbox.width, y);
        ctx.stroke();
      }
      this.markOver(u, track, limit);
    }
    ctx.restore();
  }

  private markOver(u: uPlot, track: Track, limit: number): void {
    const { ctx, bbox } = u;
    const { t } = this.all.recording;
    ctx.fillStyle = this.color(track);
    let from = -1;
    for (let i = 0; i <= t.length; ++i) {
      const over = i < t.length && Math.abs(track.values[i]!) > limit;
      if (over && from < 0) from = i;
      if (over || from < 0) continue;
      const [a, b] = [t[from]!, t[i - 1]!].map((time) => u.valToPos(time, "x", true)) as [number, number];
      ctx.fillRect(a, bbox.top + bbox.height - 4, Math.max(2, b - a), 4);
      from = -1;
    }
  }

  // The numbers beside the names change no faster than they can be read, while it plays.
  follow(whole = true): void {
    if (!this.plot || !this.visible) return;
    const { session, recording } = this.all;
    const x = this.plot.valToPos(session.time, "x");
    const inside = x >= 0 && x <= this.plot.bbox.width / (window.devicePixelRatio || 1); // asking the element would lay out the page
    this.head.style.transform = `translateX(${x.toFixed(1)}px)`;
    this.head.style.opacity = inside && session.mode === "play" ? "1" : "0";
    const now = performance.now();
    if (!whole && now - this.said < pace) {
      this.later ||= window.setTimeout(() => { this.later = 0; this.follow(); }, pace);
      return;
    }
    this.said = now;
    const at = recording.nearest(session.time);
    for (const { track, node } of this.values) {
      const [value, limit] = [track.values[at]!, this.limitOf(track)];
      text(node, limit === null ? number(value) : `${number(value)} of ±${number(limit)}`);
      node.classList.toggle("over", limit !== null && Math.abs(value) > limit);
    }
  }

  resize(): void {
    if (!this.plot) this.build();
    else if (this.holder.clientWidth > 50 && this.holder.clientWidth !== this.plot.width)
      this.plot.setSize({ width: this.holder.clientWidth, height });
    this.follow();
  }

  text(): string {
    return csv(["t", ...this.tracks.map((track) => track.column.name)], [this.all.recording.t, ...this.tracks.map((track) => track.values)]);
  }

  private save(): void {
    download(fileName(`${this.all.session.scene.name}_${this.group}`, "csv"), this.text(), "text/csv");
  }

  destroy(): void {
    this.plot?.destroy();
    this.plot = null;
  }
}

export class Plots {
  readonly node = el("div", { class: "plots" });
  recording!: Recording;
  plots: Plot[] = [];
  readonly sources: ((recording: Recording) => TrackSet[])[] = [trackingErrors]; // lines that follow from the columns
  private zooming = false;
  private readonly seen = new IntersectionObserver((entries) => {
    for (const entry of entries) {
      const plot = this.plots.find((one) => one.node === entry.target);
      if (!plot) continue;
      plot.visible = entry.isIntersecting;
      if (plot.visible) plot.resize();
    }
  }, { rootMargin: "120px" });

  constructor(readonly session: Session, private readonly playing: () => boolean = () => false) {
    session.on("scene", () => this.setScene());
    session.on("state", () => { for (const plot of this.plots) plot.follow(!this.playing()); });
    onTheme(() => { for (const plot of this.plots) plot.plot?.redraw(false); });
    new ResizeObserver(() => { for (const plot of this.plots) if (plot.visible) plot.resize(); }).observe(this.node);
  }

  setScene(): void {
    for (const plot of this.plots) plot.destroy();
    this.seen.disconnect();
    this.plots = [];
    const { recording } = this.session;
    if (!recording) {
      replace(this.node, el("p", { class: "empty" }, this.session.scene.samples ? "This result has no samples." : "This scene has no motion: nothing to plot over time."));
      return;
    }
    this.recording = recording;
    const derived = this.sources.flatMap((source) => source(recording));
    for (const [group, title, symbol] of titles) {
      const tracks = [...recording.of(group), ...wantedOf(recording, group)];
      const units = group === "other" ? [...new Set(tracks.map((track) => track.column.unit))] : [""];
      for (const unit of tracks.length > 0 ? units : [])
        this.plots.push(new Plot(this, group, title, symbol, group === "other" ? tracks.filter((track) => track.column.unit === unit) : tracks));
      for (const set of derived.filter(({ after }) => after === group)) this.plots.push(new Plot(this, set.group, set.title, set.symbol, set.tracks, set.hint));
    }
    const events = recording.events.length === 0 ? null : this.events(recording);
    replace(this.node, ...this.plots.map((plot) => plot.node), events);
    for (const plot of this.plots) this.seen.observe(plot.node);
    requestAnimationFrame(() => this.buildInView());
  }

  // The observer comes late on a busy machine.
  private buildInView(): void {
    for (const plot of this.plots) {
      const { top, bottom, width } = plot.node.getBoundingClientRect();
      if (width === 0 || bottom < 0 || top > window.innerHeight) continue;
      plot.visible = true;
      plot.resize();
    }
  }

  private events(recording: Recording): HTMLElement {
    const list = el("ol", { class: "event-list" });
    for (const event of recording.events.slice(0, 200))
      list.append(el("li", {}, button(`${number(event.t, 6)} s`, () => this.session.setTime(event.t), { class: "link" }), ` ${event.text}`));
    return el("section", { class: "card" }, el("h2", {}, "Events"), list);
  }

  zoom(from: Plot, min: number, max: number): void {
    if (this.zooming) return;
    this.zooming = true;
    for (const plot of this.plots)
      if (plot !== from && plot.plot) plot.plot.setScale("x", { min, max });
    this.zooming = false;
  }
}

const thick = 6000; // samples that are drawn as they are
const buckets = 1500;

// The same motion with fewer points: of each bucket the least and the largest value, in their order. What lies outside
// the view keeps one point on each side, so that lines go on.
function thin(recording: Recording, columns: Float64Array[], from: number, to: number): { t: Float64Array; columns: Float64Array[] } {
  const first = Math.max(0, recording.index(from) - 1);
  const last = Math.min(recording.count - 1, recording.index(to) + 2);
  if (recording.count <= thick) return { t: recording.t, columns };
  const ends = [0, recording.count - 1]; // so that a double click finds the whole
  const size = Math.ceil((last - first + 1) / buckets);
  const starts: number[] = [];
  for (let i = first; i <= last; i += size) starts.push(i);
  const place = (values: Float64Array) => {
    const out = new Float64Array(2 * starts.length + 2);
    out[0] = values[ends[0]!]!;
    starts.forEach((begin, k) => {
      let [least, largest] = [begin, begin];
      for (let i = begin + 1; i < Math.min(last + 1, begin + size); ++i) {
        if (!(values[i]! >= values[least]!)) least = i; // a number that is none is kept, to leave its gap
        if (!(values[i]! <= values[largest]!)) largest = i;
      }
      out[2 * k + 1] = values[Math.min(least, largest)]!;
      out[2 * k + 2] = values[Math.max(least, largest)]!;
    });
    out[out.length - 1] = values[ends[1]!]!;
    return out;
  };
  const t = new Float64Array(2 * starts.length + 2);
  t[0] = recording.t[ends[0]!]!;
  starts.forEach((begin, k) => {
    const end = Math.min(last, begin + size - 1);
    t[2 * k + 1] = recording.t[begin]!;
    t[2 * k + 2] = size === 1 ? recording.t[begin]! : recording.t[end]!;
  });
  t[t.length - 1] = recording.t[ends[1]!]!;
  return { t, columns: columns.map(place) };
}

const scaleOf = (unit: string): string => `y ${unit}`;

// uPlot leaves gaps where there is null; numbers that are none would spoil its scales.
function drawable(values: Float64Array): ArrayLike<number | null> {
  let whole = true;
  for (let i = 0; whole && i < values.length; ++i) whole = Number.isFinite(values[i]!);
  return whole ? values : Array.from(values, (value) => (Number.isFinite(value) ? value : null));
}

function wide(_u: uPlot, min: number | null, max: number | null): [number, number] {
  if (min === null || max === null || !Number.isFinite(min) || !Number.isFinite(max)) return [-1, 1];
  const span = max - min;
  if (span <= 1e-12 * Math.max(Math.abs(min), Math.abs(max))) {
    const pad = Math.abs(max) * 0.1 || 1;
    return [min - pad, max + pad];
  }
  return [min - 0.06 * span, max + 0.06 * span];
}

function tick(value: number): string {
  const size = Math.abs(value);
  if (value !== 0 && (size >= 1e5 || size < 1e-3)) return value.toExponential(0).replace("-", "\u2212").replace("e-", "e\u2212").replace("e+", "e");
  return String(Number(value.toPrecision(6))).replace("-", "\u2212");
}
