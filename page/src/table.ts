// All of it in words and numbers, for those who do not look at pictures.
import { el, replace, table, text } from "./dom";
import { number, unitWords, withoutNoise } from "./format";
import { positionsOf } from "./positions";
import { jointName, type Session } from "./session";

const exact = (value: number): string => number(value, 8);

export class TablePanel {
  readonly node = el("div", {});
  private stale = true;
  private cells: { node: HTMLElement; read: () => string }[] = [];
  private readonly heading = el("h2", {}, "State");

  constructor(private readonly session: Session) {
    session.on("robot", () => { this.stale = true; });
  }

  private rebuild(): void {
    this.cells = [];
    replace(this.node, this.summary(), this.state(), this.matrix(), this.joints(), this.links(), this.columns());
  }

  private box(heading: string | HTMLElement, node: HTMLElement): HTMLElement {
    return el("section", { class: "card" }, typeof heading === "string" ? el("h2", {}, heading) : heading,
      el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": typeof heading === "string" ? heading : "State" }, node));
  }

  private summary(): HTMLElement {
    const { robot, scene } = this.session;
    const mass = robot.links.reduce((sum, link) => sum + link.mass, 0);
    return el("section", { class: "card" }, el("h2", {}, robot.name),
      el("p", {}, `${robot.dof} degrees of freedom, ${robot.links.length} links, ${number(mass)} kg, on “${robot.base}” with the tool “${robot.tool}”, gravity ${robot.gravity.map((g) => number(g)).join(", ")} m/s².`),
      el("p", { class: "hint" }, `Scene: ${scene.name}.`));
  }

  private cell(read: () => string): HTMLElement {
    const node = el("td");
    this.cells.push({ node, read });
    return node;
  }

  private state(): HTMLElement {
    const { session } = this;
    const { robot, recording } = session;
    const { node, body } = table(["joint", "q", "q̇", "q̈", "τ recorded", "τ to hold still", "unit of q, τ"], "Values of each joint now");
    const holding = { at: NaN, tau: null as Float64Array | null };
    const hold = (i: number): string => {
      if (holding.at !== performance.now()) [holding.at, holding.tau] = [performance.now(), session.compute("gravity", { wrenches: session.scene.wrenches })];
      return holding.tau ? exact(holding.tau[i]!) : "–";
    };
    robot.joint_names.map((name) => jointName(robot, name)).forEach((name, i) => {
      const joint = robot.joints.find((one) => one.v === i && one.type !== "floating");
      const recorded = (group: "qdd" | "tau") => () => {
        const track = session.mode === "play" ? recording?.of(group).find((one) => one.column.joint === i) : undefined;
        return track ? exact(track.values[recording!.nearest(session.time)]!) : "–";
      };
      const unit = robot.units[i] === "m" ? "m, N" : "rad, N m";
      body.append(el("tr", {}, el("th", { scope: "row" }, name),
        this.cell(() => (joint ? exact(session.q[joint.q]!) : "–")), this.cell(() => exact(session.qd[i] ?? 0)),
        this.cell(recorded("qdd")), this.cell(recorded("tau")), this.cell(() => hold(i)), el("td", {}, unit)));
    });
    robot.joints.forEach((joint, i) => {
      if (joint.tree === undefined) return;
      body.append(el("tr", {}, el("th", { scope: "row" }, jointName(robot, joint.name)), this.cell(() => exact(positionsOf(robot, session.q, session.tree)(i))),
        ...Array.from({ length: 4 }, () => el("td", {}, "–")), el("td", {}, joint.type === "prismatic" ? "m" : "rad")));
    });
    return this.box(this.heading, node);
  }

  private matrix(): HTMLElement | null {
    const { session } = this;
    const { dof } = session.robot;
    const names = session.robot.joint_names.map((name) => jointName(session.robot, name));
    if (!session.handle || dof > 30) return null;
    const { node, body } = table(["joint", ...names], "Inertia matrix M now, kg m², kg m, kg");
    let M: Float64Array | null = null;
    let largest = 0;
    names.forEach((name, i) => body.append(el("tr", {}, el("th", { scope: "row" }, name), ...names.map((_, k) => this.cell(() => {
      if (i === 0 && k === 0) [M, largest] = [session.compute("inertia"), 0];
      if (M && largest === 0) largest = Math.max(...Array.from(M, Math.abs));
      return M ? number(withoutNoise(M[i * dof + k]!, largest), 6) : "–";
    })))));
    return this.box("Inertia matrix", node);
  }

  private joints(): HTMLElement {
    const { robot } = this.session;
    const { node, body } = table(["joint", ":type", ":from", ":to", "lower", "upper", "velocity", "effort"], "Joints and their limits, SI units and radians");
    const limit = (value: number | null) => el("td", {}, value === null ? "–" : number(value, 5));
    for (const joint of robot.joints)
      body.append(el("tr", {}, el("th", { scope: "row", title: joint.name }, jointName(robot, joint.name)), el("td", { class: "words" }, joint.type + (joint.passive ? ", passive" : "") + (joint.coupled ? ", coupled" : joint.tree !== undefined ? ", follows from loops" : "")),
        el("td", { class: "words" }, robot.links[joint.parent]!.name), el("td", { class: "words" }, robot.links[joint.link]!.name),
        limit(joint.lower), limit(joint.upper), limit(joint.velocity), limit(joint.effort)));
    return this.box("Joints", node);
  }

  private links(): HTMLElement {
    const { node, body } = table(["link", "mass, kg", "centre x, m", "y, m", "z, m", "Ixx, kg m²", "Iyy", "Izz", "a body can have it"], "Links: mass, mass centre in the link's frame, moments about it");
    for (const link of this.session.robot.links)
      body.append(el("tr", {}, el("th", { scope: "row" }, link.name), ...[link.mass, ...link.com, link.inertia[0]!, link.inertia[4]!, link.inertia[8]!]
        .map((value) => el("td", {}, number(value, 5))), el("td", {}, link.physical ? "yes" : "no")));
    return this.box("Links", node);
  }

  private columns(): HTMLElement | null {
    const { recording } = this.session;
    if (!recording) return null;
    const { node, body } = table(["column", ":of", ":unit", "first", "least", "largest", "last"],
      `${recording.count} samples, ${number(recording.start)} to ${number(recording.end)}${recording.timed ? " s" : ""}`);
    for (const { column, values } of recording.tracks) {
      let [least, largest] = [Infinity, -Infinity];
      for (let i = 0; i < values.length; ++i) {
        const value = values[i]!;
        if (value < least && value > -Infinity) least = value;
        if (value > largest && value < Infinity) largest = value;
      }
      body.append(el("tr", {}, el("th", { scope: "row" }, column.name), el("td", { class: "words" }, jointName(this.session.scene.robot, column.label)), el("td", { class: "words" }, unitWords(column.unit)),
        ...[values[0]!, least <= largest ? least : NaN, least <= largest ? largest : NaN, values[values.length - 1]!].map((value) => el("td", {}, number(value, 6)))));
    }
    return this.box("Recorded columns", node);
  }

  // Made when it is looked at: a long recording takes a while to sum up.
  update(): void {
    if (this.stale) this.rebuild();
    this.stale = false;
    const { mode, time, broken } = this.session;
    text(this.heading, mode === "play" ? `State at ${number(time, 6)} s${broken ? ", where the result has no number" : ""}` : "State, set by hand");
    for (const { node, read } of this.cells) text(node, read());
  }
}
