// Visual meshes of a URDF: STL, OBJ and Collada files that the program packed into the page.
import * as THREE from "three";
import { ColladaLoader } from "three/addons/loaders/ColladaLoader.js";
import { OBJLoader } from "three/addons/loaders/OBJLoader.js";
import { STLLoader } from "three/addons/loaders/STLLoader.js";
import { meshBytes, type Mesh } from "./data";
import { pose, surface } from "./shapes";

// A mesh may name pictures; the page fetches nothing, so each becomes one white point.
const offline = new THREE.LoadingManager();
offline.setURLModifier(() => "data:image/gif;base64,R0lGODlhAQABAIAAAP///wAAACH5BAAAAAAALAAAAAABAAEAAAICRAEAOw==");

function parse(format: Mesh["format"], bytes: Uint8Array): { object: THREE.Object3D; colored: boolean } {
  const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer;
  if (format === "stl") {
    const geometry = new STLLoader().parse(buffer);
    if (!geometry.getAttribute("position")?.count) throw new Error("no triangles");
    geometry.computeVertexNormals();
    return { object: new THREE.Mesh(geometry, plain()), colored: false };
  }
  const text = new TextDecoder().decode(bytes);
  if (format === "obj") return { object: new OBJLoader(offline).parse(text), colored: false };
  // Readers of URDF take the file's own axes, whichever it says is up.
  const scene = new ColladaLoader(offline).parse(text.replace(/<up_axis>[^<]*<\/up_axis>/, "<up_axis>Y_UP</up_axis>"), "")?.scene;
  if (!scene) throw new Error("no scene");
  return { object: scene, colored: true };
}

const plain = (color: THREE.ColorRepresentation = "#c9ccd1") => surface({ color, roughness: 0.6, metalness: 0.1 });

// null where the file is missing or unreadable: the capsules stay
export async function loadMesh(mesh: Mesh): Promise<THREE.Object3D | null> {
  try {
    const bytes = await meshBytes(mesh);
    if (!bytes) return null;
    const { object, colored } = parse(mesh.format, bytes);
    const color = mesh.color;
    const material = plain(color ? new THREE.Color(color[0]!, color[1]!, color[2]!) : undefined);
    if (color && (color[3] ?? 1) < 1) [material.transparent, material.opacity] = [true, color[3]!];
    object.traverse((part) => {
      const one = part as THREE.Mesh;
      if (!one.isMesh) return;
      one.castShadow = true;
      if (color || !colored) one.material = material;
    });
    const holder = new THREE.Group();
    pose(mesh.origin).decompose(holder.position, holder.quaternion, holder.scale);
    const scaled = new THREE.Group();
    scaled.scale.set(mesh.scale[0] ?? 1, mesh.scale[1] ?? 1, mesh.scale[2] ?? 1);
    scaled.add(object);
    holder.add(scaled);
    return holder;
  } catch {
    return null;
  }
}
