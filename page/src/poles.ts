// Poles of the linearized model in the complex plane.
import { csvRows } from "./csv";
import type { Pole } from "./data";
import { button, download, el, fileName, replace, svg, table, text } from "./dom";
import { number, withoutNoise } from "./format";
import { Rest } from "./rest";
import { messageOf, type Session } from "./session";

const width = 420;
const height = 240;

export class PolesPanel {
  readonly node: HTMLElement;
  private readonly picture = svg("svg", { class: "poles", viewBox: `0 0 ${width} ${height}`, role: "img" });
  private readonly words = el("p", { class: "hint" });
  private readonly list = el("div", { class: "pole-lists", tabindex: 0, role: "region", "aria-label": "Poles in numbers" });
  private poles: Pole[] = [];
  private closed: Pole[] = []; // with the regulator
  private sampled = false; // poles in the z plane: stable within the unit circle
  private readonly rest = new Rest(() => this.run(), 150);

  constructor(private readonly session: Session) {
    this.node = el("section", { class: "card" },
      el("header", {}, el("h2", {}, "Poles of the linearized model"), button("CSV", () => this.save(), { class: "small", "data-csv": "poles" })),
      this.picture, this.words, this.list);
  }

  update(): void {
    this.rest.ask();
  }

  private run(): void {
    const { session } = this;
    const given = session.scene.matrix?.poles;
    let problem = "";
    const asGiven = given !== undefined && !session.changed && same(session.q, session.scene.q);
    this.closed = (asGiven && session.scene.matrix?.closed_loop_poles) || [];
    this.sampled = asGiven && session.scene.matrix?.sample_time !== undefined;
    try {
      if (asGiven) this.poles = given;
      else this.poles = session.handle && !session.broken ? session.handle.poles(session.q, new Float64Array(session.robot.dof)) : given ?? [];
    } catch (error) {
      this.poles = [];
      problem = messageOf(error);
    }
    this.draw(problem);
  }

  private draw(problem: string): void {
    this.node.hidden = this.poles.length === 0 && !this.session.engine;
    this.picture.toggleAttribute("hidden", this.poles.length === 0);
    const known = (poles: Pole[]) => poles.filter((pole) => Number.isFinite(pole.re) && Number.isFinite(pole.im));
    const [finite, closed] = [known(this.poles), known(this.closed)];
    const reach = niceCeiling(Math.max(...[...finite, ...closed].flatMap((pole) => [Math.abs(pole.re), Math.abs(pole.im)]), this.sampled ? 1 : 1e-3));
    const scale = scaleOf([...finite, ...closed], reach, this.sampled);
    const x = (re: number) => width / 2 + scale.share(re) * (width / 2 - 34);
    const y = (im: number) => height / 2 - scale.share(im) * (height / 2 - 26);
    const isUnstable = (pole: Pole) => (this.sampled ? Math.hypot(pole.re, pole.im) > 1 + 1e-9 : pole.re > 1e-9 * reach);
    const unstable = finite.filter(isUnstable);
    const where = this.sampled ? "outside the unit circle" : "to the right of zero";
    replace(this.picture,
      ...scale.ticks.flatMap((size) => [-size, size]).flatMap((at) => [
        svg("line", { class: "tick", x1: x(at), x2: x(at), y1: 18, y2: height - 18 }),
        svg("line", { class: "tick", y1: y(at), y2: y(at), x1: 26, x2: width - 26 }),
        label(x(at), height / 2 + 14, number(at, 3), "middle"),
        label(width / 2 + 5, y(at) + 4, number(at, 3), "start"),
      ]),
      svg("line", { class: "axis", x1: 14, x2: width - 14, y1: height / 2, y2: height / 2 }),
      svg("line", { class: "axis", y1: 10, y2: height - 10, x1: width / 2, x2: width / 2 }),
      this.sampled ? svg("ellipse", { class: "tick", fill: "none", cx: width / 2, cy: height / 2, rx: x(1) - x(0), ry: y(0) - y(1) }) : null,
      label(width - 14, height / 2 - 6, this.sampled ? "Re" : "Re, 1/s", "end"), label(width / 2 - 6, 16, this.sampled ? "Im" : "Im, rad/s", "end"),
      ...finite.map((pole) => cross(x(pole.re), y(pole.im), isUnstable(pole))),
      ...closed.map((pole) => svg("circle", { class: "pole closed", cx: x(pole.re), cy: y(pole.im), r: 5 })));
    this.list.hidden = closed.length === 0;
    replace(this.list, ...(closed.length === 0 ? [] : [poleTable("of the model", finite), poleTable("of the closed loop", closed)]));
    const words = problem || (finite.length === 0
      ? "No poles at this state."
      : `${finite.length} poles about this posture, held still; ${unstable.length === 0 ? "none" : unstable.length} ${where}${unstable.length > 0 ? " (thick, orange): it does not stay there by itself" : ""}.`
        + (closed.length === 0 ? "" : ` Circles: ${closed.length} poles of the closed loop with the regulator K, ${closed.filter(isUnstable).length || "none"} ${where}.`));
    text(this.words, words + (scale.linear ? "" : " Both axes are logarithmic away from zero: the poles lie far apart."));
    this.picture.setAttribute("aria-label", words);
  }

  private save(): void {
    download(fileName(`${this.session.robot.name}_poles`, "csv"), csvRows(["of", "re", "im"],
      [...this.poles.map((pole) => ["model", pole.re, pole.im]), ...this.closed.map((pole) => ["closed loop", pole.re, pole.im])]), "text/csv");
  }
}

interface Scale {
  linear: boolean;
  share: (value: number) => number; // of the way from zero to the edge, -1 to 1
  ticks: number[]; // above zero
}

// One pole far out would squeeze all others into a point: the axes then are linear about zero and logarithmic beyond.
function scaleOf(poles: Pole[], reach: number, sampled: boolean): Scale {
  const sizes = poles.map((pole) => Math.hypot(pole.re, pole.im)).filter((size) => size > 1e-9 * reach).sort((a, b) => a - b);
  const middle = sizes[Math.floor((sizes.length - 1) / 2)] ?? reach;
  if (sampled || reach < 20 * middle) return { linear: true, share: (value) => value / reach, ticks: [reach / 2, reach] };
  const unit = 10 ** Math.floor(Math.log10(middle));
  const edge = Math.asinh((2 * reach) / unit);
  const powers = Math.floor(Math.log10(reach / unit) + 1e-9);
  const every = Math.ceil((powers + 1) / 4);
  const ticks = Array.from({ length: Math.floor(powers / every) + 1 }, (_, k) => unit * 10 ** (powers - k * every));
  return { linear: false, share: (value) => Math.asinh((2 * value) / unit) / edge, ticks };
}

function poleTable(caption: string, poles: Pole[]): HTMLElement {
  const { node, body } = table(["real part", "imaginary part"], `Poles ${caption}`);
  const largest = Math.max(...poles.map(({ re, im }) => Math.hypot(re, im)), 0);
  const words = (value: number) => number(withoutNoise(value, largest), 6);
  for (const { re, im } of poles) body.append(el("tr", {}, el("td", {}, words(re)), el("td", {}, words(im))));
  return node;
}

const same = (a: ArrayLike<number>, b: ArrayLike<number>): boolean => a.length === b.length && Array.from(a).every((value, i) => Math.abs(value - b[i]!) < 1e-12);

function label(x: number, y: number, words: string, anchor: string): SVGTextElement {
  return svg("text", { x, y, "text-anchor": anchor }, words);
}

function cross(x: number, y: number, unstable: boolean): SVGPathElement {
  return svg("path", { class: unstable ? "pole unstable" : "pole", d: `M${x - 5} ${y - 5}l10 10M${x + 5} ${y - 5}l-10 10` });
}

function niceCeiling(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  return ([1, 2, 5, 10].find((step) => step * power >= value) ?? 10) * power;
}
