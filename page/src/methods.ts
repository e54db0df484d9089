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
  numbers?: string; // of the bar
  standard?: boolean;
}

function bars(lines: Line[], head: string[], last = ""): HTMLElement {
  const total = (line: Line) => line.parts.reduce((sum, part) => sum + (part || 0), 0);
  const totals = lines.map(total).filter((sum) => sum > 0);
  const [least, largest] = [Math.min(...totals), Math.max(...totals, 1e-12)];
  const logarithmic = largest > 100 * least;
  // On a logarithmic scale the least has a tenth of the room, and parts share their bar as they are.
  const share = (sum: number) => (sum <= 0 ? 0 : logarithmic ? 0.1 + 0.9 * (Math.log(sum / least) / Math.log(largest / least)) : sum / largest);
  if (logarithmic) last = last ? `logarithmic scale; ${last}` : "logarithmic scale";
  const keys = el("div", { class: "keys-row" }, ...head.map((words, i) => {
    const swatch = el("i");
    swatch.style.background = jointVariable(i);
    return el("span", { class: "key" }, swatch, words);
  }), el("span", { class: "hint last" }, last));
  const box = el("div", { class: "bars" });
  for (const line of lines) {
    const strip = el("span", { class: "strip" });
    line.parts.forEach((part, i) => {
      const bar = el("i");
      bar.style.width = `${(100 * share(total(line)) * (part || 0)) / (total(line) || 1)}%`;
      bar.style.background = jointVariable(i);
      strip.append(bar);
    });
    box.append(el("div", { class: `bar-row${line.standard ? " standard" : ""}${line.numbers ? " numbered" : ""}`, title: line.title },
      el("span", { class: "name" }, line.name), strip, line.numbers ? el("span", { class: "value" }, line.numbers) : null, el("span", { class: "value" }, line.value)));
  }
  return el("div", {}, keys, box);
}

const operationWords = (one: { multiplications: number; additions: number }): string => `${count(one.multiplications)} × ${count(one.additions)} +`;
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
    const benchmarks = session.payload.benchmarks?.length ? benchmarkCard(session.payload.benchmarks) : null;
    session.on("scene", () => replace(this.node, live, compareCard(session), benchmarks));
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
      const state = { q: session.q, qd, qdd, tau, wrenches: session.scene.wrenches };
      const found = session.handle.compare(this.job, state);
      const mass = session.robot.links.reduce((sum, link) => sum + link.mass, 0);
      const zero = session.handle.compute(this.job, state).every((value) => Math.abs(value) < 1e-10 * Math.max(1, mass)); // but for rounding
      this.rows = found.map((one) => [one.name, one.multiplications, one.additions, one.disagreement, one.source]);
      const worst = Math.max(0, ...found.map((one) => (Number.isFinite(one.disagreement) ? one.disagreement : 0)));
      const standard = found.find((one) => one.standard)?.name ?? "";
      const differs = (value: number) => (zero ? "–" : number(value, 2));
      text(this.verdict, zero && found.length > 1 ? `${found.length} formulations; the result is zero here but for rounding, and there is nothing to compare.` : found.length === 1 ? "One formulation: there is nothing to compare it with."
        : `${found.length} formulations agree to ${number(worst, 2)}: this is the largest difference between their entries and those of ${standard}, the standard one, divided by the largest entry of ${standard}.`);
      replace(this.out, bars(found.map((one) => ({
        name: one.name, standard: one.standard, parts: [one.multiplications, one.additions],
        title: `${one.name}, ${one.source}: ${count(one.multiplications)} multiplications, ${count(one.additions)} additions; differs by ${differs(one.disagreement)}${one.error ? `; ${one.error}` : ""}`,
        numbers: operationWords(one),
        value: one.error ? "no result" : one.standard ? "standard" : differs(one.disagreement),
      })), operations, "differs by"));
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
    name: row.name, parts: parts(row), value: value(row), ...(parts(row).length > 1 ? { numbers: operationWords(row) } : {}),
    title: `${row.name}, ${row.source}: differs by ${row.disagreement === null ? "–" : number(row.disagreement, 2)}`,
  }));
  const save = () => download(fileName(`${comparison.robot}_${comparison.job}_compare`, "csv"),
    csvRows(["formulation", "disagreement", "multiplications", "additions", "ns"],
      comparison.rows.map((row) => [row.name, row.disagreement ?? NaN, row.multiplications, row.additions, row.ns ?? NaN])), "text/csv");
  return card(`Comparison of the program: ${comparison.job}, ${comparison.robot}`,
    bars(lines((row) => [row.multiplications, row.additions], (row) => (row.disagreement === null ? "–" : number(row.disagreement, 2))), operations, "differs by"),
    timed ? el("h3", {}, "Time of one call") : null,
    timed ? bars(lines((row) => [row.ns ?? 0], (row) => (row.ns === undefined ? "–" : `${number(row.ns, 4)} ns`)), ["nanoseconds"]) : null,
    el("div", { class: "row" }, button("CSV", save, { class: "small", "data-csv": "compare" })));
}

// One table at a time, one row of it at a time: bars by whose they are.
function benchmarkCard(benchmarks: Benchmark[]): HTMLElement {
  const out = el("div", {});
  const place = el("span", { class: "grow" });
  let [at, row] = [0, 0];
  const draw = () => {
    const benchmark = benchmarks[at]!;
    const one = benchmark.rows[row] ?? benchmark.rows[0];
    const given = Object.entries(one?.values ?? {}).filter((entry): entry is [string, number] => entry[1] !== null);
    replace(out, bars(given.map(([name, value]) => ({ name, parts: [value], value: number(value, 3), title: `${name}: ${number(value, 4)} ${benchmark.unit}` })), [benchmark.unit]),
      el("p", { class: "hint" }, benchmark.source));
  };
  const rows = () => {
    const names = benchmarks[at]!.rows.map((one, i): [string, string] => [String(i), one.name]);
    if (row >= names.length) row = 0;
    const choice = select("Row", names, String(row), (value) => { row = Number(value); draw(); });
    choice.style.width = "100%";
    replace(place, choice);
    draw();
  };
  const which = select("Benchmark", benchmarks.map((one, i): [string, string] => [String(i), one.title]), "0", (value) => { at = Number(value); rows(); }, { class: "grow" });
  const save = () => {
    const benchmark = benchmarks[at]!;
    const keys = [...new Set(benchmark.rows.flatMap((one) => Object.keys(one.values)))];
    download(fileName(benchmark.title, "csv"), csvRows(["name", ...keys], benchmark.rows.map((one) => [one.name, ...keys.map((key) => one.values[key] ?? NaN)])), "text/csv");
  };
  rows();
  return el("section", { class: "card" }, el("header", {}, el("h2", {}, "Benchmarks"), button("CSV", save, { class: "small", "data-csv": "benchmark" })),
    el("div", { class: "row" }, which, place), out);
}
