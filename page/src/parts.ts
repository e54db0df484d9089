// What events attached to the robot, while a recording plays: drawn on the links that carry it, in each phase of the run.
import type { Description, Phase } from "./data";
import { RobotDrawing, type Shown } from "./robot";
import type { Session } from "./session";

interface Attached {
  phase: Phase;
  drawings: { drawing: RobotDrawing; host: number }[];
  q: Float64Array;
}

export class Parts {
  private all: Attached[] = [];

  constructor(private readonly session: Session) {}

  // The robot is drawn anew; what hung on it went with it.
  build(onto: RobotDrawing): void {
    const { scene } = this.session;
    const own = new Map(onto.robot.links.map((link, i) => [link.name, i]));
    this.all = (scene.phases ?? []).map((phase) => ({
      phase, q: new Float64Array(phase.robot.nq),
      drawings: partsOf(phase.robot, own).map(({ part, host }) => {
        const drawing = new RobotDrawing(part, onto);
        onto.links[host]!.add(drawing.root);
        return { drawing, host };
      }),
    }));
  }

  // The phase of the run that is shown; -1: none, the robot is as it was, or is not playing.
  get now(): number {
    const { mode, time, changed } = this.session;
    if (mode !== "play" || changed) return -1;
    return this.all.filter(({ phase }) => phase.t <= time).length - 1;
  }

  update(shown: Shown): void {
    const { now } = this;
    const { recording, time } = this.session;
    this.all.forEach(({ phase, drawings, q }, i) => {
      for (const { drawing } of drawings) drawing.root.visible = i === now;
      if (i !== now || !recording || drawings.length === 0) return;
      phase.q.forEach((name, k) => { q[k] = recording.at(name, time); });
      for (const { drawing } of drawings) {
        drawing.setQ(q, []);
        drawing.show({ ...shown, meshes: false, torques: false }, new Set());
      }
    });
  }

  paint(): void {
    for (const { drawings } of this.all) for (const { drawing } of drawings) drawing.paint();
  }
}

// The links of a robot that are not among those known, as robots of their own that stand on a known link.
function partsOf(robot: Description, known: Map<string, number>): { part: Description; host: number }[] {
  const hosts = new Set(robot.joints.filter((joint) => isNew(robot, joint.link, known) && !isNew(robot, joint.parent, known)).map((joint) => joint.parent));
  return [...hosts].map((host) => {
    const members = [host];
    const joints = robot.joints.filter((joint) => {
      const belongs = isNew(robot, joint.link, known) && members.includes(joint.parent);
      if (belongs) members.push(joint.link);
      return belongs;
    }).map((joint) => ({ ...joint, parent: members.indexOf(joint.parent), link: members.indexOf(joint.link) }));
    const links = members.map((i, k) => ({ ...robot.links[i]!, ...(k === 0 ? { mass: 0 } : {}) }));
    const frames = robot.frames.filter((frame) => members.indexOf(frame.link) > 0).map((frame) => ({ ...frame, link: members.indexOf(frame.link) }));
    return { part: { ...robot, floating: true, links, joints, frames, dh: [] }, host: known.get(robot.links[host]!.name)! };
  });
}

const isNew = (robot: Description, link: number, known: Map<string, number>): boolean => !known.has(robot.links[link]!.name);
