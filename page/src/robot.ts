// The robot as a tree of groups: origin, motion and child frame of every joint, and on them what a person sees.
import * as THREE from "three";
import type { Description, FrameInfo, JointInfo, LoopInfo } from "./data";
import { principal } from "./linear";
import { positionsOf } from "./positions";
import { jointName } from "./session";
import { along, Arrow, capsule, cuts, disposeOf, pose, RoundArrow, triad, vec, surface, type Surface } from "./shapes";
import { cssColor, jointColor } from "./theme";

export interface Shown {
  capsules: boolean;
  meshes: boolean;
  masses: boolean;
  inertias: boolean;
  frames: boolean;
  axes: boolean;
  torques: boolean;
  wrenches: boolean;
  trail: boolean;
  names: boolean;
}

interface Moving {
  info: JointInfo;
  mover: THREE.Group; // moves by q; its parent is the joint's frame at q = 0
  axis: THREE.Vector3;
  radius: number;
  effort: RoundArrow | Arrow | null;
  rail: THREE.Mesh | null;
  body: Surface | null;
}

type Layer = "rings" | "capsules" | "masses" | "inertias" | "frames" | "axes" | "torques";

export class RobotDrawing {
  readonly root = new THREE.Group();
  readonly links: THREE.Group[];
  readonly reach: number;
  readonly radius: number; // of the thickest link
  readonly labels: { at: THREE.Object3D; words: string; kind: "joint" | "frame" }[] = [];
  private readonly joints: Moving[] = [];
  private readonly frames = new Map<string, THREE.Object3D>();
  private readonly layers: Record<Layer, THREE.Object3D[]> =
    { rings: [], capsules: [], masses: [], inertias: [], frames: [], axes: [], torques: [] };
  private readonly linkMaterial = surface({ roughness: 0.55, metalness: 0.08 });
  private readonly loopMaterial = surface({ roughness: 0.42, metalness: 0.1 });
  private readonly footMaterial = surface({ roughness: 0.8 });
  private readonly massMaterial = new THREE.MeshBasicMaterial({ depthTest: false, transparent: true, opacity: 0.85 });

  private atLimit: number[] = []; // joints that are painted red

  // `like`: as thick as that one, of which it is a part.
  constructor(readonly robot: Description, like: { reach: number; radius: number } | null = null) {
    this.links = robot.links.map(() => new THREE.Group());
    this.reach = like?.reach ?? reachOf(robot);
    this.radius = like?.radius ?? radiusOf(robot, this.reach);
    this.connect();
    const depth = depths(robot);
    const deepest = Math.max(1, ...depth);
    robot.links.forEach((_, link) => this.drawLink(link, this.radius * (1 - (0.45 * depth[link]!) / deepest)));
    if (!robot.floating) this.drawFoot();
    for (const joint of this.joints) this.drawJoint(joint, depth[joint.info.link]! / deepest);
    for (const loop of robot.loops ?? []) this.drawLoop(loop);
    this.paint();
  }

  private connect(): void {
    const hung = new Set<number>();
    for (const info of this.robot.joints) {
      const origin = new THREE.Group();
      fix(origin, pose(info.origin));
      const mover = new THREE.Group();
      const child = this.links[info.link]!;
      fix(child, pose(info.child));
      this.links[info.parent]!.add(origin);
      origin.add(mover);
      mover.add(child);
      hung.add(info.link);
      this.joints.push({ info, mover, axis: vec(info.axis).normalize(), radius: 0, effort: null, rail: null, body: null });
    }
    this.links.forEach((link, i) => {
      if (!hung.has(i)) this.root.add(link);
      this.frames.set(this.robot.links[i]!.name, link);
    });
    for (const frame of this.robot.frames) {
      const node = new THREE.Group();
      fix(node, pose(frame.origin));
      this.links[frame.link]!.add(node);
      this.frames.set(frame.name, node);
    }
  }

  // Links and joints, and what they are called.
  named(): [THREE.Object3D, string][] {
    return [...this.links.map((link, i): [THREE.Object3D, string] => [link, this.robot.links[i]!.name]),
      ...this.joints.map(({ mover, info }): [THREE.Object3D, string] => [mover, info.name])];
  }

  // What a motion of the joints moves.
  moving(): THREE.Object3D[] {
    return this.joints.flatMap(({ mover, rail }) => (rail ? [mover, rail] : [mover]));
  }

  // What is drawn about the robot and is no part of it.
  marks(): THREE.Object3D[] {
    return Object.entries(this.layers).flatMap(([layer, objects]) => (layer === "capsules" ? [] : objects));
  }

  frame(name: string): THREE.Object3D {
    return this.frames.get(name) ?? this.links[this.links.length - 1] ?? this.root;
  }

  get tool(): THREE.Object3D {
    return this.frame(this.robot.tool);
  }

  // Where a frame stands in the base link, as the engine's `pose` says it: 16 numbers by rows.
  poseOf(name: string): number[] {
    this.root.updateMatrixWorld(true);
    const base = this.frame(this.robot.base).matrixWorld.clone();
    if (this.robot.floating) base.copy(this.root.matrixWorld);
    return base.invert().multiply(this.frame(name).matrixWorld).transpose().toArray();
  }

  setQ(q: ArrayLike<number>, tree: ArrayLike<number>): void {
    const position = positionsOf(this.robot, q, tree);
    this.joints.forEach((joint, index) => {
      const { mover, axis, info } = joint;
      if (info.type === "floating") {
        mover.position.set(q[0]!, q[1]!, q[2]!);
        mover.quaternion.set(q[3]!, q[4]!, q[5]!, q[6]!);
      } else if (info.type === "revolute") {
        mover.quaternion.setFromAxisAngle(axis, position(index));
      } else if (info.type === "prismatic") {
        const slide = position(index);
        mover.position.copy(axis).multiplyScalar(slide);
        joint.rail?.scale.set(1, Math.max(1e-6, Math.abs(slide)), 1);
        joint.rail?.position.copy(axis).multiplyScalar(slide / 2);
      }
    });
  }

  // --- what is drawn once ---

  private near(link: number): THREE.Vector3 {
    const joint = this.robot.joints.find((one) => one.link === link);
    return joint ? new THREE.Vector3().setFromMatrixPosition(pose(joint.child).invert()) : new THREE.Vector3();
  }

  // Where other links join a link: its joints, and if it has some the frames that close loops too.
  private ends(index: number): (JointInfo | FrameInfo)[] {
    const joints = this.robot.joints.filter((joint) => joint.parent === index);
    const closing = this.robot.loops?.flatMap((loop) => loop.frames) ?? [];
    const frames = this.robot.frames.filter((frame) => frame.link === index && closing.includes(frame.name));
    return joints.length === 0 ? [] : [...joints, ...frames];
  }

  private drawLink(index: number, radius: number): void {
    const link = this.links[index]!;
    const info = this.robot.links[index]!;
    const near = this.near(index);
    const far = this.ends(index).map((end) => new THREE.Vector3().setFromMatrixPosition(pose(end.origin)));
    if (far.length === 0) {
      far.push(new THREE.Vector3());
      for (const frame of this.robot.frames)
        if (frame.link === index) far.push(new THREE.Vector3().setFromMatrixPosition(pose(frame.origin)));
      if (far.every((point) => point.distanceTo(near) < 1e-3 * this.reach) && info.mass > 0) far.push(vec(info.com));
    }
    for (const point of far)
      if (point.distanceTo(near) > 1e-6 * this.reach) this.put("capsules", link, capsule(near, point, radius, this.linkMaterial));
    if (info.mass > 0) this.drawMass(link, index);
    const axes = triad(4.6 * this.radius, 0.15 * this.radius);
    this.put("frames", link, axes);
    this.labels.push({ at: link, words: info.name, kind: "frame" });
    const fixed = this.robot.joints.find((joint) => joint.link === index)?.type === "fixed";
    if (fixed && /^payload/i.test(info.name) && info.mass > 0) {
      const ball = new THREE.Mesh(new THREE.SphereGeometry(1.7 * radius, cuts(32), cuts(20)),
        surface({ color: "#B8578F", roughness: 0.35 }));
      ball.position.copy(vec(info.com));
      this.put("capsules", link, ball);
    }
  }

  // What the base stands on: across gravity, or across the first axis where the robot moves in a plane.
  private drawFoot(): void {
    const base = this.links[this.robot.links.findIndex((link) => link.name === this.robot.base)] ?? this.links[0];
    const first = this.robot.joints.find((joint) => joint.type !== "fixed");
    if (!base || !first) return;
    const down = vec(this.robot.gravity);
    const axis = vec(first.axis).transformDirection(pose(first.origin));
    const planar = first.type === "revolute" && down.lengthSq() > 0 && Math.abs(axis.dot(down.normalize())) < 0.5;
    const foot = new THREE.Mesh(new THREE.CylinderGeometry(2.5 * this.radius, 2.9 * this.radius, 0.5 * this.radius, cuts(44)), this.footMaterial);
    along(foot, planar ? axis : down.lengthSq() > 0 ? down.negate() : axis);
    if (planar) foot.position.copy(axis).multiplyScalar(-2 * this.radius);
    foot.receiveShadow = true;
    this.put("capsules", base, foot);
  }

  private drawMass(link: THREE.Group, index: number): void {
    const { mass, com, inertia, physical } = this.robot.links[index]!;
    const heaviest = Math.max(...this.robot.links.map((one) => one.mass));
    const ball = new THREE.Mesh(new THREE.SphereGeometry(this.radius * (0.25 + 0.4 * Math.cbrt(mass / heaviest)), cuts(24), cuts(16)),
      this.massMaterial);
    ball.position.copy(vec(com));
    ball.renderOrder = 5;
    this.put("masses", link, ball);
    this.put("inertias", link, ellipsoidOf(inertia, mass, com, physical, this.radius));
  }

  private drawJoint(joint: Moving, depth: number): void {
    const { info, mover, axis } = joint;
    if (info.type === "fixed" || info.type === "floating") return;
    const radius = (joint.radius = this.radius * (1 - 0.4 * depth));
    const body = (joint.body = surface({ roughness: 0.42, metalness: 0.1 }));
    const origin = mover.parent as THREE.Group;
    if (info.type === "revolute") {
      const barrel = new THREE.Mesh(new THREE.CylinderGeometry(1.45 * radius, 1.45 * radius, 3.1 * radius, cuts(36)), body);
      along(barrel, axis);
      barrel.castShadow = true;
      this.put("capsules", mover, barrel);
      const ring = new THREE.Mesh(new THREE.TorusGeometry(1.6 * radius, 0.16 * radius, cuts(8), cuts(40)), new THREE.MeshBasicMaterial({ depthTest: false, transparent: true }));
      ring.quaternion.setFromUnitVectors(new THREE.Vector3(0, 0, 1), axis);
      ring.renderOrder = 3;
      ring.userData["joint"] = info.v;
      this.put("rings", mover, ring);
    } else {
      const carriage = new THREE.Mesh(new THREE.BoxGeometry(3 * radius, 2.2 * radius, 3 * radius), body);
      along(carriage, axis);
      carriage.castShadow = true;
      this.put("capsules", mover, carriage);
      joint.rail = new THREE.Mesh(new THREE.BoxGeometry(1.3 * radius, 1, 1.3 * radius), this.linkMaterial);
      along(joint.rail, axis);
      this.put("capsules", origin, joint.rail);
    }
    const line = new THREE.Line(
      new THREE.BufferGeometry().setFromPoints([axis.clone().multiplyScalar(-9 * this.radius), axis.clone().multiplyScalar(9 * this.radius)]),
      new THREE.LineDashedMaterial({ dashSize: 0.9 * this.radius, gapSize: 0.4 * this.radius }));
    line.computeLineDistances();
    this.put("axes", origin, line);
    this.labels.push({ at: mover, words: jointName(this.robot, info.name), kind: "joint" });
    const paint = surface({ roughness: 0.5, emissiveIntensity: 0.35 });
    const holder = new THREE.Group();
    holder.quaternion.setFromUnitVectors(new THREE.Vector3(0, 0, 1), axis);
    joint.effort = info.type === "revolute" ? new RoundArrow(2.6 * radius, 0.3 * radius, paint) : new Arrow(0.35 * radius, paint);
    joint.effort.visible = false;
    holder.add(joint.effort);
    this.put("torques", origin, holder);
    holder.userData["paint"] = paint;
  }

  // The joint that closes a loop: where its first frame is, about or along that frame's z.
  private drawLoop(loop: LoopInfo): void {
    const size = 1.1 * this.radius;
    const ball = loop.type === "spherical" || loop.type === "universal";
    const shape = ball ? new THREE.SphereGeometry(1.2 * size, cuts(24), cuts(16))
      : loop.type === "prismatic" || loop.type === "fixed" ? new THREE.BoxGeometry(1.8 * size, 1.8 * size, 1.8 * size)
      : new THREE.CylinderGeometry(size, size, 2.6 * size, cuts(28));
    const mark = new THREE.Mesh(shape, this.loopMaterial);
    along(mark, new THREE.Vector3(0, 0, 1));
    mark.castShadow = true;
    this.put("capsules", this.frame(loop.frames[0]), mark);
  }

  private put(layer: Layer, parent: THREE.Object3D, object: THREE.Object3D): void {
    parent.add(object);
    this.layers[layer].push(object);
  }

  // --- what changes ---

  // Torques as shares of `scale` for joints that turn, and that slide.
  setEfforts(tau: ArrayLike<number> | null, turning: number, sliding: number): void {
    for (const { info, effort, radius } of this.joints) {
      if (!effort) continue;
      const value = tau && info.v >= 0 ? tau[info.v]! : 0;
      const share = value / (info.type === "revolute" ? turning : sliding);
      const drawn = Number.isFinite(share) ? Math.max(-1, Math.min(1, share)) : 0;
      if (effort instanceof RoundArrow) effort.turn(drawn);
      else effort.point(new THREE.Vector3(0, 0, Math.sign(drawn)), Math.abs(drawn) * 7 * radius);
    }
  }

  show(shown: Shown, hiddenLinks: ReadonlySet<number>): void {
    for (const [layer, objects] of Object.entries(this.layers) as [Layer, THREE.Object3D[]][])
      for (const object of objects) object.visible = layer === "rings" ? shown.meshes && shown.capsules && this.isMesh(object, hiddenLinks) : shown[layer];
    // Meshes would hide the arrows, which are smaller than they.
    for (const { effort } of this.joints)
      effort?.traverse((part) => {
        const { material } = part as THREE.Mesh;
        if (material) (material as THREE.Material).depthTest = !shown.meshes;
        part.renderOrder = shown.meshes ? 4 : 0;
      });
    if (!shown.meshes) return;
    for (const object of this.layers.capsules) {
      const link = this.links.indexOf(object.parent as THREE.Group);
      const owner = link >= 0 ? link : this.joints.find((joint) => joint.mover === object.parent)?.info.link ?? -1;
      if (hiddenLinks.has(owner)) object.visible = false;
    }
  }

  // Whether a mesh stands for the link that a joint moves.
  private isMesh(object: THREE.Object3D, hiddenLinks: ReadonlySet<number>): boolean {
    return hiddenLinks.has(this.joints.find((joint) => joint.mover === object.parent)?.info.link ?? -1);
  }

  setEmphasis(joint: number): void {
    for (const { info, body } of this.joints) {
      if (!body) continue;
      body.emissive.set(info.v >= 0 && info.v === joint ? jointColor(joint) : "#000000");
      body.emissiveIntensity = 0.7;
    }
  }

  // Joints whose torque is at its limit.
  setAtLimit(joints: number[]): void {
    if (joints.join() === this.atLimit.join()) return;
    this.atLimit = joints;
    this.paint();
  }

  private paintOf(joint: number): string {
    return this.atLimit.includes(joint) ? cssColor("--over") : jointColor(joint);
  }

  // Lets what is inside shine through.
  setGhost(on: boolean, opacity = 0.28): void {
    for (const material of [this.linkMaterial, this.loopMaterial, this.footMaterial, ...this.joints.map((joint) => joint.body)]) {
      if (!material) continue;
      material.transparent = on;
      material.opacity = on ? opacity : 1;
      material.needsUpdate = true;
    }
  }

  paint(): void {
    this.linkMaterial.color.set(cssColor("--link"));
    this.loopMaterial.color.set(cssColor("--muted"));
    this.footMaterial.color.set(cssColor("--grid-strong"));
    this.massMaterial.color.set(cssColor("--text"));
    for (const { info, body, effort } of this.joints) {
      body?.color.set(info.v >= 0 ? this.paintOf(info.v) : cssColor("--muted"));
      const paint = effort?.parent?.userData["paint"] as Surface | undefined;
      paint?.color.set(this.paintOf(info.v));
      paint?.emissive.set(this.paintOf(info.v));
    }
    for (const ring of this.layers.rings)
      ((ring as THREE.Mesh).material as THREE.MeshBasicMaterial).color.set(this.paintOf(ring.userData["joint"] as number));
    for (const line of this.layers.axes)
      ((line as THREE.Line).material as THREE.LineDashedMaterial).color.set(cssColor("--muted"));
  }

  // Points that a camera should have in view.
  points(): THREE.Vector3[] {
    this.root.updateMatrixWorld(true);
    const arrows = this.joints.filter(({ info }) => info.type === "prismatic").flatMap(({ mover, axis, radius }) =>
      [1, -1].map((sign) => mover.parent!.localToWorld(axis.clone().multiplyScalar(sign * 7 * radius)))); // of forces
    return [...this.links, ...this.frames.values(), ...this.joints.map((joint) => joint.mover)]
      .map((object) => object.getWorldPosition(new THREE.Vector3())).concat(arrows);
  }

  dispose(): void {
    disposeOf(this.root);
  }
}

function fix(object: THREE.Object3D, matrix: THREE.Matrix4): void {
  matrix.decompose(object.position, object.quaternion, object.scale);
}

// A body of even density with these moments; where there is none, a wire in another colour.
function ellipsoidOf(inertia: number[], mass: number, com: number[], physical: boolean, radius: number): THREE.Mesh {
  const { values, axes } = principal(inertia);
  const [ix, iy, iz] = values as [number, number, number];
  const least = 0.15 * radius;
  const size = [iy + iz - ix, iz + ix - iy, ix + iy - iz]
    .map((sum) => Math.max(least, Math.sqrt(Math.max(0, (5 * sum) / (2 * mass)))));
  const mesh = new THREE.Mesh(new THREE.SphereGeometry(1, cuts(32), cuts(20)), surface({
    color: physical ? "#56B4E9" : "#D7261E", transparent: true, opacity: physical ? 0.34 : 0.75, wireframe: !physical,
    depthWrite: false, roughness: 0.7,
  }));
  const basis = new THREE.Matrix4().makeBasis(vec(axes[0]!), vec(axes[1]!), vec(axes[2]!));
  mesh.quaternion.setFromRotationMatrix(basis);
  mesh.scale.set(size[0]!, size[1]!, size[2]!);
  mesh.position.copy(vec(com));
  return mesh;
}

function depths(robot: Description): number[] {
  const depth = new Array<number>(robot.links.length).fill(0);
  for (const joint of robot.joints) depth[joint.link] = depth[joint.parent]! + 1;
  return depth;
}

const offset = (rows: number[]): number => Math.hypot(rows[3]!, rows[7]!, rows[11]!);

function reachOf(robot: Description): number {
  const far = new Array<number>(robot.links.length).fill(0);
  for (const joint of robot.joints) far[joint.link] = far[joint.parent]! + offset(joint.origin) + offset(joint.child);
  const mass = robot.links.map((link, i) => far[i]! + (link.mass > 0 ? Math.hypot(...link.com) : 0));
  const frame = robot.frames.map((one) => far[one.link]! + offset(one.origin));
  const reach = Math.max(...far, ...mass, ...frame, 0);
  return reach > 0 && Number.isFinite(reach) ? reach : 1;
}

function radiusOf(robot: Description, reach: number): number {
  const lengths = robot.joints.map((joint) => offset(joint.origin) + offset(joint.child))
    .filter((length) => length > 1e-3 * reach).sort((a, b) => a - b);
  const middle = lengths[Math.floor(lengths.length / 2)] ?? reach;
  return Math.min(0.034 * reach, Math.max(0.008 * reach, 0.2 * middle));
}
