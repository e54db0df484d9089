// The library in the page: what the program computes, by the same C++ compiled to WebAssembly (wasm/). The page uses
// only these interfaces; it computes no dynamics of its own.
import type { Description, PayloadMass, Pole, Wrench } from "./data";
import { bytesOf, inflate } from "./data";

export type Numbers = ArrayLike<number>;

export interface OutputInfo {
  name: string; // "tau", "M", ...
  words: string;
  turning: string; // unit of an entry whose joint turns, and slides
  sliding: string;
  rows: string; // "nq", "nv", "np", "nt" (joints of the tree), "nl" (closed loops) or a number
  columns: string; // "1": a vector
  symmetric: boolean;
}

export type InputName = "q" | "qd" | "qdd" | "tau";

export interface JobInfo {
  name: string;
  words: string;
  inputs: InputName[];
  outputs: OutputInfo[]; // stand in a row, matrices by rows
  takesFrame: boolean;
  takesWrenches: boolean;
}

// What a job may be handed; what is left out is zero (no wrench, the robot's tool).
export interface State extends Partial<Record<InputName, Numbers>> {
  q: Numbers;
  frame?: string;
  wrenches?: Wrench[];
}

export interface MethodInfo {
  name: string;
  source: string; // the work it comes from
  multiplications: number; // counted on this robot
  additions: number;
  standard: boolean; // runs where none is named
}

export interface MethodAgreement extends MethodInfo {
  disagreement: number; // largest difference to the standard one, of its largest entry; NaN: no result, see error
  error?: string;
}

// A change of a robot. Indices are those of its Description. What is left out stays.
export type Edit =
  | { kind: "link"; link: number; mass?: number; com?: number[]; inertia?: number[] } // inertia: 9 numbers
  | { kind: "dh"; joint: number; convention: "classic" | "modified"; a: number; alpha: number; d: number; theta: number; gamma?: number; epsilon?: number }
  | { kind: "joint"; joint: number; origin?: number[]; axis?: number[]; lower?: number; upper?: number; velocity?: number;
      effort?: number; viscous?: number; coulomb?: number; spring?: number; spring_rest?: number;
      torque_offset?: number; stribeck?: number; stribeck_speed?: number }
  | { kind: "gravity"; gravity: number[] }
  | ({ kind: "payload" } & PayloadMass); // added to what is there

// What the joints can do at a frame, all directions at once: (24)-(26) of docs/equations/cartesian_models.md.
export interface Ellipsoid {
  lengths: (number | null)[]; // of its half axes, longest first; null: infinite
  axes: number[][]; // unit, along the axes of the base link
  isotropy: number;
}
type FrameEllipsoids = Record<"velocity" | "acceleration" | "inertia", Ellipsoid>;
export interface Ellipsoids {
  by_efforts: boolean; // accelerations are for shares of the efforts
  translation: FrameEllipsoids;
  rotation: FrameEllipsoids;
  manipulability: number; // of the translation
}

export interface Engine {
  jobs(): JobInfo[];
  load(toml: string): RobotHandle; // throws an Error with the program's own message
}

export interface RobotHandle {
  readonly description: Description; // the same text as in the payload
  toml(): string; // as the program writes it
  edited(edits: Edit[]): string; // TOML of the changed robot, to be load()ed; throws where it is none
  compute(job: string, state: State, method?: string): Float64Array; // a copy: all outputs in a row
  methods(job: string): MethodInfo[];
  compare(job: string, state: State): MethodAgreement[];
  // rotation: 9 numbers by rows; without it the frame's origin alone is brought there. In the base link frame.
  solvePose(frame: string, target: { position: number[]; rotation?: number[] }, q: Numbers):
    { q: Float64Array; reached: boolean; residual: number };
  poles(q: Numbers, qd: Numbers): Pole[]; // under the torques that hold this state
  ellipsoids(q: Numbers, frame?: string): Ellipsoids; // with the base at rest
  fall(q: Numbers, qd: Numbers): Fall;
  // On a base that moves: v, ω, v̇, ω̇ along the axes of the base link, the same in all calls from here on; null: at rest.
  setBase(motion: number[] | null): void;
  throughput(job: string, seconds: number): number; // evaluations a second on varying states, inside the module
  free(): void;
}

// Forward dynamics in time, by the library's solver of fixed steps.
export interface Fall {
  // Throws an Error where the robot cannot be accelerated; the state stays what it was.
  step(dt: number, x?: { tau?: Numbers; wrenches?: Wrench[]; damping?: number }): void;
  readonly q: Float64Array;
  readonly qd: Float64Array;
  readonly time: number;
  readonly kinetic: number;
  readonly potential: number;
  readonly work: number; // of torques and wrenches since the start, less what damping and friction took
  readonly balance: number; // kinetic + potential - work, since the start: 0 but for errors of integration
  readonly base: Float64Array | null; // where a base that moves is: x, y, z, quaternion x, y, z, w, from its place at the start
  free(): void;
}

// --- the module ---

// What wasm/engine.cpp exports. Numbers that are addresses in its memory are called so by their names.
interface Exports {
  memory: WebAssembly.Memory;
  _initialize?(): void;
  catena_answer(): number;
  catena_answer_length(): number;
  catena_allocate(bytes: number): number;
  catena_release(address: number): void;
  catena_ask(text: number, length: number): number;
  catena_run(robot: number, call: number, frame: number, wrenches: number): number;
  catena_run_many(robot: number, call: number, count: number): number;
  catena_step(fall: number, dt: number, damping: number, wrenches: number): number;
  catena_told(fall: number): number;
  catena_free_fall(fall: number): void;
  catena_free_robot(robot: number): void;
}

class Module {
  constructor(readonly exports: Exports) {}

  // The views are made anew each time: the memory moves when it grows.
  numbers(address: number, length: number): Float64Array {
    return new Float64Array(this.exports.memory.buffer, address, length);
  }
  answer(): string {
    const { memory, catena_answer, catena_answer_length } = this.exports;
    return new TextDecoder().decode(new Uint8Array(memory.buffer, catena_answer(), catena_answer_length()));
  }
  check(failed: number): void {
    if (failed) throw new Error(this.answer());
  }
  ask<T>(request: object): T {
    const text = new TextEncoder().encode(JSON.stringify(request));
    const address = this.exports.catena_allocate(text.length);
    new Uint8Array(this.exports.memory.buffer).set(text, address);
    const failed = this.exports.catena_ask(address, text.length);
    this.exports.catena_release(address);
    this.check(failed);
    return JSON.parse(this.answer()) as T;
  }
}

const mostWrenches = 32;

// The inputs as they stand in the module's memory, one behind the other; wrenches stand behind them.
interface InputPlace {
  name: InputName;
  size: number;
}

interface Served {
  call: number;
  out: number;
  size: number;
}

class LoadedRobot implements RobotHandle {
  readonly description: Description;
  private address: number;
  private readonly state: number;
  private readonly inputs: InputPlace[];
  private readonly frames: string[];
  private readonly calls = new Map<string, Served>();
  private carried = false; // by a base that moves

  constructor(private readonly module: Module, toml: string) {
    const made = module.ask<{
      robot: number; state: number; inputs: InputPlace[]; description: Description; frames: string[];
    }>({ ask: "load", toml });
    this.address = made.robot;
    this.state = made.state;
    this.inputs = made.inputs;
    this.description = made.description;
    this.frames = made.frames;
  }

  toml(): string {
    return this.ask<string>("toml");
  }
  edited(edits: Edit[]): string {
    return this.ask<string>("edited", { edits });
  }
  compute(job: string, state: State, method = ""): Float64Array {
    const served = this.served(job, method);
    const frame = state.frame ? this.frame(state.frame) : -1;
    const wrenches = this.write(state);
    this.module.check(this.module.exports.catena_run(this.live(), served.call, frame, wrenches));
    return this.module.numbers(served.out, served.size).slice();
  }
  methods(job: string): MethodInfo[] {
    return this.ask("methods", { job });
  }
  compare(job: string, state: State): MethodAgreement[] {
    const rows = this.ask<MethodAgreement[]>("compare", { job, state: plain(state) });
    return rows.map((row) => ({ ...row, disagreement: row.disagreement ?? NaN }));
  }
  solvePose(frame: string, target: { position: number[]; rotation?: number[] }, q: Numbers) {
    const found = this.ask<{ q: number[]; reached: boolean; residual: number }>("pose", {
      frame,
      ...target,
      q: Array.from(q),
    });
    return { ...found, q: Float64Array.from(found.q) };
  }
  poles(q: Numbers, qd: Numbers): Pole[] {
    return this.ask("poles", { q: Array.from(q), qd: Array.from(qd) });
  }
  ellipsoids(q: Numbers, frame = ""): Ellipsoids {
    return this.ask("ellipsoids", { q: Array.from(q), frame });
  }
  fall(q: Numbers, qd: Numbers): Fall {
    const { fall } = this.ask<{ fall: number }>("fall", { state: plain({ q, qd }) });
    return new Falling(this.module, fall, this.description.nq, this.description.dof, this.carried, (state) => this.write(state));
  }
  setBase(motion: number[] | null): void {
    this.ask("base", { motion: motion ?? [] });
    this.carried = motion !== null;
    this.calls.clear();
  }
  throughput(job: string, seconds: number): number {
    const served = this.served(job, "");
    const { nq, floating, start: closed } = this.description; // loops close there, and not everywhere
    this.write({ q: closed ?? new Float64Array(nq).map((_, k) => (floating && k < 7 ? (k === 6 ? 1 : 0) : 0.1 * k)) });
    this.module.numbers(this.state, this.size).fill(0.2, nq);
    const start = performance.now();
    let count = 0;
    let elapsed = 0;
    for (let batch = 100; elapsed < 1000 * seconds; batch = Math.min(2 * batch, 20000)) {
      this.module.check(this.module.exports.catena_run_many(this.live(), served.call, batch));
      count += batch;
      elapsed = performance.now() - start;
    }
    return count / (elapsed / 1000);
  }
  free(): void {
    if (this.address !== 0) this.module.exports.catena_free_robot(this.address);
    this.address = 0;
  }

  private live(): number {
    if (this.address === 0) throw new Error("this robot was freed");
    return this.address;
  }
  private ask<T>(what: string, more: object = {}): T {
    return this.module.ask<T>({ ask: what, robot: this.live(), ...more });
  }
  private served(job: string, method: string): Served {
    const key = `${job}/${method}`;
    let served = this.calls.get(key);
    if (!served) {
      served = this.ask<Served>("call", { job, method });
      this.calls.set(key, served);
    }
    return served;
  }
  private frame(name: string): number {
    const found = this.frames.indexOf(name);
    if (found < 0) throw new Error(`the robot has no frame '${name}'`);
    return found;
  }
  // Numbers of all inputs.
  private get size(): number {
    return this.inputs.reduce((sum, input) => sum + input.size, 0);
  }
  // Puts a state where the module reads it; what is left out is zero. Gives the number of wrenches.
  private write(state: State): number {
    const { size } = this;
    const wrenches = state.wrenches ?? [];
    if (wrenches.length > mostWrenches) throw new Error(`the page takes ${mostWrenches} wrenches at most`);
    const to = this.module.numbers(this.state, size + 8 * wrenches.length);
    let at = 0;
    for (const input of this.inputs) {
      const values = state[input.name];
      if (values && values.length !== input.size)
        throw new Error(`${input.name} has ${values.length} numbers, the robot needs ${input.size}`);
      if (values) to.set(values, at);
      else to.fill(0, at, at + input.size);
      at += input.size;
    }
    wrenches.forEach((wrench, k) => {
      const frame = this.frame(wrench.frame || this.description.tool);
      to.set([frame, wrench.axes === "world" ? 1 : 0, ...wrench.wrench], size + 8 * k);
    });
    return wrenches.length;
  }
}

class Falling implements Fall {
  constructor(private readonly module: Module, private address: number, private readonly nq: number,
    private readonly dof: number, private readonly carried: boolean, private readonly write: (state: State) => number) {}

  step(dt: number, x: { tau?: Numbers; wrenches?: Wrench[]; damping?: number } = {}): void {
    const state: State = { q: this.q, qd: this.qd };
    if (x.tau) state.tau = x.tau;
    if (x.wrenches) state.wrenches = x.wrenches;
    const wrenches = this.write(state);
    this.module.check(this.module.exports.catena_step(this.live(), dt, x.damping ?? 0, wrenches));
  }
  get q(): Float64Array {
    return this.told().slice(5, 5 + this.nq);
  }
  get qd(): Float64Array {
    return this.told().slice(5 + this.nq, 5 + this.nq + this.dof);
  }
  get base(): Float64Array | null {
    return this.carried ? this.told().slice(5 + this.nq + this.dof) : null;
  }
  get time(): number {
    return this.told()[0] as number;
  }
  get kinetic(): number {
    return this.told()[1] as number;
  }
  get potential(): number {
    return this.told()[2] as number;
  }
  get work(): number {
    return this.told()[3] as number;
  }
  get balance(): number {
    return this.told()[4] as number;
  }
  free(): void {
    if (this.address !== 0) this.module.exports.catena_free_fall(this.address);
    this.address = 0;
  }

  private live(): number {
    if (this.address === 0) throw new Error("this fall was freed");
    return this.address;
  }
  private told(): Float64Array {
    return this.module.numbers(this.module.exports.catena_told(this.live()), 5 + this.nq + this.dof + (this.carried ? 7 : 0));
  }
}

// Typed arrays as JSON writes lists.
function plain(state: State): object {
  return Object.fromEntries(
    Object.entries(state).map(([key, value]) => [key, ArrayBuffer.isView(value) ? Array.from(value as Float64Array) : value]),
  );
}

// What a module without a system around it still asks for: nothing that the library does leads there.
function imports(module: WebAssembly.Module): WebAssembly.Imports {
  const all: Record<string, Record<string, WebAssembly.ImportValue>> = {};
  for (const { module: from, name, kind } of WebAssembly.Module.imports(module)) {
    if (kind !== "function") throw new Error(`the engine asks for ${from}.${name}, which is no function`);
    (all[from] ??= {})[name] = (): number => {
      if (name === "emscripten_notify_memory_growth") return 0;
      if (name === "environ_sizes_get" || name === "environ_get") return 0;
      throw new Error(`the engine asked the system for ${name}`);
    };
  }
  return all;
}

export async function engineOf(bytes: BufferSource): Promise<Engine> {
  const compiled = await WebAssembly.compile(bytes);
  const instance = await WebAssembly.instantiate(compiled, imports(compiled));
  const module = new Module(instance.exports as unknown as Exports);
  module.exports._initialize?.();
  return {
    jobs: () => module.ask<JobInfo[]>({ ask: "jobs" }),
    load: (toml) => new LoadedRobot(module, toml),
  };
}

// From the text that the build puts into the page: the module, zlib, base64.
export async function loadEngine(base64: string): Promise<Engine> {
  if (base64.trim() === "") throw new Error("no engine");
  return engineOf((await inflate(bytesOf(base64.trim()))) as BufferSource);
}
