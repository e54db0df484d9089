// "Show the frame": from a link's parent to the link itself, one turn or slide after the other. The four steps of Denavit
// and Hartenberg where the robot has such rows, else those of its frames.
import * as THREE from "three";
import { dimensionLine } from "./dimensions";
import { button, card, el, replace, select, text } from "./dom";
import { degrees, number } from "./format";
import type { Description, JointInfo } from "./data";
import { positionsOf } from "./positions";
import type { Session } from "./session";
import { disposeOf, letteredTriad, pose, triad, vec } from "./shapes";
import type { Stage } from "./stage";
import { cssColor, onTheme } from "./theme";

interface Step {
  name: string; // "turn about z by θ"
  symbol: string; // "Rz(θ)"
  axis: THREE.Vector3;
  amount: number; // rad or m
  turns: boolean;
}

const X = new THREE.Vector3(1, 0, 0);
const Z = new THREE.Vector3(0, 0, 1);

function partial(step: Step, share: number): THREE.Matrix4 {
  const amount = step.amount * share;
  return step.turns ? new THREE.Matrix4().makeRotationAxis(step.axis, amount)
    : new THREE.Matrix4().makeTranslation(step.axis.x * amount, step.axis.y * amount, step.axis.z * amount);
}

function product(steps: Step[]): THREE.Matrix4 {
  return steps.reduce((T, step) => T.multiply(partial(step, 1)), new THREE.Matrix4());
}

// Rows of Denavit and Hartenberg at q; null where the row is not the joint's pose.
function rowSteps(robot: Description, index: number, q: number): Step[] | null {
  const row = robot.dh?.find((one) => one.joint === index);
  if (!row) return null;
  const joint = robot.joints[index]!;
  const make = (theta: number, d: number): Step[] => {
    const turnZ: Step = { name: "turn about z by θ", symbol: "Rz(θ)", axis: Z, amount: theta, turns: true };
    const slideZ: Step = { name: "slide along z by d", symbol: "Tz(d)", axis: Z, amount: d, turns: false };
    const slideX: Step = { name: "slide along x by a", symbol: "Tx(a)", axis: X, amount: row.a, turns: false };
    const turnX: Step = { name: "turn about x by α", symbol: "Rx(α)", axis: X, amount: row.alpha, turns: true };
    const branch: Step[] = [
      { name: "turn about z by γ", symbol: "Rz(γ)", axis: Z, amount: row.gamma ?? 0, turns: true },
      { name: "slide along z by ε", symbol: "Tz(ε)", axis: Z, amount: row.epsilon ?? 0, turns: false },
    ];
    return [...branch.filter((step) => step.amount !== 0), ...(row.convention === "classic" ? [turnZ, slideZ, slideX, turnX] : [turnX, slideX, turnZ, slideZ])];
  };
  const still = product(make(row.theta, row.d)).elements;
  const told = pose(joint.origin).multiply(pose(joint.child)).elements;
  if (told.some((value, i) => Math.abs(value - still[i]!) > 1e-9)) return null;
  return joint.type === "prismatic" ? make(row.theta, row.d + q) : make(row.theta + q, row.d);
}

function frameSteps(joint: JointInfo, q: number): Step[] {
  const steps = [...poseSteps(pose(joint.origin), "to the joint"),
    { name: joint.type === "prismatic" ? "slide along the joint's axis by q" : "turn about the joint's axis by q", symbol: joint.type === "prismatic" ? "T(q)" : "R(q)",
      axis: vec(joint.axis).normalize(), amount: joint.type === "fixed" ? 0 : q, turns: joint.type !== "prismatic" },
    ...poseSteps(pose(joint.child), "to the link's frame")];
  return steps.filter((step) => step.symbol.includes("(q)") || Math.abs(step.amount) > 1e-12);
}

function poseSteps(T: THREE.Matrix4, where: string): Step[] {
  const way = new THREE.Vector3().setFromMatrixPosition(T);
  const turn = new THREE.Quaternion().setFromRotationMatrix(T);
  if (turn.w < 0) turn.set(-turn.x, -turn.y, -turn.z, -turn.w);
  const axis = new THREE.Vector3(turn.x, turn.y, turn.z);
  return [
    { name: `slide ${where}`, symbol: "T(xyz)", axis: way.clone().normalize(), amount: way.length(), turns: false },
    { name: `turn ${where}`, symbol: "R(rpy)", axis: axis.lengthSq() > 0 ? axis.clone().normalize() : Z, amount: 2 * Math.atan2(axis.length(), turn.w), turns: true },
  ];
}

export class FramePanel {
  readonly node: HTMLElement;
  private joint = 0;
  private steps: Step[] = [];
  private progress = -1; // in steps; < 0: not shown
  private playing = false;
  private readonly list = el("ol", { class: "steps" });
  private readonly words = el("p", { class: "hint" });
  private choice: HTMLSelectElement | null = null;
  private readonly place = el("span", { class: "grow" });
  private readonly playButton: HTMLButtonElement;
  private ghost: THREE.Group | null = null;
  private moving: THREE.Group | null = null;

  constructor(private readonly session: Session, private readonly stage: Stage) {
    this.playButton = button("Show the frame", () => this.toggle(), { class: "primary" });
    this.node = card("From frame to frame",
      el("div", { class: "row" }, this.place, this.playButton, button("◂", () => this.go(-1), { "aria-label": "Step back" }),
        button("▸", () => this.go(1), { "aria-label": "Step on" }), button("Hide", () => this.hide())),
      this.list, this.words);
    session.on("robot", () => this.rebuild());
    onTheme(() => this.draw());
    session.on("state", () => { if (this.progress >= 0 || this.list.isConnected) this.refresh(); });
  }

  private rebuild(): void {
    this.hide();
    const { robot } = this.session;
    const choices = robot.joints.map((joint, i): [string, string] => [String(i), `${robot.links[joint.parent]!.name} → ${robot.links[joint.link]!.name}`]);
    if (this.joint >= robot.joints.length) this.joint = 0;
    this.choice = select("Which frames", choices, String(this.joint), (value) => { this.joint = Number(value); this.hide(); this.refresh(); });
    this.choice.style.width = "100%";
    replace(this.place, this.choice);
    this.refresh();
  }

  private refresh(): void {
    const { robot, q, tree } = this.session;
    const joint = robot.joints[this.joint];
    if (!joint || joint.type === "floating" || q.length !== robot.nq) {
      this.steps = [];
    } else {
      const at = positionsOf(robot, q, tree)(this.joint);
      this.steps = rowSteps(robot, this.joint, at) ?? frameSteps(joint, at);
    }
    if (this.list.children.length !== this.steps.length || this.list.dataset["joint"] !== String(this.joint)) {
      this.list.dataset["joint"] = String(this.joint);
      replace(this.list, ...this.steps.map((step) => el("li", {}, el("span", {}, step.name), el("code", {}))));
    }
    this.steps.forEach((step, i) => {
      const item = this.list.children[i]!;
      const amount = step.turns ? `${number(degrees(step.amount), 4)}°` : `${number(step.amount, 4)} m`;
      text(item.lastElementChild!, `${step.symbol}  ${amount}`);
      item.className = this.progress < 0 ? "" : i < Math.floor(this.progress) ? "done" : i === Math.min(this.steps.length - 1, Math.floor(this.progress)) ? "now" : "";
    });
    const row = robot.dh?.find((one) => one.joint === this.joint);
    text(this.words, row ? `A row of ${row.convention} Denavit and Hartenberg parameters: T = ${this.steps.map((step) => step.symbol).join(" ")}.`
      : `No Denavit-Hartenberg row: T = ${this.steps.map((step) => step.symbol).join(" ")}.`);
    this.draw();
  }

  private toggle(): void {
    if (this.playing) this.playing = false;
    else {
      if (this.progress < 0 || this.progress >= this.steps.length) this.progress = 0;
      this.playing = true;
    }
    this.refresh();
  }

  private go(by: number): void {
    this.playing = false;
    const from = this.progress < 0 ? 0 : this.progress;
    this.progress = Math.min(this.steps.length, Math.max(0, by > 0 ? Math.floor(from + 1e-9) + 1 : Math.ceil(from - 1e-9) - 1));
    this.refresh();
  }

  hide(): void {
    this.playing = false;
    this.progress = -1;
    if (this.ghost) disposeOf(this.ghost);
    this.ghost = this.moving = null;
    this.stage.drawing?.setGhost(false);
    this.stage.touch();
    for (const item of this.list.children) item.className = "";
  }

  advance(seconds: number): void {
    if (!this.playing) return;
    this.progress = Math.min(this.steps.length, this.progress + seconds * 0.75);
    if (this.progress >= this.steps.length) this.playing = false;
    this.refresh();
  }

  get position(): number {
    return this.progress;
  }

  private draw(): void {
    const { drawing } = this.stage;
    text(this.playButton, this.playing ? "Pause" : "Show the frame");
    if (this.progress < 0 || !drawing || this.steps.length === 0) return;
    const parent = drawing.links[this.session.robot.joints[this.joint]!.parent]!;
    if (!this.ghost || this.ghost.parent !== parent) {
      if (this.ghost) disposeOf(this.ghost);
      this.ghost = new THREE.Group();
      this.moving = letteredTriad(7 * drawing.radius, 0.3 * drawing.radius);
      this.ghost.add(triad(5 * drawing.radius, 0.14 * drawing.radius, 0.6), this.moving);
      parent.add(this.ghost);
      drawing.setGhost(true);
    }
    const whole = Math.min(this.steps.length - 1, Math.floor(this.progress));
    const share = Math.min(1, this.progress - whole);
    const eased = share * share * (3 - 2 * share);
    const T = product(this.steps.slice(0, whole)).multiply(partial(this.steps[whole]!, eased));
    T.decompose(this.moving!.position, this.moving!.quaternion, this.moving!.scale);
    this.trail(whole, eased, drawing.radius);
    this.dimensions(whole, drawing.radius);
    this.stage.touch();
  }

  // The lengths a and d of the row, between the origins before and after that step.
  private dimensions(now: number, radius: number): void {
    const old = this.ghost!.getObjectByName("dimensions");
    const words = this.steps.map((step) => `${step.symbol} ${step.turns ? "" : `${number(step.amount, 4)} m`}`);
    const key = [now, ...words, ...this.steps.map((step) => step.amount), cssColor("--text")].join();
    if (old?.userData["key"] === key) return;
    if (old) disposeOf(old);
    const group = new THREE.Group();
    group.name = "dimensions";
    group.userData["key"] = key;
    const T = new THREE.Matrix4();
    this.steps.forEach((step, k) => {
      const from = new THREE.Vector3().setFromMatrixPosition(T);
      const letter = /^T[xz]\((a|d)\)$/.exec(step.symbol)?.[1];
      const across = (step.axis === X ? Z : X).clone().transformDirection(T).multiplyScalar(letter === "a" ? -4 * radius : -5 * radius);
      T.multiply(partial(step, 1));
      const line = letter && dimensionLine({ from, to: new THREE.Vector3().setFromMatrixPosition(T), words: `${letter} = ${number(step.amount, 4)} m`, strong: k === now },
        across, radius, cssColor("--text"), cssColor("--stage"));
      if (line) group.add(line);
    });
    this.ghost!.add(group);
  }

  // The way of the origin so far.
  private trail(whole: number, share: number, radius: number): void {
    const old = this.ghost!.getObjectByName("way");
    if (old) disposeOf(old);
    const points = [new THREE.Vector3()];
    const T = new THREE.Matrix4();
    for (let k = 0; k <= whole; ++k) {
      T.multiply(partial(this.steps[k]!, k === whole ? share : 1));
      points.push(new THREE.Vector3().setFromMatrixPosition(T));
    }
    const line = new THREE.Line(new THREE.BufferGeometry().setFromPoints(points),
      new THREE.LineDashedMaterial({ color: "#B8578F", dashSize: radius * 0.8, gapSize: radius * 0.4, depthTest: false }));
    line.computeLineDistances();
    line.name = "way";
    this.ghost!.add(line);
  }
}

