// The mouse at the tool: it pulls by a spring, or brings the tool where it is by solving for the posture.
import * as THREE from "three";
import type { FallPanel } from "./fall";
import { stiffness } from "./fall";
import type { Session } from "./session";
import type { Stage } from "./stage";

export type DragMode = "pull" | "place";
const near = 26; // pixels

export class Pointer {
  mode: DragMode = "pull";
  private dragging = false;
  private readonly plane = new THREE.Plane();
  private at = new THREE.Vector3(); // where the mouse is, in the base link's frame

  constructor(private readonly session: Session, private readonly stage: Stage, private readonly fall: FallPanel) {
    if (!session.engine) return;
    stage.node.addEventListener("pointerdown", (event) => this.down(event), { capture: true });
    stage.node.addEventListener("pointermove", (event) => this.move(event));
    for (const name of ["pointerup", "pointercancel"] as const) stage.node.addEventListener(name, () => this.up());
  }

  private toolInWorld(): THREE.Vector3 | null {
    return this.stage.drawing?.tool.getWorldPosition(new THREE.Vector3()) ?? null;
  }

  private isNear(event: PointerEvent): boolean {
    const tool = this.toolInWorld();
    if (!tool || event.target !== this.stage.canvas || !this.session.handle) return false;
    const { x, y } = this.stage.onScreen(tool);
    return Math.hypot(event.offsetX - x, event.offsetY - y) < near;
  }

  private down(event: PointerEvent): void {
    if (event.button !== 0 || !this.isNear(event)) return;
    this.dragging = true;
    this.stage.controls.enabled = false;
    this.stage.canvas.setPointerCapture(event.pointerId);
    this.plane.setFromNormalAndCoplanarPoint(this.stage.camera.getWorldDirection(new THREE.Vector3()), this.toolInWorld()!);
    if (this.mode === "pull") this.fall.setPulled(true);
    this.follow(event);
    event.preventDefault();
  }

  private move(event: PointerEvent): void {
    if (this.dragging) return this.follow(event);
    const hot = event.buttons === 0 && this.isNear(event);
    if (this.stage.extras && this.stage.extras.handleHot !== hot) {
      this.stage.extras.handleHot = hot;
      this.stage.canvas.style.cursor = hot ? "grab" : "";
      this.stage.touch();
    }
  }

  private follow(event: PointerEvent): void {
    const { canvas, camera, world } = this.stage;
    const point = new THREE.Vector2((2 * event.offsetX) / canvas.clientWidth - 1, 1 - (2 * event.offsetY) / canvas.clientHeight);
    const ray = new THREE.Raycaster();
    ray.setFromCamera(point, camera);
    const hit = ray.ray.intersectPlane(this.plane, new THREE.Vector3());
    if (!hit) return;
    this.at = world.worldToLocal(hit);
    if (this.mode === "place") this.place();
    this.stage.extras?.setSpring(this.at);
    this.stage.touch();
  }

  private place(): void {
    const { session } = this;
    try {
      const found = session.handle!.solvePose(session.robot.tool, { position: this.at.toArray() }, session.q);
      session.setPosture(found.q);
    } catch {
      // out of reach in a way the solver refuses: it stays where it is
    }
  }

  // Called once a frame: the spring pulls as far as the tool is from the mouse.
  advance(): void {
    if (!this.dragging || this.mode !== "pull") return;
    const { drawing, world, extras } = this.stage;
    if (!drawing) return;
    if (!this.fall.running) return this.up();
    const tool = world.worldToLocal(this.toolInWorld()!);
    const k = stiffness(this.session, drawing.reach);
    const force = this.at.clone().sub(tool).multiplyScalar(k);
    this.session.pull = { frame: this.session.robot.tool, axes: "world", wrench: [...force.toArray(), 0, 0, 0] };
    extras?.setSpring(this.at);
  }

  private up(): void {
    if (!this.dragging) return;
    this.dragging = false;
    this.stage.controls.enabled = true;
    this.fall.setPulled(false);
    this.stage.extras?.setSpring(null);
    this.session.setPull(null);
  }
}
