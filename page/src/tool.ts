// The tool: where it is, how well it can move, and the posture that brings it somewhere.
import { button, card, checkbox, el, text } from "./dom";
import { degrees, fixed, number, radians } from "./format";
import { messageOf, type Session } from "./session";

type Key = "x" | "y" | "z" | "roll" | "pitch" | "yaw";
const keys: Key[] = ["x", "y", "z", "roll", "pitch", "yaw"];

export class ToolPanel {
  readonly node: HTMLElement;
  private readonly figures = new Map<string, HTMLElement>();
  private readonly inputs = new Map<Key, HTMLInputElement>();
  private readonly turned: HTMLInputElement;
  private readonly answer = el("p", { class: "hint", role: "status" });
  private edited = false;

  constructor(private readonly session: Session) {
    const list = el("dl", { class: "figures two" });
    for (const name of ["position, m", "orientation (roll, pitch, yaw)", "manipulability", "slowest / fastest direction"]) {
      const value = el("dd");
      this.figures.set(name, value);
      list.append(el("div", {}, el("dt", {}, name), value));
    }
    const fields = el("div", { class: "fields three" });
    for (const key of keys) {
      const input = el("input", { type: "number", step: "any", "data-pose": key });
      input.addEventListener("input", () => { this.edited = true; });
      this.inputs.set(key, input);
      fields.append(el("label", { class: "field" }, key.length === 1 ? `${key}, m` : `${key}, deg`, input));
    }
    const turned = checkbox("orientation too", false, () => undefined);
    this.turned = turned.input;
    this.node = card("Tool", list, el("h3", {}, "Solve for a pose"), fields,
      el("div", { class: "row solve" }, button("Solve", () => this.solve(), { class: "primary", disabled: !session.engine }), turned.node), this.answer);
    session.on("robot", () => { this.edited = false; text(this.answer, ""); });
  }

  private pose(): Float64Array | null {
    return this.session.compute("pose");
  }

  update(): void {
    const { session } = this;
    const T = this.pose();
    if (T) {
      const rpy = rpyOf(T).map(degrees);
      this.say("position, m", [T[3]!, T[7]!, T[11]!].map((value) => fixed(value, 4)).join(" "));
      this.say("orientation (roll, pitch, yaw)", rpy.map((value) => `${fixed(value, 1)}°`).join(" "));
      if (!this.edited) {
        const values = [T[3]!, T[7]!, T[11]!, ...rpy];
        keys.forEach((key, i) => {
          const input = this.inputs.get(key)!;
          if (document.activeElement !== input) input.value = String(Number(values[i]!.toFixed(4)));
        });
      }
    }
    const found = session.ellipsoids();
    if (found && !(found instanceof Error)) {
      const { lengths } = found.translation.velocity;
      this.say("manipulability", number(found.manipulability, 4));
      this.say("slowest / fastest direction", `${number(lengths[2] ?? 0, 3)} / ${number(lengths[0] ?? 0, 3)}`);
    }
    if (!session.engine) this.figures.forEach((node) => text(node, "–"));
  }

  private say(name: string, words: string): void {
    text(this.figures.get(name)!, words);
  }

  private solve(): void {
    const { session } = this;
    if (!session.handle) return;
    const [x, y, z, roll, pitch, yaw] = keys.map((key) => Number(this.inputs.get(key)!.value));
    const rotation = this.turned.checked ? rotationOf(radians(roll!), radians(pitch!), radians(yaw!)) : undefined;
    try {
      const found = session.handle.solvePose(session.robot.tool, { position: [x!, y!, z!], ...(rotation ? { rotation } : {}) }, session.q);
      session.setPosture(found.q);
      text(this.answer, found.reached ? `Reached; the remaining error is ${number(found.residual, 2)}.` : `Not reached: as near as it gets, ${number(found.residual, 3)} away.`);
      this.edited = !found.reached;
    } catch (error) {
      text(this.answer, messageOf(error));
    }
  }
}

function rpyOf(T: ArrayLike<number>): number[] {
  const pitch = Math.asin(Math.max(-1, Math.min(1, -T[8]!)));
  return [Math.atan2(T[9]!, T[10]!), pitch, Math.atan2(T[4]!, T[0]!)];
}

function rotationOf(roll: number, pitch: number, yaw: number): number[] {
  const [cr, sr, cp, sp, cy, sy] = [Math.cos(roll), Math.sin(roll), Math.cos(pitch), Math.sin(pitch), Math.cos(yaw), Math.sin(yaw)];
  return [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr, sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr, -sp, cp * sr, cp * cr];
}
