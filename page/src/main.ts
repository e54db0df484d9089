// Puts the page together and runs its clock.
import "./style.css";
import { BasePanel } from "./base";
import { payloadOf } from "./data";
import { FramePanel } from "./dhsteps";
import { button, checkbox, el, icon, iconButton, replace, select, svg, text } from "./dom";
import { EditPanel } from "./edit";
import { EllipsoidPanel } from "./ellipsoid";
import { ExportMenu } from "./export";
import { loadEngine, type Engine } from "./engine";
import { FallPanel } from "./fall";
import { Ghost } from "./ghost";
import { helpDialog } from "./help";
import { History } from "./history";
import { LimitWatch } from "./limits";
import { JointsPanel } from "./live";
import { matrixCard, MatrixOverTime, MatrixPanel } from "./matrix";
import { MethodsPanel } from "./methods";
import { Player } from "./player";
import { Plots } from "./plots";
import { Pointer } from "./pointer";
import { PolesPanel } from "./poles";
import type { Shown } from "./robot";
import { jointName, messageOf, noEngine, sceneNames, Session } from "./session";
import { Stage } from "./stage";
import { TablePanel } from "./table";
import { startTheme, switchTheme } from "./theme";
import { ToolPanel } from "./tool";

interface Updating {
  update(): void;
}
interface Tab {
  key: string;
  title: string;
  node: HTMLElement;
  parts: Updating[];
}

const layers: [keyof Shown, string][] = [
  ["capsules", "links and joints"], ["meshes", "meshes"], ["masses", "mass centres"], ["inertias", "inertia ellipsoids"], ["frames", "frames"], ["axes", "joint axes"],
  ["torques", "torques"], ["wrenches", "wrenches"], ["trail", "trail of the tool"], ["names", "names of joints"],
];

class Page {
  readonly session: Session;
  readonly stage: Stage;
  readonly player: Player;
  readonly plots: Plots;
  readonly fall: FallPanel;
  readonly pointer: Pointer;
  readonly frame: FramePanel;
  readonly ellipsoid: EllipsoidPanel;
  readonly ghost: Ghost;
  readonly edit: EditPanel;
  readonly history: History;
  readonly files: ExportMenu;
  readonly tabs: Tab[];
  private current = "";
  private stale = true;
  private before = 0;
  private readonly help: HTMLDialogElement;
  private readonly panel = el("div", { class: "panel", id: "panel", role: "tabpanel", tabindex: 0 });
  private readonly tabButtons = new Map<string, HTMLButtonElement>();
  private readonly note = el("div", { class: "stage-note", role: "status" });
  private readonly boxes = new Map<keyof Shown, HTMLInputElement>();
  private readonly results = el("div", {});

  constructor(session: Session, private readonly root: HTMLElement) {
    this.session = session;
    this.stage = new Stage(session);
    this.player = new Player(session);
    this.plots = new Plots(session, () => this.player.playing);
    this.fall = new FallPanel(session, this.stage);
    this.pointer = new Pointer(session, this.stage, this.fall);
    this.frame = new FramePanel(session, this.stage);
    this.ellipsoid = new EllipsoidPanel(session, this.stage);
    this.ghost = new Ghost(session, this.stage, this.plots);
    this.edit = new EditPanel(session);
    this.history = new History(session, this.edit);
    this.files = new ExportMenu(session, this.stage, this.player);
    this.help = helpDialog(session);
    this.tabs = this.makeTabs();
    const bar = this.tabBar();
    replace(root, this.top(), this.stage.node, this.player.node, el("section", { class: "side", "aria-label": "Panels" }, bar, this.panel), this.help);
    this.stage.node.append(this.stageTools(), el("div", { class: "stage-notes" }, new LimitWatch(session, this.stage).node, this.note));
    session.on("scene", () => this.setScene());
    session.on("state", () => { this.stale = true; this.say(); });
    session.on("mode", () => this.say());
    session.on("robot", () => { this.stale = true; this.describe(); });
    window.addEventListener("keydown", (event) => this.key(event));
  }

  private makeTabs(): Tab[] {
    const { session } = this;
    const joints = new JointsPanel(session);
    const matrix = new MatrixPanel(session);
    const tool = new ToolPanel(session);
    const base = new BasePanel(session);
    const poles = new PolesPanel(session);
    const methods = new MethodsPanel(session);
    const tables = new TablePanel(session);
    const overTime = new MatrixOverTime(session);
    return [
      { key: "motion", title: "Motion", node: el("div", {}, this.ghost.node, this.plots.node, overTime.node), parts: [] },
      { key: "live", title: "Live", node: el("div", {}, joints.node, ...(session.engine ? [this.ellipsoid.node, this.fall.node, tool.node, base.node, matrix.node] : [])),
        parts: session.engine ? [joints, this.ellipsoid, tool, matrix] : [joints] },
      { key: "model", title: "Model", node: el("div", {}, this.frame.node, this.edit.node), parts: [this.edit] },
      { key: "analysis", title: "Analysis", node: el("div", {}, methods.node, poles.node, this.results), parts: [methods, poles] },
      { key: "table", title: "Table", node: tables.node, parts: [tables] },
    ];
  }

  private tabBar(): HTMLElement {
    const bar = el("div", { class: "tabs", role: "tablist", "aria-label": "Panels" });
    this.tabs.forEach((tab) => {
      const one = button(tab.title, () => this.openTab(tab.key), { role: "tab", id: `tab-${tab.key}`, "aria-controls": "panel", "data-tab": tab.key });
      this.tabButtons.set(tab.key, one);
      bar.append(one);
    });
    bar.addEventListener("keydown", (event) => {
      const at = this.tabs.findIndex((tab) => tab.key === this.current);
      const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: -1 }[event.key];
      if (to === undefined) return;
      const next = this.tabs.at(to % this.tabs.length)!;
      this.openTab(next.key);
      this.tabButtons.get(next.key)!.focus();
      event.preventDefault();
      event.stopPropagation();
    });
    return bar;
  }

  openTab(key: string): void {
    if (key === this.current) return;
    this.current = key;
    for (const [name, one] of this.tabButtons) {
      one.setAttribute("aria-selected", String(name === key));
      one.tabIndex = name === key ? 0 : -1;
    }
    this.panel.setAttribute("aria-labelledby", `tab-${key}`);
    replace(this.panel, this.tabs.find((tab) => tab.key === key)!.node);
    this.panel.scrollTop = 0;
    this.stale = true;
  }

  private top(): HTMLElement {
    const { session } = this;
    const mark = svg("svg", { viewBox: "0 0 16 16", "aria-hidden": "true" },
      svg("path", { d: "M3 13 6 6l7-3", fill: "none", stroke: "var(--accent)", "stroke-width": 2.2, "stroke-linecap": "round", "stroke-linejoin": "round" }),
      svg("circle", { cx: 3, cy: 13, r: 1.9, fill: "var(--joint-1)" }), svg("circle", { cx: 6, cy: 6, r: 1.9, fill: "var(--joint-1)" }));
    const { scenes } = session.payload;
    const choice = select("Scene", sceneNames(scenes).map((name, i): [string, string] => [String(i), name]), "0", (value) => void session.open(Number(value)));
    session.on("scene", () => { choice.value = String(scenes.indexOf(session.scene)); });
    const badge = el("span", { class: session.engine ? "badge" : "badge off", title: session.engine ? "The library itself is in this file, as WebAssembly" : `${noEngine} ${session.engineProblem}` },
      session.engine ? "computes" : "plays only");
    return el("header", { class: "top" },
      el("h1", { class: "brand", style: "font-size:15px;margin:0" }, mark, el("span", {}, "Catena")), choice,
      el("span", { class: "title" }, session.payload.title), badge,
      iconButton("Light or dark (T)", icon("M12 3a9 9 0 1 0 9 9 7 7 0 0 1-9-9z"), switchTheme),
      iconButton("Help and keys (?)", icon("M9.2 9a3 3 0 1 1 4.2 2.8c-.9.5-1.4 1-1.4 2.2M12 17.5v.1"), () => this.help.showModal()));
  }

  private stageTools(): HTMLElement {
    const menu = el("div", {});
    for (const [key, words] of layers) {
      const box = checkbox(words, this.stage.shown[key], (on) => this.stage.show({ [key]: on }), { "data-layer": key });
      this.boxes.set(key, box.input);
      if (key === "meshes") {
        box.node.hidden = true;
        this.stage.node.addEventListener("meshes", () => { box.node.hidden = !this.stage.hasMeshes; });
      }
      menu.append(box.node);
    }
    const show = el("details", { class: "menu" }, el("summary", {}, "Show"), menu);
    document.addEventListener("pointerdown", (event) => { if (!show.contains(event.target as Node)) show.open = false; });
    show.addEventListener("focusout", (event) => { if (event.relatedTarget && !show.contains(event.relatedTarget as Node)) show.open = false; });
    show.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || !show.open) return;
      show.open = false;
      show.querySelector("summary")!.focus();
    });
    const drag: HTMLButtonElement = button("Drag: pull", () => {
      this.pointer.mode = this.pointer.mode === "pull" ? "place" : "pull";
      text(drag, `Drag: ${this.pointer.mode}`);
    }, { title: "What dragging the ring at the tool does: pull it by a spring, or place it by solving for the posture", hidden: !this.session.engine });
    return el("div", { class: "stage-tools" }, show, button("Fit", () => this.stage.frameView(true), { title: "The robot, as it stands now, into view (F)" }), drag, this.files.node, this.history.node);
  }

  private toggle(...keys: (keyof Shown)[]): void {
    const on = !this.stage.shown[keys[0]!];
    for (const key of keys) {
      this.stage.show({ [key]: on });
      const box = this.boxes.get(key);
      if (box) box.checked = on;
    }
  }

  private setScene(): void {
    const { scene, recording } = this.session;
    document.title = `${scene.name} · Catena`;
    const { matrix } = scene;
    const cards: HTMLElement[] = [];
    if (matrix) {
      const { robot } = scene;
      const short = (name: string) => jointName(robot, name);
      const joints = robot.joint_names.map(short);
      const states = (matrix.states ?? []).map((name) => name.replace(/^(\S+ )(.*)$/, (_, sign: string, joint: string) => sign + short(joint)));
      const inputs = (matrix.inputs ?? []).map((name) => `δτ ${short(name)}`);
      const step = matrix.sample_time === undefined ? "" : `, sampled every ${matrix.sample_time} s`;
      const next = step ? "x(k+1)" : "ẋ";
      for (const [key, title, rows, columns] of [
        ["A", `A of ${next} = A x + B δτ${step}`, states, states], ["B", `B of ${next} = A x + B δτ${step}`, states, inputs], ["K", "K of the regulator δτ = −K x", inputs, states],
        ["D", "D = ∂τ/∂q̈", joints, joints], ["V", "V = ∂τ/∂q̇", joints, joints], ["P", "P = ∂τ/∂q", joints, joints]] as const)
        if (matrix[key]?.length) cards.push(matrixCard(title, matrix[key], `${scene.name}_${key}`, rows, columns));
    }
    replace(this.results, ...cards);
    const first = recording ? "motion" : matrix || scene.compare ? "analysis" : "live";
    if (this.current === "" || (this.current === "motion") !== (first === "motion")) this.openTab(first);
    this.stale = true;
  }

  private describe(): void {
    const { robot } = this.session;
    this.stage.canvas.setAttribute("aria-label", `${robot.name}: ${robot.dof} degrees of freedom, drawn in three dimensions. Arrow keys turn the view, page keys zoom, with Shift arrows move it. The tab Table has the same in numbers.`);
  }

  private say(): void {
    const { session } = this;
    const words = session.unclosed ? session.unclosed : session.broken ? "The result has no number at this time. The robot is shown at its last known position."
      : session.problem ? session.problem
      : session.mode === "fall" ? "falling" : session.changed ? "changed robot" : "";
    text(this.note, words);
    this.note.classList.toggle("warn", session.broken || session.problem !== "" || session.unclosed !== "");
  }

  private key(event: KeyboardEvent): void {
    const target = event.target as HTMLElement;
    if (event.ctrlKey || event.metaKey || event.altKey || this.help.open) return;
    if (/^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName) && !(target instanceof HTMLInputElement && target.type === "checkbox")) return;
    if (event.key === " " && /^(BUTTON|SUMMARY)$/.test(target.tagName)) return;
    const { player } = this;
    const actions: Record<string, () => void> = {
      " ": () => player.toggle(), ArrowLeft: () => this.stepKey(event, -1), ArrowRight: () => this.stepKey(event, 1),
      Home: () => player.jump(0), End: () => player.jump(1), "+": () => player.faster(1), "=": () => player.faster(1), "-": () => player.faster(-1),
      f: () => this.stage.frameView(true), e: () => { if (this.session.engine) this.ellipsoid.next(); }, t: switchTheme, a: () => this.toggle("frames"), m: () => this.toggle("masses", "inertias"), "?": () => this.help.showModal(),
    };
    this.tabs.forEach((tab, i) => { actions[String(i + 1)] = () => this.openTab(tab.key); });
    const action = actions[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!action) return;
    event.preventDefault();
    action();
  }

  private stepKey(event: KeyboardEvent, by: number): void {
    const { recording } = this.session;
    if (!event.shiftKey || !recording) return this.player.step(by);
    this.player.pause();
    this.session.setTime(this.session.time + (by * (recording.end - recording.start)) / 100);
  }

  run(): void {
    const frame = (now: number) => {
      const seconds = Math.min(0.1, (now - (this.before || now)) / 1000);
      this.before = now;
      this.player.advance(seconds);
      this.pointer.advance();
      this.fall.advance(seconds);
      this.frame.advance(seconds);
      if (this.stale) {
        this.stale = false;
        for (const part of this.tabs.find((tab) => tab.key === this.current)?.parts ?? []) part.update();
      }
      this.stage.draw();
      this.files.advance();
      requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
    this.root.dataset["ready"] = "true";
  }
}

async function start(): Promise<void> {
  const root = document.getElementById("app")!;
  startTheme();
  const payload = payloadOf(document);
  if (!payload || payload.scenes.length === 0) {
    replace(root, el("p", { class: "empty" }, "This is the empty page of Catena. `catena report MODEL -o report.html` fills it."));
    return;
  }
  let engine: Engine | null = null;
  let problem = "";
  const module = document.getElementById("catena-engine")?.textContent ?? "";
  try {
    if (module.trim() !== "") engine = await loadEngine(module);
  } catch (error) {
    problem = messageOf(error);
  }
  const page = new Page(new Session(payload, engine, problem), root);
  await page.session.open(0);
  page.run();
  Object.assign(window, { catena: page });
}

start().catch((error: unknown) => {
  const root = document.getElementById("app")!;
  replace(root, el("p", { class: "empty" }, `This page cannot be shown: ${messageOf(error)}`));
});
