// Shapes that the drawing is made of: arrows straight and round, triads, capsules between points.
import * as THREE from "three";

export const pose = (rows: ArrayLike<number>): THREE.Matrix4 =>
  new THREE.Matrix4().set(...(Array.from({ length: 16 }, (_, i) => rows[i] as number) as Parameters<THREE.Matrix4["set"]>));

export const vec = (v: ArrayLike<number>): THREE.Vector3 => new THREE.Vector3(v[0], v[1], v[2]);

// How finely round things are cut. Where the processor draws, triangles are dear.
let detail = 1;
export function drawCoarsely(): void {
  detail = 0.5;
}
export const cuts = (fine: number): number => Math.max(3, Math.round(fine * detail));

export type Surface = THREE.MeshStandardMaterial | THREE.MeshLambertMaterial;
export function surface({ roughness = 0.55, metalness = 0.08, ...more }: THREE.MeshStandardMaterialParameters): Surface {
  return detail < 1 ? new THREE.MeshLambertMaterial(more) : new THREE.MeshStandardMaterial({ roughness, metalness, ...more });
}

const up = new THREE.Vector3(0, 1, 0);

// Turns the y axis of a shape along a direction.
export function along(object: THREE.Object3D, direction: THREE.Vector3): void {
  object.quaternion.setFromUnitVectors(up, direction.clone().normalize());
}

export function capsule(from: THREE.Vector3, to: THREE.Vector3, radius: number, material: THREE.Material): THREE.Mesh {
  const length = from.distanceTo(to);
  const mesh = new THREE.Mesh(new THREE.CapsuleGeometry(radius, length, cuts(6), cuts(22)), material);
  mesh.position.copy(from).lerp(to, 0.5);
  if (length > 0) along(mesh, to.clone().sub(from));
  mesh.castShadow = true;
  return mesh;
}

export class Arrow extends THREE.Group {
  private readonly shaft: THREE.Mesh;
  private readonly tip: THREE.Mesh;

  constructor(private readonly thickness: number, material: THREE.Material) {
    super();
    this.shaft = new THREE.Mesh(new THREE.CylinderGeometry(1, 1, 1, cuts(14)), material);
    this.tip = new THREE.Mesh(new THREE.ConeGeometry(1, 1, cuts(18)), material);
    this.add(this.shaft, this.tip);
  }

  // From the group's origin, along a direction of its parent.
  point(direction: THREE.Vector3, length: number): void {
    this.visible = length > 1e-9 && direction.lengthSq() > 0;
    if (!this.visible) return;
    const head = Math.min(length * 0.45, this.thickness * 5);
    const thick = Math.min(this.thickness, length * 0.12);
    this.shaft.scale.set(thick, Math.max(1e-9, length - head), thick);
    this.shaft.position.set(0, (length - head) / 2, 0);
    this.tip.scale.set(thick * 2.4, head, thick * 2.4);
    this.tip.position.set(0, length - head / 2, 0);
    along(this, direction);
  }
}

class Circle extends THREE.Curve<THREE.Vector3> {
  constructor() {
    super();
  }

  override getPoint(s: number, target = new THREE.Vector3()): THREE.Vector3 {
    return target.set(Math.cos(1.7 * Math.PI * s), Math.sin(1.7 * Math.PI * s), 0);
  }
}

// An arrow around the z axis of its parent: how far around says how much.
export class RoundArrow extends THREE.Group {
  private readonly tube: THREE.Mesh<THREE.TubeGeometry>;
  private readonly tip: THREE.Mesh;
  private readonly inner = new THREE.Group();
  private readonly steps = cuts(56);
  private readonly sides = cuts(10);

  constructor(radius: number, thickness: number, material: THREE.Material) {
    super();
    this.tube = new THREE.Mesh(new THREE.TubeGeometry(new Circle(), this.steps, thickness / radius, this.sides), material);
    this.tip = new THREE.Mesh(new THREE.ConeGeometry((2.6 * thickness) / radius, (6 * thickness) / radius, cuts(16)), material);
    this.inner.add(this.tube, this.tip);
    this.inner.scale.setScalar(radius);
    this.add(this.inner);
  }

  // amount in -1..1
  turn(amount: number): void {
    this.visible = Math.abs(amount) > 0.01;
    if (!this.visible) return;
    const steps = Math.max(1, Math.round(Math.min(1, Math.abs(amount)) * this.steps));
    this.tube.geometry.setDrawRange(0, steps * this.sides * 6);
    const angle = (1.7 * Math.PI * steps) / this.steps;
    this.tip.position.set(Math.cos(angle), Math.sin(angle), 0);
    this.tip.rotation.set(0, 0, angle);
    this.inner.rotation.set(amount < 0 ? Math.PI : 0, 0, 0); // the other way around: seen from behind
  }
}

export const axisColors = ["#D9261C", "#1E9E3A", "#1F5FD0"];

export function triad(size: number, thickness: number, opacity = 1): THREE.Group {
  const group = new THREE.Group();
  axisColors.forEach((color, k) => {
    const material = new THREE.MeshBasicMaterial({ color, transparent: true, opacity, depthTest: false });
    const arrow = new Arrow(thickness, material);
    arrow.point(new THREE.Vector3(...[0, 1, 2].map((i) => (i === k ? 1 : 0)) as [number, number, number]), size);
    arrow.traverse((part) => { part.renderOrder = 6; });
    group.add(arrow);
  });
  return group;
}

// A letter that always faces the reader.
export function letter(words: string, color: string, size: number): THREE.Sprite {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = 64;
  const ctx = canvas.getContext("2d")!;
  ctx.font = "600 46px system-ui, sans-serif";
  ctx.textAlign = "center";
  ctx.textBaseline = "middle";
  ctx.fillStyle = color;
  ctx.fillText(words, 32, 32);
  const sprite = new THREE.Sprite(new THREE.SpriteMaterial({ map: new THREE.CanvasTexture(canvas), depthTest: false }));
  sprite.scale.setScalar(size);
  sprite.renderOrder = 8;
  return sprite;
}

export function letteredTriad(size: number, thickness: number): THREE.Group {
  const group = triad(size, thickness);
  ["x", "y", "z"].forEach((name, k) => {
    const sprite = letter(name, axisColors[k]!, 0.34 * size);
    sprite.position.setComponent(k, 1.16 * size);
    group.add(sprite);
  });
  return group;
}

export function disposeOf(object: THREE.Object3D): void {
  object.traverse((part) => {
    const mesh = part as Partial<THREE.Mesh>;
    mesh.geometry?.dispose();
    for (const material of [mesh.material ?? []].flat()) material.dispose();
  });
  object.removeFromParent();
}
