// What the joints can do at the tool, all directions at once: the ellipsoid that is drawn there, and its numbers.
import * as THREE from "three";
import { card, el, replace, select, table, text } from "./dom";
import type { Ellipsoid, Ellipsoids } from "./engine";
import { fixed, number } from "./format";
import { messageOf, type Session } from "./session";
import { cuts, surface, vec } from "./shapes";
import type { Stage } from "./stage";
import { jointColor } from "./theme";

export const kinds = ["none", "velocity", "force", "acceleration", "inertia"] as const;
export type Kind = (typeof kinds)[number];

interface KindInfo {
  unit: string;
  color: number; // jointColor's
  words: (all: Ellipsoids) => string;
}
const infos: Record<Exclude<Kind, "none">, KindInfo> = {
  velocity: { unit: "m/s", color: 0, words: () => "How fast the tool moves each way, for speeds of norm 1 at the joints." },
  force: { unit: "N", color: 1, words: () => "How hard the tool pushes each way, for torques of norm 1 at the joints." },
  acceleration: { unit: "m/s²", color: 2, words: ({ by_efforts }) =>
    `How fast the tool speeds up each way from rest, gravity aside, for torques of norm 1, ${by_efforts ? "each as a share of its joint's limit" : "in N m"}.` },
  inertia: { unit: "kg", color: 3, words: () => "The mass that a push at the tool feels each way." },
};

const tooLong = 20; // times the shortest: a force or mass that grows beyond all measure near a singular posture
const longestLine = 0.45; // of the reach

// One of the ellipsoids. A force is large where a speed is small: its half axes are the reciprocals.
export function pick(all: Ellipsoids, kind: Exclude<Kind, "none">): Ellipsoid {
  if (kind !== "force") return all.translation[kind];
  const { lengths, axes, isotropy } = all.translation.velocity;
  const least = 1e-12 * (lengths[0] ?? 0);
  return { lengths: lengths.map((length) => (length !== null && length > least ? 1 / length : null)).reverse(), axes: [...axes].reverse(), isotropy };
}

// Why there is none: all that is left is rounding.
function whyNone({ translation: { velocity, acceleration, inertia } }: Ellipsoids, kind: Kind, reach: number): string {
  const fastest = velocity.lengths[0] ?? 0;
  if (!(fastest > 1e-12 * reach)) return "No joint moves the tool here.";
  const usual = 1 / (fastest * (inertia.lengths[2] ?? Infinity)); // J M⁻¹ by the sizes of J and J M⁻¹ Jᵀ
  return kind === "acceleration" && !((acceleration.lengths[0] ?? 0) > 1e-12 * usual) ? "No motor accelerates the tool here." : "";
}

// At the tool, along the base link's axes: a body where the half axes are short enough, and a line along each.
export class EllipsoidDrawing extends THREE.Group {
  readonly body = new THREE.Mesh(new THREE.SphereGeometry(1, cuts(40), cuts(24)),
    surface({ transparent: true, opacity: 0.3, depthTest: false, depthWrite: false, roughness: 0.8, side: THREE.DoubleSide })); // flat ones may lie within a link
  private readonly lines = new THREE.LineSegments(new THREE.BufferGeometry(), new THREE.LineBasicMaterial({ transparent: true, depthTest: false }));
  private kind: Kind = "none";
  metres = 0; // metres drawn for one unit

  constructor(private readonly reach: number) {
    super();
    this.add(this.body, this.lines);
    this.lines.frustumCulled = false;
    this.body.renderOrder = 8;
    this.lines.renderOrder = 9;
    this.visible = false;
  }

  show(kind: Kind, all: Ellipsoids | null): void {
    if (kind !== this.kind) this.metres = 0;
    this.kind = kind;
    this.visible = kind !== "none" && all !== null && whyNone(all, kind, this.reach) === "" && this.form(pick(all, kind), kind);
  }

  private form(ellipsoid: Ellipsoid, kind: Exclude<Kind, "none">): boolean {
    const drawn = drawable(ellipsoid, kind);
    const longest = Math.max(...drawn.map((length) => length ?? 0));
    if (!(longest > 0)) return false;
    // The scale stays while joints move, until the ellipsoid becomes too small or too large for it.
    const share = (longest * this.metres) / this.reach;
    if (!(share > 0.08 && share < 0.4)) this.metres = roundDown((0.25 * this.reach) / longest);
    const x = vec(ellipsoid.axes[0]!), y = vec(ellipsoid.axes[1]!), z = x.clone().cross(y);
    this.body.quaternion.setFromRotationMatrix(new THREE.Matrix4().makeBasis(x, y, z));
    const [a, b, c] = drawn.map((length) => Math.max((length ?? 0) * this.metres, 0.001 * this.reach)) as [number, number, number];
    this.body.scale.set(a, b, c);
    const ends = [x, y, z].flatMap((axis, k) => {
      const length = drawn[k] === null ? longestLine * this.reach : drawn[k]! * this.metres;
      return [axis.clone().multiplyScalar(length), axis.clone().multiplyScalar(-length)];
    });
    this.lines.geometry.setFromPoints(ends);
    this.paint();
    return true;
  }

  paint(): void {
    if (this.kind === "none") return;
    this.body.material.color.set(jointColor(infos[this.kind].color));
    this.lines.material.color.copy(this.body.material.color);
  }
}

// Lengths of the body; null: infinite, or too long beside the shortest.
function drawable({ lengths }: Ellipsoid, kind: Kind): (number | null)[] {
  if (kind !== "inertia" && kind !== "force") return lengths;
  const shortest = lengths[2] ?? Infinity;
  return lengths.map((length) => (length !== null && length <= tooLong * shortest ? length : null));
}

// To 1, 2 or 5 times a power of ten.
function roundDown(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  return power * (value >= 5 * power ? 5 : value >= 2 * power ? 2 : 1);
}

export class EllipsoidPanel {
  readonly node: HTMLElement;
  private readonly choice: HTMLSelectElement;
  private readonly result = el("div", { class: "ellipsoid", hidden: true });
  private readonly lengths = el("th", { scope: "col" });
  private readonly cells: HTMLElement[][] = [];
  private readonly isotropy = el("dd", { "data-ellipsoid": "isotropy" });
  private readonly scale = el("dd", { "data-ellipsoid": "scale" });
  private readonly hint = el("p", { class: "hint", "data-ellipsoid": "words" });

  constructor(private readonly session: Session, private readonly stage: Stage) {
    this.choice = select("Ellipsoid of the tool", kinds.map((kind): [Kind, string] => [kind, kind]), "none", (kind) => this.choose(kind), { "data-choice": "ellipsoid" });
    const { node, body } = table(["half axis", "x", "y", "z"], "Half axes");
    node.querySelector("th")!.replaceWith(this.lengths);
    const caption = node.querySelector("caption")!;
    session.on("robot", () => text(caption, `Half axes, longest first, and their directions along the axes of the ${session.robot.floating ? "world" : "base link"}`));
    for (let k = 0; k < 3; ++k) {
      const row = [el("th", { scope: "row", "data-ellipsoid": "length" }), el("td"), el("td"), el("td")];
      this.cells.push(row);
      body.append(el("tr", {}, ...row));
    }
    replace(this.result, node, el("dl", { class: "figures" },
      el("div", {}, el("dt", {}, "isotropy, shortest / longest"), this.isotropy), el("div", {}, el("dt", {}, "drawn to scale"), this.scale)));
    this.node = card("Ellipsoid of the tool", el("div", { class: "row" }, el("label", { class: "check" }, el("span", {}, "show"), this.choice)), this.result, this.hint);
  }

  next(): void {
    this.choose(kinds[(kinds.indexOf(this.stage.ellipsoid) + 1) % kinds.length]!);
  }

  private choose(kind: Kind): void {
    this.choice.value = kind;
    this.stage.showEllipsoid(kind);
    this.update();
  }

  update(): void {
    const kind = this.stage.ellipsoid;
    const all = kind === "none" ? null : this.session.ellipsoids();
    this.result.hidden = true;
    if (kind === "none" || all === null) return text(this.hint, "Velocity, force, acceleration or inertia at the tool, drawn there.");
    if (all instanceof Error) return text(this.hint, `None here: ${messageOf(all)}`);
    const none = whyNone(all, kind, this.stage.drawing?.reach ?? 1);
    if (none) return text(this.hint, none);
    this.result.hidden = false;
    const ellipsoid = pick(all, kind);
    const { unit, words } = infos[kind];
    text(this.lengths, `half axis, ${unit}`);
    this.cells.forEach((row, k) => {
      const length = ellipsoid.lengths[k] ?? Infinity;
      row[0]!.dataset["value"] = String(length);
      text(row[0]!, number(length, 5));
      ellipsoid.axes[k]!.forEach((entry, i) => text(row[1 + i]!, fixed(entry, 3)));
    });
    text(this.isotropy, number(ellipsoid.isotropy, 4));
    this.isotropy.dataset["value"] = String(ellipsoid.isotropy);
    const drawing = this.stage.extras?.ellipsoid;
    text(this.scale, drawing?.visible ? `1 ${unit} as ${number(drawing.metres, 1)} m` : "not drawn");
    text(this.hint, [words(all), ...this.remarks(ellipsoid, kind)].join(" "));
  }

  private remarks(ellipsoid: Ellipsoid, kind: Kind): string[] {
    const out: string[] = [];
    if (ellipsoid.lengths.includes(null)) out.push("∞: no joint moves the tool that way, so only a line is drawn.");
    else if (drawable(ellipsoid, kind).includes(null)) out.push(`Only a line is drawn beyond ${tooLong} times the shortest.`);
    if (this.session.robot.floating) out.push(kind === "acceleration" ? "The base is free and has no motor." : "The base is free, and moves too.");
    return out;
  }
}
