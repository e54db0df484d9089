// Let it fall: forward dynamics in real time, with the energy's account beside it; and the mouse that pulls the tool.
import uPlot from "uplot";
import { csv } from "./csv";
import { button, card, checkbox, download, el, fileName, text } from "./dom";
import type { Fall } from "./engine";
import { fixed, number } from "./format";
import { effortLimits, messageOf, noEngine, type Session } from "./session";
import type { Stage } from "./stage";
import { cssColor, jointColor, jointVariable, onTheme } from "./theme";

const step = 1e-3; // s, of the solver
const kept = 1500; // points of the energy's plot
const hint = "Drag the ring at the tool to pull it by a spring.";
const names = ["kinetic", "potential", "work done on it"] as const;

export class FallPanel {
  readonly node: HTMLElement;
  private fall: Fall | null = null;
  private damping = 0;
  private holdWeight = false;
  private pulled = false;
  private reference = 0; // potential energy at the start
  private history: number[][] = [[], [], [], [], []]; // t, kinetic, potential, work, balance
  private readonly figures = new Map<string, HTMLElement>();
  private readonly start: HTMLButtonElement;
  private readonly message = el("p", { class: "hint", role: "status" });
  private readonly holder = el("div", { class: "plot energy-plot" });
  private readonly hold: { node: HTMLElement; input: HTMLInputElement };
  private plot: uPlot | null = null;
  private sinceDraw = 0;
  private from: Float64Array | null = null; // where it began to fall
  private lately = { real: 0, simulated: 0 }; // s, since the pace was last said

  constructor(private readonly session: Session, private readonly stage: Stage) {
    this.start = button("Let it fall", () => (this.running ? this.stop() : this.begin()), { class: "primary", disabled: !session.engine });
    const list = el("dl", { class: "figures four" });
    for (const name of ["time", "kinetic energy", "potential energy", "energy balance"]) {
      const value = el("dd", {}, "–");
      this.figures.set(name, value);
      list.append(el("div", {}, el("dt", {}, name), value));
    }
    this.hold = checkbox("motors hold its weight", false, (on) => { this.holdWeight = on; });
    const damping = el("input", { type: "range", min: 0, max: 1, step: 0.01, value: 0, "aria-label": "Damping at the joints" });
    damping.addEventListener("input", () => { this.damping = Number(damping.value) ** 2; });
    const keys = el("div", {}, ...names.map((name, i) => {
      const swatch = el("i");
      swatch.style.background = jointVariable(i);
      return el("span", { class: "key" }, swatch, name);
    }));
    this.node = card("Let it fall",
      el("div", { class: "row" }, this.start, button("Back to the start", () => this.reset()), this.hold.node),
      el("div", { class: "row" }, el("label", { class: "check grow" }, el("span", {}, "damping"), damping), button("CSV", () => this.save(), { class: "small", "data-csv": "fall" })), list, this.holder, keys, this.message);
    text(this.message, session.engine ? hint : noEngine);
    session.on("release", () => this.stop());
    session.on("scene", () => { this.from = null; this.forget(); });
    session.on("robot", () => this.forget());
    session.on("mode", () => { if (session.mode !== "fall") this.stop(); });
    onTheme(() => this.plot?.redraw(false));
    new ResizeObserver(() => this.resize()).observe(this.holder);
  }

  get running(): boolean {
    return this.fall !== null;
  }

  begin(hold = this.holdWeight): void {
    const { session } = this;
    if (!session.handle) return;
    this.forget();
    this.from = Float64Array.from(session.q);
    try {
      this.fall = session.handle.fall(session.q, session.mode === "play" ? session.qd : new Float64Array(session.robot.dof));
    } catch (error) {
      text(this.message, messageOf(error));
      return;
    }
    this.holdWeight = this.hold.input.checked = hold;
    this.reference = this.fall.potential;
    session.setMode("fall");
    this.stage.extras?.forgetTrail();
    text(this.start, "Stop");
    text(this.message, hint);
  }

  stop(): void {
    this.fall?.free();
    this.fall = this.session.drive = null;
    text(this.start, "Let it fall");
    if (this.session.mode === "fall") this.session.setMode("live");
  }

  private forget(): void {
    this.stop();
    this.history = [[], [], [], [], []];
    this.lately = { real: 0, simulated: 0 };
    for (const figure of this.figures.values()) text(figure, "–");
    if (this.session.engine) text(this.message, hint);
    this.plot?.setData([[0, 1], [0, 0], [0, 0], [0, 0]]);
  }

  private reset(): void {
    this.forget();
    const { scene, robot } = this.session;
    this.stage.extras?.forgetTrail();
    const start = this.from?.length === robot.nq ? this.from : scene.q;
    if (start.length === robot.nq) this.session.setPosture(start);
  }

  setPulled(on: boolean): void {
    this.pulled = on;
    if (on && !this.running) this.begin(true);
  }

  // Called once a frame. Real time, unless the machine is too slow for it; then it says so.
  advance(seconds: number): void {
    const { fall, session } = this;
    if (!fall || !session.handle) return;
    const scale = massOf(session) * (this.stage.drawing?.reach ?? 1) ** 2;
    const damping = Math.max(this.damping, this.pulled ? 0.05 : 0) * scale;
    const until = performance.now() + 12;
    const before = fall.time;
    const limits = effortLimits(session.robot);
    const steps = Math.max(1, Math.round(Math.min(seconds, 0.05) / step));
    try {
      for (let i = 0; i < steps && performance.now() < until; ++i) {
        const tau = this.holdWeight ? withinLimits(session.handle.compute("gravity", { q: fall.q }), limits) : undefined;
        session.drive = tau ?? null;
        fall.step(step, { damping, wrenches: session.wrenches, ...(tau ? { tau } : {}) });
      }
    } catch (error) {
      this.stop();
      text(this.message, messageOf(error));
      return;
    }
    this.sayPace(seconds, fall.time - before);
    session.setPosture(fall.q, "fall", fall.qd, fall.base);
    this.record(fall, seconds);
  }

  private sayPace(real: number, simulated: number): void {
    this.lately.real += real;
    this.lately.simulated += simulated;
    if (this.lately.real < 0.5) return;
    const pace = this.lately.simulated / this.lately.real;
    text(this.message, pace < 0.9 ? `Slower than real time: ${number(pace, 2)} of its speed, as fast as this machine computes it.` : hint);
    this.lately = { real: 0, simulated: 0 };
  }

  private record(fall: Fall, seconds: number): void {
    const row = [fall.time, fall.kinetic, fall.potential - this.reference, fall.work, fall.balance];
    row.forEach((value, i) => {
      this.history[i]!.push(value);
      if (this.history[i]!.length > kept) this.history[i]!.shift();
    });
    this.say("time", `${fixed(fall.time, 2)} s`);
    this.say("kinetic energy", `${number(fall.kinetic, 4)} J`);
    this.say("potential energy", `${number(fall.potential - this.reference, 4)} J`);
    this.say("energy balance", `${number(fall.balance, 2)} J`);
    this.sinceDraw += seconds;
    if (this.sinceDraw < 0.1) return;
    this.sinceDraw = 0;
    if (!this.plot) this.resize();
    this.plot?.setData(this.history.slice(0, 4) as unknown as uPlot.AlignedData);
  }

  private say(name: string, words: string): void {
    text(this.figures.get(name)!, words);
  }

  private resize(): void {
    const width = this.holder.clientWidth;
    if (width < 50) return;
    if (this.plot) {
      if (this.plot.width !== width) this.plot.setSize({ width, height: 168 });
      return;
    }
    const ink = () => cssColor("--muted");
    const grid = { stroke: () => cssColor("--line"), width: 1 };
    const font = "11px system-ui, sans-serif";
    const axis = { stroke: ink, font, labelFont: font, grid, ticks: { show: false }, labelGap: -2 };
    this.plot = new uPlot({
      width, height: 168, legend: { show: false }, padding: [8, 12, 0, 0], cursor: { y: false },
      scales: { x: { time: false } },
      axes: [{ ...axis, size: 22, labelSize: 14, label: "time, s" }, { ...axis, size: 50, labelSize: 16, label: "J" }],
      series: [{}, ...names.map((label, i): uPlot.Series => ({ label, stroke: () => jointColor(i), width: 1.6, pxAlign: 0, points: { show: false } }))],
    }, [[0, 1], [0, 0], [0, 0], [0, 0]] as unknown as uPlot.AlignedData, this.holder);
    if (this.history[0]!.length > 0) this.plot.setData(this.history.slice(0, 4) as unknown as uPlot.AlignedData);
  }

  private save(): void {
    download(fileName(`${this.session.robot.name}_fall`, "csv"),
      csv(["t", "kinetic", "potential", "work", "balance"], this.history), "text/csv");
  }
}

// Motors give no more than their limits.
function withinLimits(tau: Float64Array, limits: (number | null)[]): Float64Array {
  return tau.map((value, i) => Math.max(-(limits[i] ?? Infinity), Math.min(limits[i] ?? Infinity, value)));
}

const massOf = (session: Session): number => session.robot.links.reduce((sum, link) => sum + link.mass, 0) || 1;

// How stiff the mouse's spring is: the robot's weight at a fifth of its reach.
export function stiffness(session: Session, reach: number): number {
  const gravity = Math.hypot(...session.robot.gravity) || 9.81;
  return (massOf(session) * gravity) / (0.2 * reach);
}
