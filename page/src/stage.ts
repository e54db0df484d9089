// The stage: renderer, camera, light and floor, and what stands around the robot. Draws only when something changed.
import * as THREE from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import type { Scene } from "./data";
import { el } from "./dom";
import type { Kind } from "./ellipsoid";
import { Extras } from "./extras";
import { loadMesh } from "./meshes";
import { viewByKeys } from "./keys";
import { Parts } from "./parts";
import { RobotDrawing, type Shown } from "./robot";
import { effortLimits, type Session } from "./session";
import { disposeOf, drawCoarsely, vec } from "./shapes";
import { cssColor, onTheme } from "./theme";

const toolbar = 56; // pixels

export class Stage {
  readonly node = el("main", { class: "stage", "aria-label": "The robot" });
  readonly canvas: HTMLCanvasElement;
  readonly shown: Shown = {
    capsules: true, meshes: true, masses: false, inertias: false, frames: false, axes: false, torques: true, wrenches: true,
    trail: true, names: false,
  };
  ellipsoid: Kind = "none"; // at the tool
  readonly ground = new THREE.Group(); // the base link's frame at the start, turned so that up is up
  readonly world = new THREE.Group(); // the base link's frame
  readonly software: boolean;
  readonly renderer: THREE.WebGLRenderer | null;
  drawing: RobotDrawing | null = null;
  extras: Extras | null = null;
  frames = 0; // drawn so far
  private readonly scene = new THREE.Scene();
  readonly camera = new THREE.PerspectiveCamera(33, 1, 0.01, 100);
  readonly controls: OrbitControls;
  private readonly sun = new THREE.DirectionalLight("#ffffff", 1.75);
  private readonly sky = new THREE.HemisphereLight("#ffffff", "#8890a0", 1.35) /* π together: white is white, and no more */;
  private floor: THREE.Object3D | null = null;
  private readonly labels = el("div", { class: "labels", "aria-hidden": "true" });
  private labelNodes: { node: HTMLElement; at: THREE.Object3D }[] = [];
  private readonly loading = el("p", { class: "loading", role: "status", hidden: true }, "loading meshes …");
  private meshLinks = new Set<number>();
  private meshes: THREE.Object3D[] = [];
  private dirty = true;
  private width = 1;
  private height = 1;
  private scale: [number, number] = [1, 1];
  private shownScene: Scene | null = null;
  readonly parts: Parts;

  constructor(private readonly session: Session) {
    this.parts = new Parts(session);
    const { canvas, renderer, software } = startRenderer();
    this.canvas = canvas;
    this.renderer = renderer;
    this.software = software;
    if (software) drawCoarsely();
    this.node.append(this.canvas, this.labels, this.loading);
    if (!renderer) this.node.append(el("p", { class: "no-view" }, "This browser draws no three dimensions here (WebGL is off). Plots and tables work without."));
    this.controls = new OrbitControls(this.camera, this.canvas);
    this.controls.enableDamping = !software;
    this.controls.dampingFactor = 0.12;
    this.controls.addEventListener("change", () => this.touch());
    viewByKeys(this.canvas, this.controls);
    this.ground.add(this.world);
    this.scene.add(this.ground, this.sky, this.sun, this.sun.target);
    new ResizeObserver(() => this.resize()).observe(this.node);
    onTheme(() => this.paint());
    session.on("robot", () => this.setRobot());
    session.on("state", () => this.setState());
    session.on("emphasis", () => { this.drawing?.setEmphasis(session.emphasis); this.touch(); });
  }

  touch(): void {
    this.dirty = true;
  }

  private setRobot(): void {
    const { session } = this;
    const opened = this.shownScene !== session.scene;
    this.shownScene = session.scene;
    this.extras?.dispose();
    this.drawing?.dispose();
    this.drawing = new RobotDrawing(session.robot);
    this.world.add(this.drawing.root);
    const gravity = vec(session.robot.gravity);
    const up = gravity.lengthSq() > 0 ? gravity.negate().normalize() : new THREE.Vector3(0, 0, 1);
    this.ground.quaternion.setFromUnitVectors(up, new THREE.Vector3(0, 1, 0));
    this.extras = new Extras(this.drawing, this.world, session, (place) => this.carry(place));
    this.makeLabels();
    this.scale = effortScale(session);
    this.drawing.setQ(session.q, session.tree);
    this.parts.build(this.drawing);
    this.extras.trace();
    this.ride();
    if (opened) {
      this.frameView();
      void this.loadMeshes();
    } else this.hangMeshes();
    this.show();
    this.paint();
  }

  private setState(): void {
    if (!this.drawing || !this.extras) return;
    const { session } = this;
    if (session.q.length !== session.robot.nq || this.drawing.robot !== session.robot) return;
    this.drawing.setQ(session.q, session.tree);
    this.ride();
    this.parts.update(this.shown);
    if (this.shown.torques) {
      const tau = session.efforts();
      const own = tau && !(session.mode === "play" && session.recording?.has("tau")) ? liveScale(session, tau, this.scale) : this.scale;
      this.drawing.setEfforts(tau, ...own);
    }
    this.extras.update(this.shown, this.ellipsoid);
    this.touch();
  }

  // A base that moves takes the camera along, and finds floor wherever it comes.
  private ride(): void {
    const before = this.world.getWorldPosition(new THREE.Vector3());
    this.carry(this.session.place);
    const by = this.world.getWorldPosition(new THREE.Vector3()).sub(before);
    if (by.lengthSq() === 0) return;
    for (const at of [this.camera.position, this.controls.target, this.sun.position, this.sun.target.position]) at.add(by);
    this.controls.update();
    this.layFloor();
  }

  // Puts the base where it is.
  carry(place: ArrayLike<number>): void {
    this.world.position.set(place[0]!, place[1]!, place[2]!);
    this.world.quaternion.set(place[3]!, place[4]!, place[5]!, place[6]!).normalize();
  }

  private layFloor(): void {
    const { floor, controls } = this;
    if (!floor) return;
    const step = floor.userData["step"] as number;
    floor.position.x = Math.round(controls.target.x / step) * step;
    floor.position.z = Math.round(controls.target.z / step) * step;
  }

  show(change: Partial<Shown> = {}): void {
    Object.assign(this.shown, change);
    const meshes = this.shown.meshes && this.meshLinks.size > 0;
    this.drawing?.show({ ...this.shown, meshes }, this.meshLinks);
    for (const mesh of this.meshes) mesh.visible = this.shown.meshes;
    this.labels.hidden = !this.shown.names && !this.shown.frames;
    for (const { node } of this.labelNodes)
      node.hidden = node.dataset["kind"] === "frame" ? !this.shown.frames : !this.shown.names;
    this.setState();
    this.touch();
  }

  showEllipsoid(kind: Kind): void {
    this.ellipsoid = kind;
    this.setState();
  }

  get hasMeshes(): boolean {
    return this.meshLinks.size > 0;
  }

  private async loadMeshes(): Promise<void> {
    for (const mesh of this.meshes) disposeOf(mesh);
    this.meshes = [];
    this.meshLinks = new Set();
    const { scene } = this.session;
    this.loading.hidden = !scene.meshes?.length;
    for (const mesh of scene.meshes ?? []) {
      const object = await loadMesh(mesh);
      if (scene !== this.session.scene) return; // another one was opened meanwhile, and says so itself
      if (!object) continue;
      object.userData["link"] = mesh.link;
      this.meshes.push(object);
      this.meshLinks.add(mesh.link);
    }
    this.loading.hidden = true;
    this.hangMeshes();
    this.show();
    this.node.dispatchEvent(new CustomEvent("meshes"));
  }

  private hangMeshes(): void {
    for (const mesh of this.meshes) this.drawing?.links[mesh.userData["link"] as number]?.add(mesh);
  }

  private makeLabels(): void {
    this.labels.replaceChildren();
    this.labelNodes = this.drawing!.labels.map(({ at, words, kind }) => {
      const node = el("span", { class: "label", "data-kind": kind }, words);
      this.labels.append(node);
      return { node, at };
    });
  }

  // The camera looks at all places where the robot will be, or where it is now; along the common axis where it moves in
  // a plane.
  frameView(now = false): void {
    const { session, drawing } = this;
    if (!drawing) return;
    const box = new THREE.Box3();
    const recording = session.mode === "play" && !now ? session.recording : null;
    const [q, tree] = [Float64Array.from(session.q), Float64Array.from(session.tree)];
    const looks = recording ? 40 : 1;
    const place = new Float64Array(7);
    for (let i = 0; i < looks; ++i) {
      if (recording) {
        const time = recording.start + ((recording.end - recording.start) * i) / (looks - 1);
        session.read(time, q, tree);
        drawing.setQ(q, tree);
        session.readPlace(time, place);
        this.carry([...session.place.subarray(0, 3), ...place.subarray(3)]); // as it turns: the camera travels with it
      }
      for (const point of drawing.points()) if (Number.isFinite(point.lengthSq())) box.expandByPoint(point);
    }
    drawing.setQ(session.q, session.tree);
    this.carry(session.place);
    if (this.extras?.ellipsoid.visible) box.expandByObject(this.extras.ellipsoid.body);
    const ball = box.getBoundingSphere(new THREE.Sphere());
    const radius = Math.max(ball.radius + 2.5 * drawing.radius, 0.28 * drawing.reach);
    const narrow = Math.min(1, this.camera.aspect) * Math.tan((this.camera.fov * Math.PI) / 360);
    const free = Math.max(0.6, 1 - toolbar / this.height); // the tools stand over the rest of the picture
    const distance = radius / Math.sin(Math.atan(narrow)) / (this.camera.aspect > 1 || this.height < 420 ? free : 1);
    const plane = commonAxis(drawing, this.world);
    const direction = plane ? plane.add(new THREE.Vector3(0.16, 0.14, 0)) : new THREE.Vector3(0.95, 0.5, 1.0);
    this.camera.near = distance / 200;
    this.camera.far = distance * 30;
    const raised = ball.center.clone();
    raised.y += (1 - free) * distance * Math.tan((this.camera.fov * Math.PI) / 360);
    this.controls.target.copy(raised);
    this.camera.position.copy(raised).addScaledVector(direction.normalize(), distance);
    this.controls.update();
    this.sun.position.copy(ball.center).add(new THREE.Vector3(0.6, 1.6, 0.9).multiplyScalar(radius * 2));
    this.sun.target.position.copy(ball.center);
    this.shadows(radius);
    this.makeFloor(Math.min(0, box.min.y), radius);
    this.touch();
  }

  private shadows(radius: number): void {
    if (this.software || !this.renderer) return;
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(1024, 1024);
    this.sun.shadow.radius = 5;
    const camera = this.sun.shadow.camera;
    camera.left = camera.bottom = -1.6 * radius;
    camera.right = camera.top = 1.6 * radius;
    camera.near = 0.1 * radius;
    camera.far = 8 * radius;
    camera.updateProjectionMatrix();
  }

  private makeFloor(level: number, radius: number): void {
    if (this.floor) disposeOf(this.floor);
    const step = 10 ** Math.round(Math.log10(radius / 3));
    const lines = Math.min(40, Math.max(8, Math.ceil((3 * radius) / step) * 2));
    const floor = new THREE.Group();
    const grid = new THREE.GridHelper(lines * step, lines, cssColor("--grid-strong"), cssColor("--grid"));
    (grid.material as THREE.Material).transparent = true;
    (grid.material as THREE.Material).opacity = 0.75;
    floor.add(grid);
    if (!this.software) {
      const shade = new THREE.Mesh(new THREE.PlaneGeometry(lines * step, lines * step), new THREE.ShadowMaterial({ opacity: 0.16 }));
      shade.rotation.x = -Math.PI / 2;
      shade.receiveShadow = true;
      floor.add(shade);
    }
    floor.position.y = level - 1e-3 * radius;
    floor.userData["step"] = step;
    this.floor = floor;
    if (this.session.recording?.has("base") || this.session.base) this.layFloor();
    this.scene.add(floor);
  }

  private paint(): void {
    this.scene.background = new THREE.Color(cssColor("--stage"));
    this.scene.fog = null;
    this.drawing?.paint();
    this.parts.paint();
    this.drawing?.setEmphasis(this.session.emphasis);
    this.extras?.paint();
    if (this.floor && this.drawing) {
      const level = this.floor.position.y;
      const radius = this.camera.far > 0 ? this.controls.target.distanceTo(this.camera.position) / 3.6 : 1;
      this.makeFloor(level, Math.max(radius, 0.28 * this.drawing.reach));
    }
    this.touch();
  }

  private resize(): void {
    const { width, height } = this.node.getBoundingClientRect();
    if (width < 2 || height < 2) return;
    const before = this.camera.aspect;
    [this.width, this.height] = [width, height];
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    this.renderer?.setPixelRatio(this.software ? 1 : Math.min(2, window.devicePixelRatio));
    this.renderer?.setSize(width, height, false);
    if (before === 1) this.frameView();
    this.dirty = true;
  }

  // Called once a frame; true where it drew.
  draw(): boolean {
    if (this.controls.enableDamping) this.controls.update();
    if (!this.dirty || !this.renderer) return false;
    this.dirty = false;
    this.extras?.beforeDraw(this.camera);
    this.renderer.render(this.scene, this.camera);
    if (!this.labels.hidden) this.placeLabels();
    ++this.frames;
    return true;
  }

  // The picture as it is now, labels too, on a canvas of its own.
  snapshot(): HTMLCanvasElement {
    this.touch();
    this.draw();
    const copy = el("canvas", { width: this.canvas.width, height: this.canvas.height });
    const ctx = copy.getContext("2d")!;
    ctx.drawImage(this.canvas, 0, 0);
    const ratio = this.canvas.width / this.width;
    ctx.font = `${11 * ratio}px system-ui, sans-serif`;
    ctx.textBaseline = "middle";
    ctx.fillStyle = cssColor("--text");
    const stage = this.node.getBoundingClientRect();
    for (const { node } of this.labels.hidden ? [] : this.labelNodes) {
      if (node.hidden || node.style.opacity === "0") continue;
      const { left, top, height } = node.getBoundingClientRect();
      ctx.fillText(node.textContent ?? "", (left - stage.left) * ratio, (top - stage.top + height / 2) * ratio);
    }
    return copy;
  }

  private placeLabels(): void {
    const point = new THREE.Vector3();
    const taken: Box[] = [];
    for (const { node, at } of this.labelNodes) {
      if (node.hidden) continue;
      at.getWorldPosition(point).project(this.camera);
      const place = placeOf(((point.x + 1) / 2) * this.width, ((1 - point.y) / 2) * this.height, node, taken);
      node.style.opacity = point.z < 1 && place ? "1" : "0";
      if (point.z >= 1 || !place) continue;
      taken.push(place);
      node.style.transform = `translate(${place.x.toFixed(1)}px, ${place.y.toFixed(1)}px)`;
    }
  }

  // Where on the screen a point of the world is, in pixels of the canvas.
  onScreen(point: THREE.Vector3): { x: number; y: number } {
    const p = point.clone().project(this.camera);
    return { x: ((p.x + 1) / 2) * this.width, y: ((1 - p.y) / 2) * this.height };
  }
}

interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

// A place for a label near its point where no other one is: right of it, left of it, then further up and down.
function placeOf(x: number, y: number, node: HTMLElement, taken: Box[]): Box | null {
  const [width, height] = [node.offsetWidth, node.offsetHeight];
  for (let row = 0; row < 7; ++row) {
    const dy = (row % 2 === 0 ? 1 : -1) * Math.ceil(row / 2) * height;
    for (const dx of [8, -width - 8]) {
      const box = { x: x + dx, y: y + dy - height / 2, width, height };
      if (taken.every((one) => box.x >= one.x + one.width || one.x >= box.x + width || box.y >= one.y + one.height || one.y >= box.y + height)) return box;
    }
  }
  return null;
}

// Where the processor draws, one context does; where a graphics card does, a second canvas has smooth edges.
function startRenderer(): { canvas: HTMLCanvasElement; renderer: THREE.WebGLRenderer | null; software: boolean } {
  const attributes = { role: "application", tabindex: 0, class: "view" };
  const make = (canvas: HTMLCanvasElement, smooth: boolean): THREE.WebGLRenderer => {
    const renderer = new THREE.WebGLRenderer({ canvas, antialias: smooth, powerPreference: "low-power" });
    renderer.debug.checkShaderErrors = false; // asking makes the page wait for every shader
    renderer.shadowMap.enabled = smooth;
    renderer.shadowMap.type = THREE.PCFSoftShadowMap;
    return renderer;
  };
  const canvas = el("canvas", attributes);
  if (!window.WebGL2RenderingContext) return { canvas, renderer: null, software: true };
  try {
    const renderer = make(canvas, false);
    const gl = renderer.getContext();
    const info = gl.getExtension("WEBGL_debug_renderer_info");
    const name = info ? String(gl.getParameter(info.UNMASKED_RENDERER_WEBGL)) : "";
    // "#fine" at the end of the address: all that a graphics card would draw, however slow.
    if (/swiftshader|llvmpipe|software/i.test(name) && location.hash !== "#fine") return { canvas, renderer, software: true };
    renderer.dispose();
    renderer.forceContextLoss();
    const smooth = el("canvas", attributes);
    return { canvas: smooth, renderer: make(smooth, true), software: false };
  } catch {
    return { canvas: el("canvas", attributes), renderer: null, software: true };
  }
}

// The largest torques of the recording: what a full arrow means, for joints that turn and that slide.
function effortScale(session: Session): [number, number] {
  let [turning, sliding] = [0, 0];
  for (const { column, values } of session.recording?.of("tau") ?? [])
    for (const value of values) {
      if (!Number.isFinite(value)) continue;
      if (session.robot.units[column.joint] === "m") sliding = Math.max(sliding, Math.abs(value));
      else turning = Math.max(turning, Math.abs(value));
    }
  return [turning || 1, sliding || 1];
}

function liveScale(session: Session, tau: Float64Array, recorded: [number, number]): [number, number] {
  const limits = effortLimits(session.robot);
  const scale: [number, number] = session.recording?.has("tau") ? [...recorded] : [1e-9, 1e-9];
  tau.forEach((value, i) => {
    const kind = session.robot.units[i] === "m" ? 1 : 0;
    const limit = limits[i];
    scale[kind] = Math.max(scale[kind]!, Math.abs(value), limit ? 0.3 * limit : 0);
  });
  return scale;
}

function commonAxis(drawing: RobotDrawing, world: THREE.Object3D): THREE.Vector3 | null {
  world.updateMatrixWorld(true);
  let common: THREE.Vector3 | null = null;
  for (const joint of drawing.robot.joints) {
    if (joint.type !== "revolute") continue;
    const axis = vec(joint.axis).transformDirection(drawing.links[joint.link]!.parent!.matrixWorld);
    if (!common) common = axis;
    else if (Math.abs(Math.abs(common.dot(axis)) - 1) > 1e-6) return null;
  }
  if (!common || Math.abs(common.y) > 0.9) return null;
  return common.z < 0 ? common.negate() : common;
}
