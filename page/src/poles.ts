// Poles of the linearized model in the complex plane.
import { csvRows } from "./csv";
import type { Pole } from "./data";
import { button, download, el, fileName, replace, svg, text } from "./dom";
import { number } from "./format";
import { Rest } from "./rest";
import { messageOf, type Session } from "./session";

const width = 420;
const height = 240;

export class PolesPanel {
  readonly node: HTMLElement;
  private readonly picture = svg("svg", { class: "poles", viewBox: `0 0 ${width} ${height}`, role: "img" });
  private readonly words = el("p", { class: "hint" });
  private poles: Pole[] = [];
  private readonly rest = new Rest(() => this.run(), 150);

  constructor(private readonly session: Session) {
    this.node = el("section", { class: "card" },
      el("header", {}, el("h2", {}, "Poles of the linearized model"), button("CSV", () => this.save(), { class: "small", "data-csv": "poles" })),
      this.picture, this.words);
  }

  update(): void {
    this.rest.ask();
  }

  private run(): void {
    const { session } = this;
    const given = session.scene.matrix?.poles;
    let problem = "";
    try {
      if (given && !session.changed && same(session.q, session.scene.q)) this.poles = given;
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
    const finite = this.poles.filter((pole) => Number.isFinite(pole.re) && Number.isFinite(pole.im));
    const reach = niceCeiling(Math.max(...finite.flatMap((pole) => [Math.abs(pole.re), Math.abs(pole.im)]), 1e-3));
    const x = (re: number) => width / 2 + (re / reach) * (width / 2 - 34);
    const y = (im: number) => height / 2 - (im / reach) * (height / 2 - 26);
    const unstable = finite.filter((pole) => pole.re > 1e-9 * reach);
    replace(this.picture,
      ...[-1, -0.5, 0.5, 1].flatMap((share) => [
        svg("line", { class: "tick", x1: x(share * reach), x2: x(share * reach), y1: 18, y2: height - 18 }),
        svg("line", { class: "tick", y1: y(share * reach), y2: y(share * reach), x1: 26, x2: width - 26 }),
        label(x(share * reach), height / 2 + 14, number(share * reach, 3), "middle"),
        label(width / 2 + 5, y(share * reach) + 4, number(share * reach, 3), "start"),
      ]),
      svg("line", { class: "axis", x1: 14, x2: width - 14, y1: height / 2, y2: height / 2 }),
      svg("line", { class: "axis", y1: 10, y2: height - 10, x1: width / 2, x2: width / 2 }),
      label(width - 14, height / 2 - 6, "Re, 1/s", "end"), label(width / 2 - 6, 16, "Im, rad/s", "end"),
      ...finite.map((pole) => cross(x(pole.re), y(pole.im), pole.re > 1e-9 * reach)));
    const words = problem || (finite.length === 0
      ? "No poles at this state."
      : `${finite.length} poles about this posture, held still; ${unstable.length === 0 ? "none" : unstable.length} to the right of zero${unstable.length > 0 ? " (thick, orange): it does not stay there by itself" : ""}.`);
    text(this.words, words);
    this.picture.setAttribute("aria-label", words);
  }

  private save(): void {
    download(fileName(`${this.session.robot.name}_poles`, "csv"), csvRows(["re", "im"], this.poles.map((pole) => [pole.re, pole.im])), "text/csv");
  }
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
