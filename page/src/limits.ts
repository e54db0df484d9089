// Joints whose torque reaches their limit: red in the picture, and named in words.
import { el, text } from "./dom";
import { effortUnit, number } from "./format";
import { effortLimits, jointName, type Session } from "./session";
import type { Stage } from "./stage";

const nearly = 1 - 1e-9; // a drive that is held at its limit is at it

// The joints at or beyond their limits, by their entries in tau.
export function atLimit(tau: ArrayLike<number> | null, limits: (number | null)[]): number[] {
  return limits.flatMap((limit, i) => (tau && limit !== null && limit > 0 && Math.abs(tau[i]!) >= nearly * limit ? [i] : []));
}

export class LimitWatch {
  readonly node = el("div", { class: "limit-note", hidden: true });
  private readonly names = el("span", { role: "status" }); // spoken when another joint is there, not at every number
  private readonly numbers = el("span", { "aria-hidden": "true" });
  private readonly sign = el("span", { class: "limit-sign", "aria-hidden": "true" }, "!");

  constructor(private readonly session: Session, private readonly stage: Stage) {
    this.node.append(this.sign, el("span", {}, this.names, this.numbers));
    session.on("state", () => this.look());
    session.on("mode", () => this.look());
  }

  private look(): void {
    const { session, stage } = this;
    const { robot } = session;
    const tau = session.broken ? null : session.efforts();
    const limits = effortLimits(robot);
    const reached = atLimit(tau, limits);
    stage.drawing?.setAtLimit(reached);
    stage.touch();
    this.node.hidden = reached.length === 0;
    const shown = reached.slice(0, 3);
    const more = reached.length > shown.length ? ` and ${reached.length - shown.length} more` : "";
    const beyond = reached.some((i) => Math.abs(tau![i]!) * nearly > limits[i]!);
    text(this.names, reached.length === 0 ? "" : `${beyond ? "beyond" : "at"} its torque limit: ${shown.map((i) => jointName(robot, robot.joint_names[i]!)).join(", ")}${more}`);
    text(this.numbers, shown.length === 0 ? "" : ` (${shown.map((i) => `${number(tau![i]!, 3)} of ±${number(limits[i]!, 3)} ${effortUnit(robot.units[i]!)}`).join(", ")})`);
  }
}
