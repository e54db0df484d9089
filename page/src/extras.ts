// What stands around the robot: the tool's trail, wrenches, ellipsoids of the tool, and the spring of the mouse.
import * as THREE from "three";
import { EllipsoidDrawing, type Kind } from "./ellipsoid";
import type { RobotDrawing, Shown } from "./robot";
import type { Session } from "./session";
import { Arrow, disposeOf, RoundArrow, vec, surface } from "./shapes";
import { cssColor } from "./theme";

const trailPoints = 300;
const tubeSides = 4;

export class Extras {
  private readonly group = new THREE.Group(); // along the base link's axes
  private readonly ways = new THREE.Group(); // along those it had at the start
  // The whole way is a thin line; what lies behind is a tube, of which only the first part is drawn.
  private readonly whole = new THREE.Line(new THREE.BufferGeometry(), new THREE.LineBasicMaterial({ transparent: true, opacity: 0.5 }));
  private readonly past = new THREE.Mesh(new THREE.BufferGeometry(), new THREE.MeshBasicMaterial());
  private segments = 0; // of the tube
  private readonly forces: { arrow: Arrow; moment: RoundArrow; holder: THREE.Group }[] = [];
  private readonly force = surface({ color: "#D55E00", roughness: 0.5 });
  readonly ellipsoid: EllipsoidDrawing;
  private readonly handle: THREE.Mesh;
  private readonly spring = new THREE.Line(new THREE.BufferGeometry(), new THREE.LineBasicMaterial({ color: "#D55E00" }));
  readonly target = new THREE.Mesh(new THREE.SphereGeometry(1, 16, 12), new THREE.MeshBasicMaterial({ color: "#D55E00" }));
  private lived: THREE.Vector3[] = []; // where the tool was while it fell
  handleHot = false;

  constructor(private readonly drawing: RobotDrawing, private readonly world: THREE.Group, private readonly session: Session,
    private readonly carry: (place: ArrayLike<number>) => void) {
    this.handle = new THREE.Mesh(new THREE.RingGeometry(0.72, 1, 32),
      new THREE.MeshBasicMaterial({ side: THREE.DoubleSide, transparent: true, depthTest: false }));
    this.handle.renderOrder = 10;
    this.ellipsoid = new EllipsoidDrawing(drawing.reach);
    this.ways.add(this.whole, this.past);
    this.group.add(this.ellipsoid, this.handle, this.spring, this.target);
    this.spring.visible = this.target.visible = false;
    this.target.scale.setScalar(0.6 * drawing.radius);
    world.add(this.group);
    world.parent!.add(this.ways);
    this.paint();
  }

  paint(): void {
    const color = cssColor("--accent");
    this.whole.material.color.set(color);
    this.past.material.color.set(color);
    (this.handle.material as THREE.MeshBasicMaterial).color.set(color);
    this.ellipsoid.paint();
  }

  private toolPosition(of: THREE.Object3D = this.world): THREE.Vector3 {
    of.updateMatrixWorld(true);
    return of.worldToLocal(this.drawing.tool.getWorldPosition(new THREE.Vector3()));
  }

  // The whole path of the recording, once.
  trace(): void {
    const { recording, robot } = this.session;
    this.lived = [];
    this.whole.visible = this.past.visible = false;
    if (!recording?.plays) return;
    const [q, tree] = [Float64Array.from(this.session.q), Float64Array.from(this.session.tree)];
    const count = Math.min(trailPoints, recording.count);
    const place = new Float64Array(7);
    const points: THREE.Vector3[] = [];
    for (let i = 0; i < count; ++i) {
      if (q.length !== robot.nq) return;
      this.session.read(recording.start + ((recording.end - recording.start) * i) / (count - 1), q, tree);
      this.drawing.setQ(q, tree);
      this.session.readPlace(recording.start + ((recording.end - recording.start) * i) / (count - 1), place);
      this.carry(place);
      points.push(this.toolPosition(this.world.parent!));
    }
    this.drawing.setQ(this.session.q, this.session.tree);
    this.carry(this.session.place);
    this.whole.geometry.dispose();
    this.whole.geometry = new THREE.BufferGeometry().setFromPoints(points);
    this.setTube(points);
    this.whole.visible = this.past.visible = true;
  }

  update(shown: Shown, kind: Kind): void {
    const { session } = this;
    const { recording } = session;
    const playing = session.mode === "play" && recording !== null;
    if (playing && this.lived.length > 0) this.trace();
    if (session.mode === "fall" && shown.trail) this.live();
    this.whole.visible = shown.trail && playing && recording.plays;
    this.past.visible = shown.trail && ((playing && recording.plays) || this.lived.length >= 3);
    if (playing) {
      const share = (session.time - recording.start) / (recording.end - recording.start || 1);
      this.past.geometry.setDrawRange(0, Math.round(share * this.segments) * tubeSides * 6);
      if (share <= 0) this.past.visible = false;
    }
    this.drawWrenches(shown);
    const found = kind === "none" ? null : session.ellipsoids();
    this.ellipsoid.show(kind, found instanceof Error ? null : found);
    this.handle.position.copy(this.toolPosition());
    this.ellipsoid.position.copy(this.handle.position);
  }

  private live(): void {
    this.lived.push(this.toolPosition(this.world.parent!));
    if (this.lived.length > trailPoints / 2) this.lived.shift();
    if (this.lived.length >= 3) this.setTube(this.lived);
  }

  forgetTrail(): void {
    this.lived = [];
  }

  private drawWrenches(shown: Shown): void {
    const wrenches = shown.wrenches ? this.session.wrenches : [];
    while (this.forces.length < wrenches.length) {
      const { radius } = this.drawing;
      const entry = { arrow: new Arrow(0.45 * radius, this.force), moment: new RoundArrow(4 * radius, 0.35 * radius, this.force), holder: new THREE.Group() };
      entry.holder.add(entry.arrow, entry.moment);
      this.group.add(entry.holder);
      this.forces.push(entry);
    }
    let [largestForce, largestMoment] = [1e-12, 1e-12];
    for (const { wrench } of wrenches) {
      largestForce = Math.max(largestForce, Math.hypot(wrench[0]!, wrench[1]!, wrench[2]!));
      largestMoment = Math.max(largestMoment, Math.hypot(wrench[3]!, wrench[4]!, wrench[5]!));
    }
    this.forces.forEach(({ arrow, moment, holder }, i) => {
      const one = wrenches[i];
      holder.visible = one !== undefined;
      if (!one) return;
      const frame = this.drawing.frame(one.frame);
      holder.position.copy(this.world.worldToLocal(frame.getWorldPosition(new THREE.Vector3())));
      const turn = new THREE.Quaternion();
      if (one.axes === "frame")
        turn.copy(this.world.getWorldQuaternion(new THREE.Quaternion()).invert().multiply(frame.getWorldQuaternion(new THREE.Quaternion())));
      const f = vec(one.wrench).applyQuaternion(turn);
      const m = vec(one.wrench.slice(3)).applyQuaternion(turn);
      arrow.point(f, (0.3 * this.drawing.reach * f.length()) / largestForce);
      moment.turn(m.length() / largestMoment > 0.01 ? (0.8 * m.length()) / largestMoment : 0);
      if (m.lengthSq() > 0) moment.quaternion.setFromUnitVectors(new THREE.Vector3(0, 0, 1), m.normalize());
    });
  }

  private setTube(points: THREE.Vector3[]): void {
    const apart = points.filter((point, i) => i === 0 || point.distanceToSquared(points[i - 1]!) > 1e-12 * this.drawing.reach ** 2);
    this.past.geometry.dispose();
    this.segments = points.length - 1;
    this.past.geometry = apart.length < 2 ? new THREE.BufferGeometry()
      : new THREE.TubeGeometry(new Path(points), this.segments, 0.13 * this.drawing.radius, tubeSides);
  }

  // The spring between the tool and where the mouse is; null: it lets go.
  setSpring(to: THREE.Vector3 | null): void {
    this.spring.visible = this.target.visible = to !== null;
    if (!to) return;
    this.target.position.copy(to);
    this.spring.geometry.setFromPoints([this.toolPosition(), to]);
  }

  beforeDraw(camera: THREE.Camera): void {
    this.handle.quaternion.copy(this.world.getWorldQuaternion(new THREE.Quaternion()).invert().multiply(camera.quaternion));
    this.handle.scale.setScalar(this.drawing.radius * (this.handleHot ? 2.3 : 1.7));
    (this.handle.material as THREE.MeshBasicMaterial).opacity = this.handleHot ? 1 : 0.65;
  }

  dispose(): void {
    disposeOf(this.group);
    disposeOf(this.ways);
  }
}

// Straight from point to point.
class Path extends THREE.Curve<THREE.Vector3> {
  constructor(private readonly points: THREE.Vector3[]) {
    super();
  }

  override getPoint(s: number, target = new THREE.Vector3()): THREE.Vector3 {
    const at = Math.min(this.points.length - 2, Math.max(0, Math.floor(s * (this.points.length - 1))));
    return target.copy(this.points[at]!).lerp(this.points[at + 1]!, s * (this.points.length - 1) - at);
  }

  override getPointAt(s: number, target?: THREE.Vector3): THREE.Vector3 {
    return this.getPoint(s, target); // by time, not by length: the end of the tube is where the tool is
  }

  // A path that stands still has no direction; any will do.
  override getTangentAt(s: number, target = new THREE.Vector3()): THREE.Vector3 {
    const step = 1 / (this.points.length - 1);
    target.copy(this.getPoint(Math.min(1, s + step))).sub(this.getPoint(Math.max(0, s - step)));
    return target.lengthSq() > 0 ? target.normalize() : target.set(1, 0, 0);
  }
}
