// Dimension lines as a drawing has them: two short lines at the ends, a line with arrowheads between, and its value.
import * as THREE from "three";
import { Arrow } from "./shapes";

export interface Dimension {
  from: THREE.Vector3;
  to: THREE.Vector3;
  words: string; // "d = 0.4 m"
  strong: boolean; // the step that is shown now
}

// Beside the way from one point to the other, as far as `away` says; null where the two are one point.
export function dimensionLine({ from, to, words, strong }: Dimension, away: THREE.Vector3, size: number, color: string, back: string): THREE.Group | null {
  const way = to.clone().sub(from);
  const length = way.length();
  if (length < 1e-9) return null;
  const group = new THREE.Group();
  const [a, b] = [from.clone().add(away), to.clone().add(away)];
  const beyond = away.clone().multiplyScalar(1.15);
  const material = new THREE.LineBasicMaterial({ color, depthTest: false, transparent: true, opacity: strong ? 1 : 0.6 });
  for (const [start, end] of [[from, from.clone().add(beyond)], [to, to.clone().add(beyond)], [a, b]] as const) {
    const line = new THREE.Line(new THREE.BufferGeometry().setFromPoints([start, end]), material);
    line.renderOrder = 7;
    group.add(line);
  }
  const heads = new THREE.MeshBasicMaterial({ color, depthTest: false, transparent: true, opacity: strong ? 1 : 0.6 });
  const middle = a.clone().lerp(b, 0.5);
  for (const sign of [1, -1]) {
    const arrow = new Arrow((strong ? 0.13 : 0.09) * size, heads);
    arrow.point(way.clone().multiplyScalar(sign), length / 2);
    arrow.position.copy(middle);
    arrow.traverse((part) => { part.renderOrder = 7; });
    group.add(arrow);
  }
  const label = words === "" ? null : plate(words, color, back, (strong ? 1.9 : 1.6) * size);
  if (label) {
    label.position.copy(middle).addScaledVector(away, 0.7);
    group.add(label);
  }
  group.userData["words"] = words;
  return group;
}

// Words on a plate that faces the reader; `height` of the letters in the picture's metres.
function plate(words: string, color: string, back: string, height: number): THREE.Sprite {
  const canvas = document.createElement("canvas");
  const ctx = canvas.getContext("2d")!;
  const font = "600 40px system-ui, sans-serif";
  ctx.font = font;
  canvas.width = Math.ceil(ctx.measureText(words).width) + 24;
  canvas.height = 56;
  ctx.font = font;
  ctx.fillStyle = back;
  ctx.globalAlpha = 0.82;
  ctx.fillRect(0, 0, canvas.width, canvas.height);
  ctx.globalAlpha = 1;
  ctx.fillStyle = color;
  ctx.textAlign = "center";
  ctx.textBaseline = "middle";
  ctx.fillText(words, canvas.width / 2, canvas.height / 2 + 2);
  const map = new THREE.CanvasTexture(canvas);
  map.colorSpace = THREE.SRGBColorSpace;
  const sprite = new THREE.Sprite(new THREE.SpriteMaterial({ map, depthTest: false, transparent: true }));
  sprite.scale.set((height * canvas.width) / canvas.height, height, 1);
  sprite.renderOrder = 9;
  return sprite;
}
