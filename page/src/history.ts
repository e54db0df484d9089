// Undo and redo, step by step: the robot, how its base moves, and where it was put by hand. Changes by one control that
// follow each other closely, as a number is typed or a slider drawn, are one step. A scene has its own steps.
import { el, icon, iconButton, text } from "./dom";
import type { EditMemory, EditPanel } from "./edit";
import { messageOf, type Session } from "./session";

interface Snapshot {
  toml: string;
  base: number[] | null;
  q: Float64Array;
  edits: EditMemory;
}

const together = 1000; // ms
const kept = 200; // steps

export class History {
  readonly node: HTMLElement;
  private now: Snapshot | null = null;
  private past: Snapshot[] = [];
  private future: Snapshot[] = [];
  private last = { at: -Infinity, by: null as Element | null };
  private applying = false;
  private readonly undoButton = iconButton("Undo (Ctrl-Z)", icon("M9 14 4 9l5-5M4 9h10a6 6 0 0 1 0 12h-3"), () => this.undo(), { "data-undo": "undo" });
  private readonly redoButton = iconButton("Redo (Ctrl-Shift-Z)", icon("m15 14 5-5-5-5M20 9H10a6 6 0 0 0 0 12h3"), () => this.redo(), { "data-undo": "redo" });
  private readonly said = el("span", { class: "visually-hidden", role: "status" });

  constructor(private readonly session: Session, private readonly panel: EditPanel) {
    this.node = el("div", { class: "history", role: "group", "aria-label": "Undo and redo" }, this.undoButton, this.redoButton, this.said);
    session.on("scene", () => this.forget());
    for (const topic of ["robot", "state", "mode"] as const) session.on(topic, () => this.note());
    window.addEventListener("keydown", (event) => this.key(event));
    this.show();
  }

  private snapshot(): Snapshot {
    const { toml, base, q } = this.session;
    return { toml, base, q: Float64Array.from(q), edits: this.now?.toml === toml ? this.now.edits : this.panel.memory() };
  }

  private forget(): void {
    this.past = [];
    this.future = [];
    this.now = null;
    this.show();
  }

  // Called after every change; what plays or falls is where it is by itself, and no step.
  private note(): void {
    const { session } = this;
    if (this.applying || session.q.length !== session.robot.nq) return;
    const { now } = this;
    const edited = now !== null && (now.toml !== session.toml || now.base !== session.base);
    const moved = now !== null && session.mode === "live" && !same(now.q, session.q);
    if (now && (edited || moved)) this.step(now);
    if (!now || edited || moved) this.now = this.snapshot();
    else if (session.mode !== "live") now.q = Float64Array.from(session.q);
  }

  private step(before: Snapshot): void {
    const by = document.activeElement;
    const at = performance.now();
    const goesOn = by === this.last.by && at - this.last.at < together && !(by instanceof HTMLButtonElement) && this.past.length > 0;
    this.last = { at, by };
    this.future = [];
    if (!goesOn) this.past.push(before);
    if (this.past.length > kept) this.past.shift();
    this.show();
  }

  undo(): void {
    this.go(this.past, this.future, "undone");
  }

  redo(): void {
    this.go(this.future, this.past, "done again");
  }

  private go(from: Snapshot[], to: Snapshot[], words: string): void {
    const next = from.pop();
    if (!next || !this.now) return;
    const before = this.now;
    this.applying = true;
    this.last.at = -Infinity;
    try {
      this.apply(next);
      to.push(before);
      this.now = next;
      text(this.said, `${words}; ${this.past.length} steps to undo, ${this.future.length} to redo`);
    } catch (error) {
      from.push(next);
      text(this.said, messageOf(error));
    } finally {
      this.applying = false;
      this.show();
    }
  }

  private apply(to: Snapshot): void {
    const { session } = this;
    const onlyMoved = to.toml === session.toml && to.base === session.base;
    if (to.toml !== session.toml) {
      if (to.toml === session.scene.toml) session.restore();
      else session.change(to.toml);
      this.panel.recall(to.edits);
    }
    if (to.base !== session.base) session.setBase(to.base);
    if (onlyMoved || session.mode !== "play") session.setPosture(to.q);
  }

  private show(): void {
    this.undoButton.disabled = this.past.length === 0;
    this.redoButton.disabled = this.future.length === 0;
    this.node.classList.toggle("none", this.past.length + this.future.length === 0);
  }

  // In the text of the robot the keys are the browser's own: they undo letters, and the robot follows.
  private key(event: KeyboardEvent): void {
    if (!(event.ctrlKey || event.metaKey) || event.altKey || event.target instanceof HTMLTextAreaElement) return;
    const key = event.key.toLowerCase();
    if (key !== "z" && !(key === "y" && !event.shiftKey)) return;
    event.preventDefault();
    if (key === "y" || event.shiftKey) this.redo();
    else this.undo();
  }
}

const same = (a: Float64Array, b: Float64Array): boolean => a.length === b.length && a.every((value, i) => value === b[i]);
