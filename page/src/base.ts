// A base that moves: what gyroscopes and a speedometer bolted to it show. The torques beside the joints follow it.
import { button, card, el, text } from "./dom";
import { messageOf, noEngine, type Session } from "./session";

const rows: [string, string][] = [["v", "m/s"], ["ω", "rad/s"], ["v̇", "m/s²"], ["ω̇", "rad/s²"]];

export class BasePanel {
  readonly node: HTMLElement;
  private readonly inputs: HTMLInputElement[] = [];
  private shown: number[] | null = null;
  private readonly message = el("p", { class: "hint", role: "status" });

  constructor(private readonly session: Session) {
    const fields = el("div", { class: "fields three" });
    for (const [name, unit] of rows)
      for (const axis of ["x", "y", "z"]) {
        const input = el("input", { type: "number", step: "any", "data-base": `${name}${axis}`, disabled: !session.engine });
        input.addEventListener("input", () => this.read());
        this.inputs.push(input);
        fields.append(el("label", { class: "field" }, `${name} ${axis}, ${unit}`, input));
      }
    this.node = card("Base that moves", fields, el("div", { class: "row" }, button("At rest", () => this.set(null), { disabled: !session.engine })), this.message);
    session.on("robot", () => this.show());
    session.on("state", () => { if (session.base !== this.shown) this.show(); });
  }

  private show(): void {
    const { base, robot, engine } = this.session;
    this.node.hidden = robot.floating; // it moves by itself
    this.shown = base;
    this.inputs.forEach((input, k) => { input.value = String(base?.[k] ?? 0); });
    text(this.message, engine ? "Along the axes of the base link. The torques are those of this instant, with gravity as it is now; while the robot falls, the base travels." : noEngine);
  }

  private read(): void {
    const values = this.inputs.map((input) => (input.value.trim() === "" ? NaN : Number(input.value)));
    if (values.every(Number.isFinite)) this.apply(values.some((value) => value !== 0) ? values : null);
  }

  private set(base: number[] | null): void {
    this.apply(base);
    this.show();
  }

  private apply(base: number[] | null): void {
    this.shown = base;
    try {
      this.session.setBase(base);
    } catch (error) {
      text(this.message, messageOf(error));
    }
  }
}
