// The view by the keyboard, while the picture has the focus: arrows turn it, page keys zoom, with Shift arrows move it.
import * as THREE from "three";
import type { OrbitControls } from "three/addons/controls/OrbitControls.js";

const turn = Math.PI / 24;
const zoom = 1.15;

export function viewByKeys(canvas: HTMLCanvasElement, controls: OrbitControls): void {
  const camera = controls.object as THREE.PerspectiveCamera;
  canvas.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const [x, y] = ({ ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] } as Record<string, [number, number]>)[event.key] ?? [0, 0];
    const scale = event.key === "PageUp" ? 1 / zoom : event.key === "PageDown" ? zoom : 1;
    if (x === 0 && y === 0 && scale === 1) return;
    const arm = camera.position.clone().sub(controls.target);
    if (event.shiftKey && scale === 1) {
      const by = new THREE.Vector3(x, y, 0).multiplyScalar(0.06 * arm.length()).applyQuaternion(camera.quaternion);
      controls.target.add(by);
    } else {
      const at = new THREE.Spherical().setFromVector3(arm);
      at.theta += x * turn;
      at.phi = Math.min(Math.PI - 0.05, Math.max(0.05, at.phi - y * turn));
      at.radius *= scale;
      arm.setFromSpherical(at);
    }
    camera.position.copy(controls.target).add(arm);
    controls.update();
    event.preventDefault();
    event.stopPropagation();
  });
}
