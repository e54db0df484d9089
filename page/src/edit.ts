// Another robot by hand: a row, a mass, gravity, a payload, or the text itself. Changes are collected and applied to the
// text by the engine; whatever the page shows afterwards comes from the robot that it read back.
import type { Description } from "./data";
import { button, card, download, el, fileName, replace, select, text } from "./dom";
import type { Edit, RobotHandle } from "./engine";
import { degrees, radians } from "./format";
import { messageOf, noEngine, type Session } from "./session";

type Field = { key: string; label: string; value: number; angle?: boolean };

// What the fields show: the robot before the changes, and the changes.
export interface EditMemory {
  toml: string;
  edits: [string, Edit][];
}

export class EditPanel {
  readonly node = el("div", {});
  private base: RobotHandle | null = null; // before the changes
  private baseToml = "";
  private edits = new Map<string, Edit>();
  private link = -1;
  private readonly form = el("div", {});
  private readonly problem = el("p", { class: "error", role: "alert", hidden: true });
  private readonly wrong = el("p", { class: "error", role: "alert", hidden: true }); // beside the fields
  private readonly area = el("textarea", { class: "toml", spellcheck: "false", "aria-label": "The robot as TOML", autocomplete: "off", wrap: "off" });
  private readonly place = el("span", { class: "grow" });
  private timer = 0;
  private applying = false;
  private stale = true;

  constructor(private readonly session: Session) {
    this.area.addEventListener("input", () => {
      window.clearTimeout(this.timer);
      this.timer = window.setTimeout(() => this.read(), 350);
    });
    const save = button("Download TOML", () => download(fileName(session.robot.name, "toml"), session.toml, "text/plain"), { "data-download": "toml" });
    const undo = button("Undo all changes", () => this.undo());
    const off = session.engine === null;
    if (off) this.area.readOnly = true;
    replace(this.node,
      off ? el("p", { class: "error" }, noEngine) : null,
      card("A link", el("div", { class: "row" }, this.place), this.form, this.wrong),
      card("The robot as text", this.area, this.problem, el("div", { class: "row" }, save, undo),
        el("p", { class: "hint" }, "Type or paste any robot in Catena's TOML format: it is read as you type.")));
    session.on("scene", () => { this.link = -1; });
    session.on("robot", () => { if (!this.applying) this.stale = true; });
  }

  update(): void {
    if (this.stale) this.rebase();
  }

  // The robot was given anew: what was changed before is part of it now.
  private rebase(): void {
    const { session } = this;
    this.stale = false;
    this.base?.free();
    this.base = null;
    this.edits.clear();
    this.baseToml = session.toml;
    try {
      this.base = session.engine?.load(session.toml) ?? null;
    } catch (error) {
      this.fail(messageOf(error));
    }
    if (document.activeElement !== this.area) this.area.value = session.toml;
    this.choices();
  }

  memory(): EditMemory {
    const { toml } = this.session;
    try {
      if (!this.stale && this.base?.edited([...this.edits.values()]) === toml) return { toml: this.baseToml, edits: [...this.edits] };
    } catch {
      // changes that do not fit: the text alone says what the robot is
    }
    return { toml, edits: [] };
  }

  // The robot is what it was once: so are the fields.
  recall({ toml, edits }: EditMemory): void {
    if (!this.session.engine) return;
    this.base?.free();
    this.base = this.session.engine.load(toml);
    this.baseToml = toml;
    this.edits = new Map(edits);
    this.stale = false;
    this.problem.hidden = true;
    this.area.value = this.session.toml;
    this.choices();
  }

  private get robot(): Description {
    return this.base?.description ?? this.session.robot;
  }

  private choices(): void {
    const { robot } = this;
    if (this.link < 0 || this.link >= robot.links.length) this.link = robot.joints[0]?.link ?? 0;
    const choice = select("Link", robot.links.map((link, i): [string, string] => [String(i), link.name]), String(this.link),
      (value) => { this.link = Number(value); this.fields(); });
    choice.style.width = "100%";
    replace(this.place, choice);
    this.fields();
  }

  private fields(): void {
    const { robot } = this;
    const link = robot.links[this.link];
    this.sayWrong("");
    if (!link) return replace(this.form);
    const index = robot.joints.findIndex((joint) => joint.link === this.link);
    const row = robot.dh?.find((one) => one.joint === index);
    const known = this.edits.get(`dh ${index}`) as Extract<Edit, { kind: "dh" }> | undefined;
    const of = known ?? row;
    const changed = this.edits.get(`link ${this.link}`) as Extract<Edit, { kind: "link" }> | undefined;
    const inertia = changed?.inertia ?? link.inertia;
    const gravity = (this.edits.get("gravity") as Extract<Edit, { kind: "gravity" }> | undefined)?.gravity ?? robot.gravity;
    const load = this.edits.get("payload") as Extract<Edit, { kind: "payload" }> | undefined;
    replace(this.form,
      row && of ? el("h3", {}, `Denavit-Hartenberg row (${row.convention})`) : el("h3", {}, "Pose on its parent"),
      row && of ? this.group([
        { key: "a", label: "a, m", value: of.a }, { key: "alpha", label: "α, deg", value: of.alpha, angle: true },
        { key: "d", label: "d, m", value: of.d }, { key: "theta", label: "θ, deg", value: of.theta, angle: true },
      ], (v) => this.edit(`dh ${index}`, { kind: "dh", joint: index, convention: row.convention, a: v[0]!, alpha: v[1]!, d: v[2]!, theta: v[3]!, gamma: row.gamma ?? 0, epsilon: row.epsilon ?? 0 }))
        : this.origin(index),
      el("h3", {}, "Mass"),
      this.group([
        { key: "mass", label: "mass, kg", value: changed?.mass ?? link.mass },
        ...["x", "y", "z"].map((axis, i) => ({ key: `com${axis}`, label: `centre ${axis}, m`, value: (changed?.com ?? link.com)[i]! })),
      ], (v) => this.editLink({ mass: v[0]!, com: v.slice(1) })),
      el("h3", {}, "Inertia about the mass centre, kg m²"),
      this.group(["xx", "yy", "zz", "xy", "xz", "yz"].map((name, i) => ({ key: `I${name}`, label: name, value: inertia[[0, 4, 8, 1, 2, 5][i]!]! })),
        (v) => this.editLink({ inertia: [v[0]!, v[3]!, v[4]!, v[3]!, v[1]!, v[5]!, v[4]!, v[5]!, v[2]!] })),
      el("h3", {}, "Gravity of the whole robot, m/s²"),
      this.group(["x", "y", "z"].map((axis, i) => ({ key: `g${axis}`, label: axis, value: gravity[i]! })),
        (v) => this.edit("gravity", { kind: "gravity", gravity: v })),
      el("h3", {}, `A payload on ${robot.tool}`),
      this.group([
        { key: "load", label: "mass, kg", value: load?.mass ?? 0 },
        ...["x", "y", "z"].map((axis, i) => ({ key: `load${axis}`, label: `${axis}, m`, value: load?.com[i] ?? 0 })),
      ], (v) => this.payload(v)));
  }

  // A robot without rows: where the joint stands in its parent, as text only where it turns.
  private origin(index: number): HTMLElement {
    const joint = this.robot.joints[index];
    if (!joint || joint.type === "floating") return el("p", { class: "hint" }, "The base: nothing carries it.");
    const known = this.edits.get(`joint ${index}`) as Extract<Edit, { kind: "joint" }> | undefined;
    const origin = known?.origin ?? joint.origin;
    return this.group(["x", "y", "z"].map((axis, i) => ({ key: `o${axis}`, label: `${axis}, m`, value: origin[4 * i + 3]! })), (v) => {
      const moved = [...origin];
      v.forEach((value, i) => { moved[4 * i + 3] = value; });
      this.edit(`joint ${index}`, { kind: "joint", joint: index, origin: moved });
    });
  }

  private group(fields: Field[], apply: (values: number[]) => void): HTMLElement {
    const inputs = fields.map((field) => {
      const shown = field.angle ? degrees(field.value) : field.value;
      const input = el("input", { type: "number", step: "any", "data-edit": field.key, disabled: this.base === null });
      input.value = String(Number(shown.toPrecision(12)));
      input.dataset["exact"] = String(field.value);
      input.dataset["shown"] = input.value;
      return input;
    });
    // A field nobody touched keeps the robot's own digits.
    const read = (input: HTMLInputElement, field: Field): number => {
      if (input.value === input.dataset["shown"]) return Number(input.dataset["exact"]);
      const value = Number(input.value);
      return field.angle ? radians(value) : value;
    };
    for (const input of inputs)
      input.addEventListener("input", () => {
        const problems = inputs.map((one, i) => problemOf(one, fields[i]!));
        inputs.forEach((one, i) => mark(one, problems[i] !== ""));
        const first = problems.find((words) => words !== "") ?? "";
        this.sayWrong(first);
        if (first) return;
        apply(inputs.map((one, i) => read(one, fields[i]!)));
        mark(input, !this.problem.hidden);
        if (!this.problem.hidden) this.sayWrong(this.problem.textContent ?? "");
        else this.checkBody();
      });
    return el("div", { class: fields.length % 3 === 0 ? "fields three" : "fields" }, ...fields.map((field, i) => el("label", { class: "field" }, field.label, inputs[i])));
  }

  private sayWrong(words: string): void {
    text(this.wrong, words);
    this.wrong.hidden = words === "";
  }

  // Moments that no rigid body has are computed with, but marked.
  private checkBody(): void {
    const link = this.session.robot.links[this.link];
    if (!link) return;
    for (const input of this.form.querySelectorAll<HTMLInputElement>("[data-edit^=I]")) mark(input, !link.physical);
    if (!link.physical) this.sayWrong(`No rigid body has these moments with this mass: the computation goes on, but ${link.name} is not physical.`);
  }

  private editLink(change: { mass?: number; com?: number[]; inertia?: number[] }): void {
    const key = `link ${this.link}`;
    const before = this.edits.get(key) as Extract<Edit, { kind: "link" }> | undefined;
    this.edit(key, { ...(before ?? { kind: "link", link: this.link }), ...change });
  }

  private payload(values: number[]): void {
    if (values[0] === 0) this.edits.delete("payload");
    this.edit("payload", values[0] === 0 ? null : { kind: "payload", frame: this.robot.tool, mass: values[0]!, com: values.slice(1) });
  }

  private edit(key: string, edit: Edit | null): void {
    if (edit) this.edits.set(key, edit);
    this.attempt(() => {
      const changed = this.base!.edited([...this.edits.values()]);
      this.session.change(changed);
      this.area.value = changed;
    });
  }

  private read(): void {
    this.attempt(() => this.session.change(this.area.value));
    if (this.problem.hidden) {
      this.applying = false;
      this.rebase();
    }
  }

  private attempt(action: () => void): void {
    this.applying = true;
    try {
      action();
      this.problem.hidden = true;
    } catch (error) {
      this.fail(messageOf(error));
    } finally {
      this.applying = false;
    }
  }

  private fail(words: string): void {
    text(this.problem, words);
    this.problem.hidden = false;
  }

  private undo(): void {
    this.problem.hidden = this.wrong.hidden = true;
    this.session.restore();
  }

}

function mark(input: HTMLInputElement, wrong: boolean): void {
  if (wrong) input.setAttribute("aria-invalid", "true");
  else input.removeAttribute("aria-invalid");
}

// What is wrong with a number before the library sees it; "": nothing.
function problemOf(input: HTMLInputElement, field: Field): string {
  const name = field.label.replace(/,.*/, "");
  if (input.value.trim() === "" || !Number.isFinite(Number(input.value))) return `${name} has no number: the robot stays as it was.`;
  if (/^(mass|load)$/.test(field.key) && Number(input.value) < 0) return `${name} is below zero: the robot stays as it was.`;
  return "";
}
