// Another recording in the same picture: a second robot, half transparent, at the same time; and how far apart they are.
import * as THREE from "three";
import { unpackSamples, type Scene } from "./data";
import { card, el, replace, select, table, text } from "./dom";
import { fixed, number } from "./format";
import { loadMesh } from "./meshes";
import { Recording, type Track } from "./recording";
import { differences, sizeWords, type TrackSet } from "./reference";
import { RobotDrawing, type Shown } from "./robot";
import { jointName, sceneNames, type Session } from "./session";
import type { Plots } from "./plots";
import type { Stage } from "./stage";
import { onTheme } from "./theme";

const bare: Shown = { capsules: true, meshes: true, masses: false, inertias: false, frames: false, axes: false, torques: false, wrenches: false, trail: false, names: false };

interface Other {
  scene: Scene;
  recording: Recording;
  drawing: RobotDrawing;
  q: Float64Array;
  tree: Float64Array;
}

export class Ghost {
  readonly node: HTMLElement;
  other: Other | null = null;
  private turns = 0;
  private choice: HTMLSelectElement | null = null;
  private readonly place = el("div", { class: "row ghost-choice" });
  private readonly answer = el("div", { hidden: true });
  private readonly distance = el("p", { role: "status", "aria-live": "off" });
  private readonly rows = el("div", { class: "scroll" });
  private cells: { joint: number; here: HTMLElement; there: HTMLElement; apart: HTMLElement }[] = [];

  constructor(private readonly session: Session, private readonly stage: Stage, private readonly plots: Plots) {
    this.answer.append(this.distance, this.rows);
    this.node = card("Beside another recording", this.place, this.answer);
    this.node.hidden = true;
    plots.sources.push((recording) => this.apart(recording));
    session.on("scene", () => this.offer());
    session.on("state", () => this.update());
    onTheme(() => this.other?.drawing.paint());
  }

  // Scenes with a motion that could be the other one.
  private offer(): void {
    const { payload, scene } = this.session;
    this.remove();
    const names = sceneNames(payload.scenes);
    const others = payload.scenes.map((one, i) => ({ one, i }))
      .filter(({ one }) => one !== scene && (one.samples?.count ?? 0) > 1 && one.samples!.columns.some((column) => column.group === "q")
        && (!one.robot.loops || one.samples!.columns.some((column) => column.group === "tree")));
    this.node.hidden = others.length === 0 || !this.session.recording?.plays;
    this.choice = select("Ghost", [["", "none"], ...others.map(({ i }): [string, string] => [String(i), names[i]!])], "",
      (value) => void this.choose(value === "" ? null : Number(value)), { "data-ghost": "" });
    replace(this.place, el("span", {}, "Ghost, half transparent in the picture:"), this.choice);
  }

  async choose(index: number | null): Promise<void> {
    const turn = ++this.turns;
    const scene = index === null ? null : this.session.payload.scenes[index]!;
    const values = scene?.samples ? await unpackSamples(scene.samples) : null;
    const recording = scene && values ? Recording.of(scene, values) : null;
    if (turn !== this.turns) return; // another one was chosen meanwhile
    this.remove();
    if (this.choice) this.choice.value = index === null ? "" : String(index);
    if (scene && recording) {
      const drawing = new RobotDrawing(scene.robot);
      drawing.setGhost(true, 0.45);
      drawing.show(bare, new Set());
      this.stage.world.add(drawing.root);
      const q = new Float64Array(scene.robot.nq);
      this.other = { scene, recording, drawing, q, tree: new Float64Array(scene.robot.nt ?? 0) };
      this.build(this.other);
      void this.dress(this.other);
    }
    this.plots.setScene();
    this.update();
  }

  private remove(): void {
    ++this.turns;
    this.other?.drawing.dispose();
    this.other = null;
    this.answer.hidden = true;
    this.stage.touch();
  }

  // Its meshes, where it has some.
  private async dress(other: Other): Promise<void> {
    const links = new Set<number>();
    for (const mesh of other.scene.meshes) {
      const object = await loadMesh(mesh);
      if (this.other !== other) return;
      if (!object) continue;
      object.traverse((part) => {
        const one = part as THREE.Mesh;
        if (!one.isMesh) return;
        one.castShadow = false;
        one.material = [one.material].flat().map((material) => Object.assign(material.clone(), { transparent: true, opacity: 0.3, depthWrite: false }))[0]!;
      });
      other.drawing.links[mesh.link]?.add(object);
      links.add(mesh.link);
    }
    other.drawing.show({ ...bare, meshes: links.size > 0 }, links);
    this.stage.touch();
  }

  private get sameJoints(): boolean {
    return this.other !== null && this.other.scene.robot.nq === this.session.scene.robot.nq;
  }

  private build(other: Other): void {
    const { robot } = this.session.scene;
    this.answer.hidden = false;
    this.cells = [];
    const { node, body } = table(["joint", "this one", "ghost", "difference"], `Positions now; the ghost is ${other.scene.name}`);
    for (const joint of robot.joints) {
      if (!this.sameJoints || joint.q < 0 || (joint.type !== "revolute" && joint.type !== "prismatic")) continue;
      const [here, there, apart] = [el("td"), el("td"), el("td")];
      this.cells.push({ joint: joint.q, here, there, apart });
      body.append(el("tr", {}, el("th", { scope: "row" }, `${jointName(robot, joint.name)}, ${joint.type === "revolute" ? "rad" : "m"}`), here, there, apart));
    }
    replace(this.rows, this.sameJoints ? node : el("p", { class: "hint" }, "The ghost is another robot: its joints are not compared."));
    this.rows.setAttribute("tabindex", "0");
    this.rows.setAttribute("role", "region");
    this.rows.setAttribute("aria-label", "Differences to the ghost");
  }

  // The time of both clocks: outside its recording the ghost waits at its ends.
  private update(): void {
    const { other, session, stage } = this;
    if (!other || !stage.drawing) return;
    const { recording, q, tree, drawing } = other;
    const time = recording.timed ? session.time : recording.t[Math.min(recording.count - 1, Math.max(0, Math.round(session.time)))]!;
    recording.read("q", time, q);
    if (other.scene.robot.floating) normalize(q);
    recording.read("tree", time, tree);
    drawing.setQ(q, tree);
    stage.touch();
    const [here, there] = [stage.drawing, drawing].map((one) => vectorOf(one.poseOf(one.robot.tool)));
    const waits = time < recording.start || time > recording.end;
    text(this.distance, `The tools are ${fixed(1000 * here!.distanceTo(there!), 2)} mm apart${waits ? "; the ghost's recording has no such time, and it waits" : ""}.`);
    for (const cell of this.cells) {
      const [a, b] = [session.q[cell.joint]!, q[cell.joint]!];
      text(cell.here, fixed(a, 4));
      text(cell.there, fixed(b, 4));
      text(cell.apart, number(a - b, 3));
    }
  }

  // Differences over time, on this recording's samples.
  private apart(recording: Recording): TrackSet[] {
    const { other } = this;
    if (!other || !this.sameJoints || !recording.timed || !other.recording.timed) return [];
    const own = recording.of("q");
    const row = new Float64Array(this.session.scene.robot.nq);
    const ghost: Track[] = own.map(({ column }) => ({ column, values: new Float64Array(recording.count) }));
    recording.t.forEach((time, i) => {
      const outside = time < other.recording.start || time > other.recording.end;
      row.fill(NaN);
      if (!outside) other.recording.read("q", time, row);
      own.forEach(({ column }, k) => { ghost[k]!.values[i] = row[column.joint]!; });
    });
    const tracks = differences(ghost, own, "difference", ({ column }) => `${column.name}_difference`);
    return [{ after: "q", group: "difference", title: "Difference to the ghost", symbol: "q − q ghost", hint: sizeWords(tracks), tracks }];
  }
}

const vectorOf = (rows: number[]): THREE.Vector3 => new THREE.Vector3(rows[3], rows[7], rows[11]);

function normalize(q: Float64Array): void {
  const size = Math.hypot(q[3]!, q[4]!, q[5]!, q[6]!) || 1;
  for (let i = 3; i < 7; ++i) q[i] = q[i]! / size;
}
