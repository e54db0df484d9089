// The library in the page: what the program computes, by the same C++ compiled to WebAssembly (wasm/). The page uses
// only these interfaces; it computes no dynamics of its own.
import type { Description, PayloadMass, Pole, Wrench } from "./data";

export type Numbers = ArrayLike<number>;

export interface OutputInfo {
  name: string; // "tau", "M", ...
  words: string;
  turning: string; // unit of an entry whose joint turns, and slides
  sliding: string;
  rows: number | "nq" | "nv" | "np";
  columns: number | "nq" | "nv" | "np"; // 1: a vector
  symmetric: boolean;
}

export interface JobInfo {
  name: string;
  words: string;
  inputs: ("q" | "qd" | "qdd" | "tau")[];
  outputs: OutputInfo[]; // stand in a row, matrices by rows
  takesFrame: boolean;
  takesWrenches: boolean;
}

// What a job may be handed; what is left out is zero (no wrench, the robot's tool).
export interface State {
  q: Numbers;
  qd?: Numbers;
  qdd?: Numbers;
  tau?: Numbers;
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
  | { kind: "dh"; joint: number; convention: "classic" | "modified"; a: number; alpha: number; d: number; theta: number }
  | { kind: "joint"; joint: number; origin?: number[]; axis?: number[]; lower?: number; upper?: number; velocity?: number;
      effort?: number; viscous?: number; coulomb?: number }
  | { kind: "gravity"; gravity: number[] }
  | ({ kind: "payload" } & PayloadMass); // added to what is there

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
  fall(q: Numbers, qd: Numbers): Fall;
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
  free(): void;
}

// From the base64 text of the module that the build puts into the page.
export async function loadEngine(base64: string): Promise<Engine> {
  if (base64.trim() === "") throw new Error("no engine");
  throw new Error("no engine");
}
