// Joints by hand: a slider for each, and beside it the torque that holds the robot there.
import { button, card, checkbox, el, text } from "./dom";
import { degrees, effortUnit, fixed, radians } from "./format";
import { effortLimits, jointName, noEngine, type Session } from "./session";
import { jointVariable } from "./theme";

interface Row {
  place: number; // in q
  joint: number; // in tau
  turns: boolean;
  name: string;
  slider: HTMLInputElement;
  input: HTMLInputElement;
  whole: HTMLElement;
  rest: HTMLElement;
  bar: HTMLElement;
}

export class JointsPanel {
  readonly node: HTMLElement;
  private rows: Row[] = [];
  private readonly list = el("div", { class: "joints", role: "group", "aria-label": "Joint positions" });
  private readonly note = el("p", { class: "hint" });
  private inDegrees = true;

  constructor(private readonly session: Session) {
    const unit = checkbox("degrees", true, (on) => { this.inDegrees = on; this.update(); });
    this.node = card("Joints and the torques that hold them", this.list,
      el("div", { class: "row" }, button("Zero", () => this.set(() => 0)), button("Start", () => this.start()),
        button("Random", () => this.random()), unit.node), this.note);
    session.on("robot", () => this.rebuild());
    session.on("emphasis", () => this.rows.forEach((row) => {
      (row.slider.closest(".joint") as HTMLElement).style.background = row.joint === session.emphasis ? "var(--raised)" : "";
    }));
  }

  private set(value: (row: Row) => number): boolean {
    const q = Float64Array.from(this.session.q);
    for (const row of this.rows) q[row.place] = clamp(value(row), Number(row.slider.min), Number(row.slider.max));
    return this.session.setPosture(q);
  }

  // Closed loops close at some of the positions that the limits allow.
  private random(): void {
    for (let tries = 0; tries < 30; ++tries) if (this.set((row) => random(row.slider))) return;
  }

  private start(): void {
    const { scene, robot } = this.session;
    if (scene.q.length === robot.nq) this.session.setPosture(scene.q);
  }

  private rebuild(): void {
    const { robot } = this.session;
    const shown = robot.joints.filter((joint) => joint.q >= 0 && (joint.type === "revolute" || joint.type === "prismatic"));
    const heading = (words: string, more = "") => el("span", { class: more }, words);
    this.list.replaceChildren(el("div", { class: "joint head", "aria-hidden": "true" },
      heading("joint"), heading("", "slide"), heading("position"), heading("holding torque", "torque")));
    this.rows = shown.map((joint) => {
      const turns = joint.type === "revolute";
      const room = turns ? Math.PI : 1;
      const lower = joint.lower ?? -room;
      const upper = joint.upper ?? room;
      const slider = el("input", { type: "range", min: lower, max: Math.max(upper, lower), step: "any", "aria-label": `${joint.name}, ${turns ? "radians" : "metres"}` });
      const input = el("input", { type: "number", step: "any" });
      slider.disabled = input.disabled = !this.session.movable;
      const dot = el("span", { class: "dot" });
      dot.style.background = jointVariable(joint.v);
      const [whole, rest, bar] = [el("span"), el("small"), el("i")];
      const unit = el("small", {}, ` ${effortUnit(robot.units[joint.v] ?? "rad")}`);
      const row: Row = { place: joint.q, joint: joint.v, turns, name: joint.name, slider, input, whole, rest, bar };
      const node = el("div", { class: "joint" },
        el("span", { class: "who", title: joint.name }, dot, el("span", {}, jointName(robot, joint.name) + (joint.passive ? " (passive)" : ""))),
        el("span", { class: "slide" }, slider), input,
        el("span", { class: "torque" }, whole, rest, unit, el("span", { class: "bar" }, bar)));
      slider.addEventListener("input", () => this.move(row, Number(slider.value)));
      input.addEventListener("change", () => {
        const value = Number(input.value.replace(",", "."));
        if (input.value !== "" && Number.isFinite(value)) this.move(row, turns && this.inDegrees ? radians(value) : value);
        else this.update();
      });
      node.addEventListener("pointerenter", () => this.session.setEmphasis(row.joint));
      node.addEventListener("pointerleave", () => this.session.setEmphasis(-1));
      this.list.append(node);
      return row;
    });
  }

  private move(row: Row, value: number): void {
    const q = Float64Array.from(this.session.q);
    q[row.place] = value;
    this.session.setPosture(q);
  }

  update(): void {
    const { session } = this;
    const tau = session.compute("gravity", { wrenches: session.scene.wrenches });
    const limits = effortLimits(session.robot);
    const largest = tau ? Math.max(...Array.from(tau, Math.abs), 1e-12) : 1;
    for (const row of this.rows) {
      const value = session.q[row.place]!;
      if (document.activeElement !== row.slider || Number(row.slider.value) !== value) row.slider.value = String(value);
      const inDegrees = row.turns && this.inDegrees;
      row.input.setAttribute("aria-label", `${row.name}, ${inDegrees ? "degrees" : row.turns ? "radians" : "metres"}`);
      if (document.activeElement !== row.input)
        row.input.value = fixed(inDegrees ? degrees(value) : value, inDegrees ? 2 : 4).replace("\u2212", "-");
      const torque = tau ? tau[row.joint]! : NaN;
      showTorque(row, torque, limits[row.joint] ?? null, largest);
    }
    text(this.note, this.noteText());
  }

  private noteText(): string {
    const { session } = this;
    if (!session.engine) return noEngine;
    if (session.problem) return session.problem;
    return session.scene.wrenches.length > 0 ? "Against its weight and the wrenches of this scene." : "Against its weight alone, standing still.";
  }
}

// Nine places: the first three to read, the others to compare.
function showTorque(row: Row, torque: number, limit: number | null, largest: number): void {
  const words = Number.isFinite(torque) ? fixed(torque, 9) : "";
  const cut = words.includes("e") || words === "" ? words.length : words.length - 6;
  text(row.whole, words === "" ? "–" : words.slice(0, cut));
  text(row.rest, words.slice(cut));
  row.whole.dataset["value"] = String(torque);
  row.whole.classList.toggle("over", limit !== null && Math.abs(torque) > limit);
  const share = Number.isFinite(torque) ? Math.min(1, Math.abs(torque) / (limit ?? largest)) : 0;
  row.bar.style.left = torque < 0 ? `${50 - 50 * share}%` : "50%";
  row.bar.style.width = `${50 * share}%`;
  row.bar.style.background = jointVariable(row.joint);
}

const clamp = (value: number, low: number, high: number): number => Math.min(high, Math.max(low, value));
const random = (slider: HTMLInputElement): number => Number(slider.min) + Math.random() * (Number(slider.max) - Number(slider.min));
