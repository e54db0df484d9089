// What a page carries: the robots, what was computed with them, and how columns of numbers are packed. The program
// writes it (src/report/), this file reads it; both sides of the format are described here.

// A pose as 16 numbers: a homogeneous 4 x 4 matrix by rows.
export type Pose16 = number[];

export interface Payload {
  version: 1;
  program: string; // "catena 0.1.0"
  title: string;
  scenes: Scene[];
  benchmarks?: Benchmark[];
}

// A table of bars: each row a name and a number for each key of `values`.
export interface Benchmark {
  title: string;
  unit: string;
  source: string; // where the numbers are from: machine, compiler, date
  rows: { name: string; values: Record<string, number | null> }[];
}

export type SceneKind = "robot" | "inverse" | "simulate" | "trajectory" | "linearize" | "compare";

export interface Scene {
  name: string;
  kind: SceneKind;
  command: string; // the command line that made it
  toml: string; // the robot as the program writes it: locked joints, payloads and other gravity are in it
  robot: Description;
  q: number[]; // where it stands first, length robot.nq
  tree?: number[]; // of a robot with loops: positions of all joints there, length robot.nt
  base?: number[]; // its base moves: v, ω, v̇, ω̇ along the axes of the base link
  wrenches: Wrench[];
  payloads: PayloadMass[]; // what --payload added; the links of `toml` carry it already
  samples?: Samples;
  phases?: Phase[]; // what events made of the robot, by time
  matrix?: Linearized;
  compare?: Comparison;
  meshes: Mesh[];
  notes: string[]; // warnings, what could not be found; one sentence each
}

// The robot from a time on, with all that was attached: links that `robot` of the scene does not have are drawn on it.
export interface Phase {
  t: number;
  robot: Description;
  q: string[]; // the columns of its positions
}

// A force and a moment on a frame, at its origin: [fx, fy, fz, mx, my, mz].
export interface Wrench {
  frame: string;
  axes: "frame" | "world"; // along the frame's own axes, or those of the base link
  wrench: number[];
}

export interface PayloadMass {
  frame: string;
  mass: number;
  com: number[]; // in that frame, m
}

// --- the robot ---

export interface Description {
  name: string;
  dof: number; // entries of qd, qdd, tau
  nq: number; // entries of q: dof, or dof + 1 where the base is free
  floating: boolean;
  gravity: number[]; // m/s^2, base link frame
  base: string;
  tool: string; // the frame or link that is meant where none is named
  q_names: string[]; // of the nq entries of q
  joint_names: string[]; // of the dof entries of qd, qdd, tau
  units: string[]; // "rad" or "m", of each entry of qd (without /s)
  links: LinkInfo[];
  joints: JointInfo[]; // parents before children
  frames: FrameInfo[]; // named frames, beside the link frames
  loops?: LoopInfo[]; // that close the tree, where there are any
  nt?: number; // with loops: how many joints the tree has
  start?: number[]; // with loops: a q at which they close
  dh?: DhRow[]; // of the joints that are rows of Denavit and Hartenberg, where all that move are
}

export interface LinkInfo {
  name: string;
  mass: number;
  com: number[];
  inertia: number[]; // 9, about the mass centre, along the link's axes
  physical: boolean; // false: no rigid body has these moments
}

export interface JointInfo {
  name: string;
  // "floating": the first joint of a free base. q[0..2] is where the link stands, q[3..6] its quaternion (x, y, z, w).
  type: "revolute" | "prismatic" | "fixed" | "floating";
  parent: number; // index into links
  link: number; // index into links: the child
  // Pose of the child in its parent: origin * (turn or slide by q about or along axis) * child.
  origin: Pose16;
  axis: number[];
  child: Pose16; // identity for URDF and modified Denavit-Hartenberg
  lower: number | null;
  upper: number | null;
  velocity: number | null;
  effort: number | null;
  passive: boolean;
  viscous: number; // friction, N m s/rad or N s/m
  coulomb: number; // N m or N
  spring: number; // stiffness, N m/rad or N/m
  spring_rest: number; // rad or m
  torque_offset: number; // N m or N
  stribeck: number; // N m or N
  stribeck_speed: number; // rad/s or m/s
  q: number; // index into q (of a floating joint: 0); -1 where it does not move by itself
  v: number; // index into qd, qdd, tau; -1 likewise
  // A joint that follows others: its position is the sum of factor * position of joint `to`, and offset.
  coupled?: { terms: { to: number; factor: number }[]; offset: number };
  tree?: number; // of a joint that follows from closed loops: index into the positions of all joints (the job `place`)
}

export interface FrameInfo {
  name: string;
  link: number;
  origin: Pose16; // in the link
}

export interface LoopInfo {
  name: string;
  type: "revolute" | "prismatic" | "cylindrical" | "universal" | "spherical" | "planar" | "fixed";
  frames: [string, string]; // named frames or links: what the second may do against the first
}

// classic:  Rz(theta) Tz(d) Tx(a) Rx(alpha);  modified: Rx(alpha) Tx(a) Rz(theta) Tz(d).
// theta (revolute) or d (prismatic) is the offset at q = 0.
export interface DhRow {
  joint: number; // index into joints
  convention: "classic" | "modified";
  a: number;
  alpha: number;
  d: number;
  theta: number;
  gamma?: number; // turn and slide about the parent's z first: rows of branches
  epsilon?: number;
}

// --- meshes ---

export interface Mesh {
  link: number;
  origin: Pose16; // in the link
  scale: number[];
  format: "stl" | "obj" | "dae";
  data: string | null; // zlib, then base64; null: the file was not found, `note` says so
  file: string; // as the URDF names it
  color?: number[]; // r, g, b, a in 0..1
  note?: string;
}

// --- results ---

// What `catena linearize` gives, about the state (q, qd, qdd). Matrices by rows, n x n; A 2n x 2n, B 2n x m.
export interface Linearized {
  q: number[];
  qd: number[];
  qdd: number[];
  D: number[][];
  V: number[][];
  P: number[][];
  A?: number[][];
  B?: number[][];
  poles?: Pole[];
  K?: number[][]; // of the regulator δτ = -K x, m x 2n
  closed_loop_poles?: Pole[];
  states?: string[]; // names of the rows of A, and of the columns of B and rows of K
  inputs?: string[];
  sample_time?: number; // s: A, B, K and the poles are those of the sampled model
}
export interface Pole {
  re: number;
  im: number;
}

// What `catena compare` gives.
export interface Comparison {
  job: string;
  robot: string;
  rows: CompareRow[];
}
export interface CompareRow {
  name: string;
  source: string;
  disagreement: number | null; // largest difference to the standard formulation, of the largest entry
  multiplications: number;
  additions: number;
  ns?: number; // time of one call, where it was measured
}

export type ColumnGroup =
  | "t" | "q" | "tree" | "qd" | "qdd" | "tau" | "power" | "energy" | "balance" | "base" | "other"
  | "q_ref" // what a law follows or holds, by its entry of q
  | "frame" | "frame_ref" // where a frame is that a law moves, and where it should be: x, y, z in the base link
  | "turn" // the angle that is left of its rotation
  | "error" | "difference"; // not in a file: what the page makes of them

export interface Samples {
  count: number;
  columns: Column[];
  events: { t: number; text: string }[];
}

export interface Column {
  name: string; // "t", "q1", "qd1", "tau1", "kinetic", ...: as in the CSV file
  label: string; // for a legend: the joint's name, "kinetic energy"
  unit: string;
  group: ColumnGroup;
  // Entry of q (group q), of the positions of all joints (group tree: joints that follow from loops) or of qd, qdd, tau,
  // or of where the base is (group base: x, y, z and a quaternion x, y, z, w, from its place at the start);
  // -1 where it is of no joint.
  joint: number;
  data: PackedColumn;
}

// Numbers as integers k: value = k / 10^digits (digits < 0: k * 10^-digits), k kept by its differences of `order`.
// `start` has the first k, the first of its first differences, and so on: `order` numbers. The other count - order
// differences are zigzag (0, -1, 1, -2, ...), cut into `planes` bytes, least first, plane after plane; zlib; base64.
// `exact` has all bits instead: the least bytes of all numbers, then the next ones, eight planes; zlib; base64.
// `gaps` says where the number is none: [from, how many, which]. Where all numbers are equal there is `constant` alone.
export type PackedColumn =
  | { constant: number | null }
  | { exact: string }
  | {
      digits: number;
      order: number;
      start: number[];
      planes: number;
      bytes: string;
      gaps?: [number, number, "nan" | "inf" | "-inf"][];
    };

// --- reading ---

export function bytesOf(base64: string): Uint8Array {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; ++i) bytes[i] = text.charCodeAt(i);
  return bytes;
}

export async function inflate(packed: Uint8Array): Promise<Uint8Array> {
  const stream = new Blob([packed as BlobPart]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

// The bytes of a mesh file.
export async function meshBytes(mesh: Mesh): Promise<Uint8Array | null> {
  return mesh.data === null ? null : inflate(bytesOf(mesh.data));
}

// differences, as zigzag in byte planes -> k
function integersOf(raw: Uint8Array, count: number, order: number, start: number[], planes: number): Float64Array {
  const k = new Float64Array(count);
  const rest = count - order;
  if (raw.length !== rest * planes)
    throw new Error(`a column has ${raw.length} bytes, ${rest * planes} were expected`);
  for (let i = 0; i < rest; ++i) {
    let zigzag = 0;
    for (let plane = planes - 1; plane >= 0; --plane) zigzag = zigzag * 256 + (raw[plane * rest + i] as number);
    k[order + i] = zigzag % 2 === 0 ? zigzag / 2 : -(zigzag + 1) / 2;
  }
  for (let level = order - 1; level >= 0; --level) {
    let sum = start[level] as number;
    k[level] = sum;
    for (let i = level + 1; i < count; ++i) {
      sum += k[i] as number;
      k[i] = sum;
    }
  }
  return k;
}

function exactOf(raw: Uint8Array, count: number): Float64Array {
  if (raw.length !== 8 * count) throw new Error(`a column has ${raw.length} bytes, ${8 * count} were expected`);
  const view = new DataView(new ArrayBuffer(8 * count));
  for (let i = 0; i < count; ++i) for (let plane = 0; plane < 8; ++plane) view.setUint8(8 * i + plane, raw[plane * count + i]!);
  return Float64Array.from({ length: count }, (_, i) => view.getFloat64(8 * i, true));
}

const special = { nan: NaN, inf: Infinity, "-inf": -Infinity };

export async function unpack(column: PackedColumn, count: number): Promise<Float64Array> {
  if ("constant" in column) return new Float64Array(count).fill(column.constant ?? NaN);
  if ("exact" in column) return exactOf(await inflate(bytesOf(column.exact)), count);
  const { digits, order, start, planes, bytes, gaps } = column;
  const raw = planes === 0 ? new Uint8Array(0) : await inflate(bytesOf(bytes));
  const values = integersOf(raw, count, order, start, planes);
  const scale = 10 ** Math.abs(digits);
  for (let i = 0; i < count; ++i)
    values[i] = digits >= 0 ? (values[i] as number) / scale : (values[i] as number) * scale;
  for (const [from, length, which] of gaps ?? []) values.fill(special[which], from, from + length);
  return values;
}

// All columns of a scene, by name.
export async function unpackSamples(samples: Samples): Promise<Map<string, Float64Array>> {
  const values = await Promise.all(samples.columns.map((column) => unpack(column.data, samples.count)));
  return new Map(samples.columns.map((column, i) => [column.name, values[i] as Float64Array]));
}

// The payload that the program put into this page; null in a template that was never filled.
export function payloadOf(page: Document): Payload | null {
  const text = page.getElementById("catena-data")?.textContent;
  if (!text) return null;
  const payload = JSON.parse(text) as Payload;
  if (payload.version !== 1) throw new Error(`this page reads payloads of version 1, not ${payload.version}`);
  return payload;
}
