// The robot as a GLB file: its links as nodes, as it stands; with the recorded motion as an animation.
import * as THREE from "three";
import { GLTFExporter } from "three/addons/exporters/GLTFExporter.js";
import type { RobotDrawing } from "./robot";
import type { Session } from "./session";

const rate = 30; // samples a second, where they have no times
const most = 3000; // key frames; fewer samples than these are taken as they are

// Where it is drawn: `ground` is turned so that y is up, as in glTF, and `world` is carried along by a base that moves.
export type Drawn = { drawing: RobotDrawing; ground: THREE.Object3D; world: THREE.Object3D; carry: (place: ArrayLike<number>) => void };

export async function glbOf(session: Session, drawn: Drawn): Promise<ArrayBuffer> {
  const { drawing, ground, world } = drawn;
  const scene = new THREE.Scene();
  scene.name = session.robot.name;
  const copies = new Map<THREE.Object3D, THREE.Object3D>();
  const turned = placed(new THREE.Group(), ground), carried = placed(new THREE.Group(), world);
  copies.set(world, carried);
  carried.add(copyOf(drawing.root, new Set(drawing.marks()), copies, new Map()));
  turned.add(carried);
  scene.add(turned);
  for (const [object, name] of drawing.named()) {
    const copy = copies.get(object);
    if (copy) copy.name = name;
  }
  const clip = session.recording?.plays && !session.changed ? motionOf(session, drawn, copies) : null;
  const file = await new GLTFExporter().parseAsync(scene, { binary: true, animations: clip ? [clip] : [] });
  return file as ArrayBuffer;
}

function placed<Kind extends THREE.Object3D>(copy: Kind, object: THREE.Object3D): Kind {
  copy.position.copy(object.position);
  copy.quaternion.copy(object.quaternion);
  copy.scale.copy(object.scale);
  return copy;
}

// Only meshes that are seen, and only what such a file can say of their surfaces.
function copyOf(object: THREE.Object3D, left: ReadonlySet<THREE.Object3D>, copies: Map<THREE.Object3D, THREE.Object3D>,
  surfaces: Map<THREE.Material, THREE.Material>): THREE.Object3D {
  const mesh = object as THREE.Mesh;
  const plain = (material: THREE.Material): THREE.Material => {
    if (!surfaces.has(material)) {
      const { color, opacity, transparent } = material as THREE.MeshStandardMaterial;
      surfaces.set(material, new THREE.MeshStandardMaterial({ color: color ?? new THREE.Color("#c9ccd1"), opacity, transparent, roughness: 0.55, metalness: 0.08 }));
    }
    return surfaces.get(material)!;
  };
  const copy = placed(mesh.isMesh ? new THREE.Mesh(mesh.geometry, Array.isArray(mesh.material) ? mesh.material.map(plain) : plain(mesh.material)) : new THREE.Group(), object);
  copies.set(object, copy);
  for (const child of object.children)
    if (child.visible && !left.has(child) && !(child as THREE.Line).isLine && !(child as THREE.Sprite).isSprite) copy.add(copyOf(child, left, copies, surfaces));
  return copy;
}

type Values = { node: THREE.Object3D; position: number[]; quaternion: number[]; scale: number[] };

function motionOf(session: Session, { drawing, world, carry }: Drawn, copies: Map<THREE.Object3D, THREE.Object3D>): THREE.AnimationClip {
  const { t, start, end, count, timed } = session.recording!;
  const frames = Math.min(most, count);
  const taken = Array.from({ length: frames }, (_, i) => (frames === count ? t[i]! : start + ((end - start) * i) / (frames - 1)))
    .filter((time, i, all) => i === 0 || time > all[i - 1]!);
  const times = taken.map((time) => (timed ? time - start : time / rate)); // s
  const [q, tree, place] = [Float64Array.from(session.q), Float64Array.from(session.tree), Float64Array.from(session.place)];
  const moving: [THREE.Object3D, Values][] = [world, ...drawing.moving()].flatMap((object): [THREE.Object3D, Values][] => {
    const node = copies.get(object);
    return node ? [[object, { node, position: [], quaternion: [], scale: [] }]] : [];
  });
  for (const time of taken) {
    session.read(time, q, tree);
    drawing.setQ(q, tree);
    session.readPlace(time, place);
    carry(place);
    for (const [object, values] of moving) {
      values.position.push(...object.position.toArray());
      values.quaternion.push(...object.quaternion.toArray());
      values.scale.push(...object.scale.toArray());
    }
  }
  drawing.setQ(session.q, session.tree);
  carry(session.place);
  const tracks: THREE.KeyframeTrack[] = [];
  for (const [, { node, position, quaternion, scale }] of moving) {
    if (changes(quaternion, 4)) tracks.push(new THREE.QuaternionKeyframeTrack(`${node.uuid}.quaternion`, times, quaternion));
    if (changes(position, 3)) tracks.push(new THREE.VectorKeyframeTrack(`${node.uuid}.position`, times, position));
    if (changes(scale, 3)) tracks.push(new THREE.VectorKeyframeTrack(`${node.uuid}.scale`, times, scale));
  }
  return new THREE.AnimationClip(session.scene.name, times.at(-1), tracks);
}

const changes = (values: number[], size: number): boolean => values.some((value, i) => value !== values[i % size]);
