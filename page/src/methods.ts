// Formulations side by side: what they count on this robot, how far they agree, and how fast the page computes.
import { csvRows } from "./csv";
import type { Benchmark, CompareRow } from "./data";
import { button, card, download, el, fileName, replace, select, text } from "./dom";
import { count, number, rate } from "./format";
import { Rest } from "./rest";
import { messageOf, noEngine, type Session } from "./session";
import { jointVariable } from "./theme";

interface Line {
  name: string;
  title: string;
  parts: number[];
  value: string;
  standard?: boolean;
}

function bars(lines: Line[], head: string[]): HTMLElement {
  const largest = Math.max(...lines.map((line) => line.parts.reduce((sum, part) => sum + (part || 0), 0)), 1e-12);
  const keys = el("div", {}, ...head.map((words, i) => {
    const swatch = el("i");
    swatch.style.background = jointVariable(i);
    return el("span", { class: "key" }, swatch, words);
  }));
  const box = el("div", { class: "bars" });
  for (const line of lines) {
    const strip = el("span", { class: "strip" });
    line.parts.forEach((part, i) => {
      const bar = el("i");
      bar.style.width = `${(100 * (part || 0)) / largest}%`;
      bar.style.background = jointVariable(i);
      strip.append(bar);
    });
    box.append(el("div", { class: line.standard ? "bar-row standard" : "bar-row", title: line.title },
      el("span", { class: "name" }, line.name), strip, el("span", { class: "value" }, line.value)));
  }
  return el("div", {}, keys, box);
}

const operations = ["multiplications", "additions"];

export class MethodsPanel {
  readonly node: HTMLElement;
  private readonly choice: HTMLSelectElement;
  private readonly out = el("div", { class: "agreement" });
  private readonly verdict = el("p", { class: "hint", role: "status" });
  private job = "inverse";
  private rows: (string | number)[][] = [];
  private readonly rest = new Rest(() => this.run(), 300);
  private readonly speed = el("p", { class: "hint", role: "status" });

  constructor(private readonly session: Session) {
    const jobs = session.engine?.jobs() ?? [];
    this.choice = select("Job", jobs.map((job) => [job.name, `${job.name}: ${job.words}`]), "inverse", (job) => { this.job = job; this.run(); });
    this.choice.style.maxWidth = "100%";
    this.choice.style.width = "100%";
    const live = el("section", { class: "card" },
      el("header", {}, el("h2", {}, "Formulations at this state"), button("CSV", () => this.save(), { class: "small", "data-csv": "methods" })),
      session.engine ? this.choice : el("p", { class: "hint" }, noEngine), this.verdict, this.out,
      session.engine ? el("div", { class: "row" }, button("Measure the speed in this page", () => this.measure()), this.speed) : null);
    this.node = el("div", {}, live);
    session.on("scene", () => replace(this.node, live, compareCard(session), ...(session.payload.benchmarks ?? []).map(benchmarkCard)));
  }

  update(): void {
    this.rest.ask();
  }

  private run(): void {
    const { session } = this;
    if (!session.handle || session.broken) return;
    const { qd, qdd } = session.motion();
    try {
      const tau = new Float64Array(session.robot.dof);
      const found = session.handle.compare(this.job, { q: session.q, qd, qdd, tau, wrenches: session.scene.wrenches });
      this.rows = found.map((one) => [one.name, one.multiplications, one.additions, one.disagreement, one.source]);
      const worst = Math.max(0, ...found.map((one) => (Number.isFinite(one.disagreement) ? one.disagreement : 0)));
      text(this.verdict, `${found.length} formulation${found.length === 1 ? "" : "s"}; they agree to ${number(worst, 2)} of the largest entry.`);
      replace(this.out, bars(found.map((one) => ({
        name: one.name, standard: one.standard, parts: [one.multiplications, one.additions],
        title: `${one.name}, ${one.source}: ${count(one.multiplications)} multiplications, ${count(one.additions)} additions; differs by ${number(one.disagreement, 2)}${one.error ? `; ${one.error}` : ""}`,
        value: one.error ? "no result" : one.standard ? "standard" : number(one.disagreement, 2),
      })), operations));
    } catch (error) {
      text(this.verdict, messageOf(error));
      replace(this.out);
    }
  }

  private measure(): void {
    const { handle } = this.session;
    if (!handle) return;
    text(this.speed, "measuring …");
    setTimeout(() => {
      const perSecond = handle.throughput(this.job, 0.4);
      this.speed.dataset["value"] = String(perSecond);
      text(this.speed, `${this.job}: ${rate(perSecond)}`);
    }, 30);
  }

  private save(): void {
    download(fileName(`${this.session.robot.name}_${this.job}`, "csv"),
      csvRows(["formulation", "multiplications", "additions", "disagreement", "source"], this.rows), "text/csv");
  }
}

function compareCard(session: Session): HTMLElement | null {
  const comparison = session.scene.compare;
  if (!comparison) return null;
  const timed = comparison.rows.some((row) => row.ns !== undefined);
  const lines = (parts: (row: CompareRow) => number[], value: (row: CompareRow) => string) => comparison.rows.map((row) => ({
    name: row.name, parts: parts(row), value: value(row),
    title: `${row.name}, ${row.source}: differs by ${row.disagreement === null ? "–" : number(row.disagreement, 2)}`,
  }));
  const save = () => download(fileName(`${comparison.robot}_${comparison.job}_compare`, "csv"),
    csvRows(["formulation", "disagreement", "multiplications", "additions", "ns"],
      comparison.rows.map((row) => [row.name, row.disagreement ?? NaN, row.multiplications, row.additions, row.ns ?? NaN])), "text/csv");
  return card(`Comparison of the program: ${comparison.job}, ${comparison.robot}`,
    bars(lines((row) => [row.multiplications, row.additions], (row) => (row.disagreement === null ? "–" : number(row.disagreement, 2))), operations),
    timed ? el("h3", {}, "Time of one call") : null,
    timed ? bars(lines((row) => [row.ns ?? 0], (row) => (row.ns === undefined ? "–" : `${number(row.ns, 4)} ns`)), ["nanoseconds"]) : null,
    el("div", { class: "row" }, button("CSV", save, { class: "small", "data-csv": "compare" })));
}

function benchmarkCard(benchmark: Benchmark): HTMLElement {
  const keys = [...new Set(benchmark.rows.flatMap((row) => Object.keys(row.values)))];
  const many = keys.length > 1;
  const lines = benchmark.rows.flatMap((row) => keys.filter((key) => row.values[key] !== undefined && row.values[key] !== null).map((key) => ({
    name: many ? `${row.name}, ${key}` : row.name, title: `${row.name}, ${key}`,
    parts: keys.map((one) => (one === key ? row.values[key]! : 0)), value: `${number(row.values[key]!, 3)} ${benchmark.unit}`,
  })));
  const save = () => download(fileName(benchmark.title, "csv"),
    csvRows(["name", ...keys], benchmark.rows.map((row) => [row.name, ...keys.map((key) => row.values[key] ?? NaN)])), "text/csv");
  return card(benchmark.title, bars(lines, keys), el("p", { class: "hint" }, benchmark.source),
    el("div", { class: "row" }, button("CSV", save, { class: "small" })));
}
