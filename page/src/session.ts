// What the page shows now: a scene, a robot, a state. Everything else listens.
import { unpackSamples, type Description, type Payload, type Scene, type Wrench } from "./data";
import type { Ellipsoids, Engine, RobotHandle, State } from "./engine";
import { shortNames } from "./format";
import { Recording } from "./recording";

export type Mode = "play" | "live" | "fall";
type Topic = "release" | "scene" | "robot" | "state" | "mode" | "emphasis";

export class Session {
  scene!: Scene;
  robot!: Description;
  handle: RobotHandle | null = null;
  toml = "";
  recording: Recording | null = null;
  mode: Mode = "live";
  q = new Float64Array(0);
  qd = new Float64Array(0);
  tree = new Float64Array(0); // positions of all joints, where some follow from closed loops (JointInfo.tree)
  unclosed = ""; // why the loops do not close where the robot was to go
  time = 0;
  broken = false; // the recording has no number here
  pull: Wrench | null = null; // what the mouse pulls with
  base: number[] | null = null; // how the base moves: 12 numbers, see RobotHandle.setBase
  readonly place = Float64Array.from(atHome); // where the base is: x, y, z, quaternion x, y, z, w, from its place at the start
  emphasis = -1; // the joint that a person points at
  problem = ""; // why the robot could not be loaded
  drive: Float64Array | null = null; // torques of the motors while it falls
  private turns = 0;
  private held: Float64Array | null | undefined; // torques in this state, where they were asked for
  private found: Ellipsoids | Error | null = null; // of the tool in this state
  private readonly listeners = new Map<Topic, Set<() => void>>();

  constructor(readonly payload: Payload, readonly engine: Engine | null, readonly engineProblem: string) {}

  on(topic: Topic, listener: () => void): void {
    if (!this.listeners.has(topic)) this.listeners.set(topic, new Set());
    this.listeners.get(topic)!.add(listener);
  }

  private tell(topic: Topic): void {
    if (topic === "robot" || topic === "state") this.found = null;
    if (topic !== "emphasis") this.held = undefined;
    for (const listener of this.listeners.get(topic) ?? []) listener();
  }

  async open(index: number): Promise<void> {
    const scene = this.payload.scenes[index]!;
    const turn = ++this.turns;
    const values = scene.samples ? await unpackSamples(scene.samples) : new Map<string, Float64Array>();
    if (turn !== this.turns) return; // another scene was asked for meanwhile
    this.scene = scene;
    this.base = scene.base ?? null;
    this.recording = scene.samples ? Recording.of(scene, values) : null;
    this.time = this.recording?.start ?? 0;
    this.setRobot(scene.toml, scene.robot);
    this.q = startOf(this.robot, scene.q);
    this.qd = new Float64Array(this.robot.dof);
    this.place.set(atHome);
    this.stand();
    this.mode = this.recording?.plays ? "play" : "live";
    if (this.recording?.plays) this.readRecording();
    this.tell("scene");
    this.tell("robot");
    this.tell("mode");
    this.tell("state");
  }

  private setRobot(toml: string, known: Description | null): void {
    let handle: RobotHandle | null = null;
    this.problem = "";
    try {
      handle = this.engine?.load(toml) ?? null;
      if (this.base && handle && !handle.description.floating) handle.setBase(this.base);
    } catch (error) {
      if (known === null) throw error;
      this.problem = messageOf(error);
    }
    this.tell("release"); // who computes with the old robot lets go of it
    this.handle?.free();
    this.handle = handle;
    this.toml = toml;
    this.robot = known ?? handle!.description;
  }

  // Another robot in the place of this one: a changed row, mass or text. Throws what the program says of it.
  change(toml: string): void {
    if (!this.engine) throw new Error(noEngine);
    const before = { nq: this.robot.nq, q: this.q };
    this.setRobot(toml, null);
    this.q = before.nq === this.robot.nq ? before.q : startOf(this.robot, []);
    this.qd = new Float64Array(this.robot.dof);
    this.stand();
    if (this.mode !== "live") this.setMode("live");
    this.tell("robot");
    this.tell("state");
  }

  get opened(): boolean {
    return this.scene !== undefined;
  }

  get changed(): boolean {
    return this.toml !== this.scene.toml;
  }

  setMode(mode: Mode): void {
    if (mode === this.mode) return;
    this.mode = mode;
    if (mode !== "play") this.broken = false;
    this.tell("mode");
  }

  setTime(time: number): void {
    if (!this.recording) return;
    this.time = Math.min(this.recording.end, Math.max(this.recording.start, time));
    if (this.changed && this.robot.nq !== this.scene.robot.nq) this.restore(); // the motion is another robot's
    this.setMode("play");
    this.readRecording();
    this.tell("state");
  }

  restore(): void {
    this.setRobot(this.scene.toml, this.scene.robot);
    if (this.q.length !== this.robot.nq) this.q = startOf(this.robot, this.scene.q);
    this.qd = new Float64Array(this.robot.dof);
    this.stand();
    this.tell("robot");
    this.tell("state");
  }

  private readRecording(): void {
    this.unclosed = "";
    this.broken = !this.read(this.time, this.q, this.tree);
    this.readPlace(this.time, this.place);
    this.recording!.read("qd", this.time, this.qd);
  }

  // Where the base is at a time of the recording.
  readPlace(time: number, place: Float64Array): void {
    place.set(atHome);
    if (this.recording?.has("base")) this.recording.read("base", time, place);
  }

  // Where the robot is at a time of the recording; false where a number is missing, which stays as it was.
  read(time: number, q: Float64Array, tree: Float64Array): boolean {
    const recording = this.recording!;
    const known = recording.read("q", time, q);
    if (this.robot.floating) normalizeQuaternion(q);
    if (!this.robot.loops) return known;
    const recorded = recording.has("tree") && !this.changed;
    return (recorded ? recording.read("tree", time, tree) : this.close(q, tree) === "") && known;
  }

  // Finds the joints that follow from closed loops. Where the loops do not close: why, and the tree stays as it was.
  private close(q: Float64Array, tree: Float64Array): string {
    if (!this.robot.loops) return "";
    const { scene, handle } = this;
    if (!handle) {
      if (!scene.tree || scene.q.some((value, i) => value !== q[i])) return noEngine;
      tree.set(scene.tree);
      return "";
    }
    try {
      const all = handle.compute("place", { q });
      tree.set(all.subarray(all.length - tree.length)); // a base that moves has joints of its own before them
      return "";
    } catch (error) {
      return messageOf(error);
    }
  }

  // Closes the loops of another robot: where it stands, else where they are known to close.
  private stand(): void {
    this.tree = new Float64Array(this.robot.nt ?? 0);
    this.unclosed = "";
    if (this.close(this.q, this.tree) === "") return;
    this.q = startOf(this.robot, []);
    this.unclosed = this.close(this.q, this.tree);
  }

  // Whether it can be moved by hand: without an engine, closed loops are known only where they were recorded.
  get movable(): boolean {
    return !this.robot.loops || this.handle !== null;
  }

  // A posture from a slider, a solution, a fall. False where closed loops do not close there: it stays where it is.
  setPosture(q: ArrayLike<number>, mode: Mode = "live", qd?: ArrayLike<number>, place: ArrayLike<number> | null = null): boolean {
    const asked = Float64Array.from(q);
    this.place.set(place ?? atHome);
    this.unclosed = this.close(asked, this.tree);
    if (this.unclosed === "") this.q = asked;
    this.qd = qd ? Float64Array.from(qd) : new Float64Array(this.robot.dof);
    this.setMode(mode);
    this.tell("state");
    return this.unclosed === "";
  }

  // How the base moves from here on; null: it does not. What was computed with the old one is let go of.
  setBase(base: number[] | null): void {
    this.tell("release");
    this.base = base;
    this.handle?.setBase(base);
    this.tell("state");
  }

  setPull(pull: Wrench | null): void {
    this.pull = pull;
    this.tell("state");
  }

  setEmphasis(joint: number): void {
    if (joint === this.emphasis) return;
    this.emphasis = joint;
    this.tell("emphasis");
  }

  get wrenches(): Wrench[] {
    return this.pull ? [...this.scene.wrenches, this.pull] : this.scene.wrenches;
  }

  // Runs a job on this state; null without an engine, or where it has no result.
  compute(job: string, more: Partial<State> = {}): Float64Array | null {
    if (!this.handle || this.broken) return null;
    try {
      return this.handle.compute(job, { q: this.q, ...more });
    } catch {
      return null;
    }
  }

  // Of the tool, asked once for each state; null without an engine.
  ellipsoids(): Ellipsoids | Error | null {
    if (!this.handle || this.broken) return null;
    try {
      this.found ??= this.handle.ellipsoids(this.q);
    } catch (error) {
      this.found = error instanceof Error ? error : new Error(String(error));
    }
    return this.found;
  }

  // Velocity and acceleration of the recording now; zero where it has none.
  motion(): { qd: Float64Array; qdd: Float64Array } {
    const qdd = new Float64Array(this.robot.dof);
    if (this.mode === "play") this.recording?.read("qdd", this.time, qdd);
    return { qd: this.qd, qdd };
  }

  // Torques to draw: the recorded ones, those of the motors in a fall, else those that hold the robot still.
  efforts(): Float64Array | null {
    return (this.held ??= this.findEfforts());
  }

  private findEfforts(): Float64Array | null {
    if (this.mode === "play" && this.recording?.has("tau") && !this.changed) {
      const tau = new Float64Array(this.robot.dof);
      this.recording.read("tau", this.time, tau);
      return tau;
    }
    if (this.mode === "fall") return this.drive;
    if (this.mode === "play" && this.recording?.has("qdd")) return this.compute("inverse", { ...this.motion(), wrenches: this.wrenches });
    return this.compute("gravity", { wrenches: this.wrenches });
  }
}

const atHome = [0, 0, 0, 0, 0, 0, 1];

export const noEngine =
  "This file plays what was computed, and does not compute: it was made without the WebAssembly engine.";

// What scenes are called where one is chosen: those of one name are numbered.
export function sceneNames(scenes: Scene[]): string[] {
  return scenes.map(({ name }, i) => (scenes.some((one, k) => k !== i && one.name === name) ? `${name} (${i + 1})` : name));
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function startOf(robot: Description, q: number[]): Float64Array<ArrayBuffer> {
  const start = Float64Array.from(robot.start ?? new Array<number>(robot.nq).fill(0));
  if (robot.floating) start[6] = 1;
  if (!robot.start)
    for (const { q: at, lower, upper, type } of robot.joints) {
      if (at < 0 || type === "floating" || ((lower ?? -1) <= 0 && (upper ?? 1) >= 0)) continue;
      start[at] = lower !== null && upper !== null ? (lower + upper) / 2 : (lower ?? upper)!; // 0 is beyond its limits
    }
  for (let i = 0; i < Math.min(q.length, robot.nq); ++i) if (Number.isFinite(q[i])) start[i] = q[i]!;
  return start;
}

function normalizeQuaternion(q: Float64Array): void {
  const size = Math.hypot(q[3]!, q[4]!, q[5]!, q[6]!);
  for (let i = 3; i < 7; ++i) q[i] = size > 0 ? q[i]! / size : i === 6 ? 1 : 0;
}

// The one name of a joint on the page: without what all names have in common.
const known = new WeakMap<Description, Map<string, string>>();
export function jointName(robot: Description, name: string): string {
  if (!known.has(robot)) {
    const names = robot.joints.filter((joint) => joint.type === "revolute" || joint.type === "prismatic").map((joint) => joint.name);
    const short = shortNames(names);
    known.set(robot, new Map(names.map((one, i) => [one, short[i]!])));
  }
  return known.get(robot)!.get(name) ?? name;
}

export function effortLimits(robot: Description): (number | null)[] {
  const limits: (number | null)[] = new Array<number | null>(robot.dof).fill(null);
  for (const joint of robot.joints) if (joint.v >= 0 && joint.type !== "floating") limits[joint.v] = joint.effort;
  return limits;
}
