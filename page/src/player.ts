// The bar of time: play, pause, step, speed, and where in the motion we are.
import { checkbox, el, icon, iconButton, replace, select, svg, text } from "./dom";
import { fixed } from "./format";
import type { Session } from "./session";

const pictures = {
  play: "M8 5v14l11-7z",
  pause: "M7 5h4v14H7zM13 5h4v14h-4z",
  back: "M6 5v14M19 5v14L9 12z",
  next: "M18 5v14M5 5v14l10-7z",
};

export const speeds = [0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10];

export class Player {
  readonly node: HTMLElement;
  playing = false;
  loop = true;
  speed = 1;
  private readonly slider = el("input", { type: "range", min: 0, max: 1, step: "any", value: 0, "aria-label": "Time", class: "time-slider" });
  private readonly now = el("output", { class: "time-now", "aria-live": "off" });
  private readonly words = el("span", { class: "time-words" });
  private readonly marks = svg("svg", { class: "events", "aria-hidden": "true", preserveAspectRatio: "none", viewBox: "0 0 1000 10" });
  private readonly playButton: HTMLButtonElement;
  private readonly steps: HTMLButtonElement[];
  private readonly speedChoice: HTMLSelectElement;
  private readonly playIcon = icon(pictures.play, true);
  private readonly pauseIcon = icon(pictures.pause, true);

  constructor(private readonly session: Session) {
    this.playButton = iconButton("Play (space)", this.playIcon, () => this.toggle(), { class: "icon-button play" });
    this.steps = [
      iconButton("One sample back (left arrow)", icon(pictures.back, true), () => this.step(-1)),
      iconButton("One sample on (right arrow)", icon(pictures.next, true), () => this.step(1)),
    ];
    this.speedChoice = select("Speed", speeds.map((value) => [String(value), `${value}×`]), "1", (value) => { this.speed = Number(value); });
    this.slider.addEventListener("input", () => { this.pause(); this.session.setTime(Number(this.slider.value)); });
    const loop = checkbox("Loop", true, (on) => { this.loop = on; });
    this.node = el("footer", { class: "timebar", "aria-label": "Time" },
      this.steps[0], this.playButton, this.steps[1],
      el("div", { class: "track" }, this.slider, this.marks),
      el("div", { class: "clock" }, this.now, this.words), this.speedChoice, loop.node);
    session.on("scene", () => this.reset());
    session.on("state", () => this.show());
    session.on("mode", () => { if (session.mode !== "play") this.pause(); this.show(); });
  }

  private reset(): void {
    this.pause();
    const { recording } = this.session;
    const plays = recording?.plays ?? false;
    for (const control of [this.slider, this.playButton, ...this.steps, this.speedChoice]) control.disabled = !plays;
    this.slider.min = String(recording?.start ?? 0);
    this.slider.max = String(recording?.end ?? 1);
    replace(this.marks);
    if (!recording || !plays) return;
    for (const event of recording.events) {
      const x = (1000 * (event.t - recording.start)) / (recording.end - recording.start);
      if (Number.isFinite(x)) this.marks.append(svg("rect", { x: x - 1.5, y: 0, width: 3, height: 10 }));
    }
  }

  toggle(): void {
    if (this.playing) this.pause();
    else this.play();
  }

  play(): void {
    const { recording, session } = { recording: this.session.recording, session: this.session };
    if (!recording?.plays) return;
    if (session.mode !== "play" || session.time >= recording.end) session.setTime(session.time >= recording.end ? recording.start : session.time);
    this.playing = true;
    this.showButton();
  }

  pause(): void {
    this.playing = false;
    this.showButton();
  }

  step(by: number): void {
    const { recording } = this.session;
    if (!recording?.plays) return;
    this.pause();
    this.session.setTime(recording.step(this.session.time, by));
  }

  jump(share: number): void {
    const { recording } = this.session;
    if (recording?.plays) this.session.setTime(recording.start + share * (recording.end - recording.start));
  }

  faster(by: number): void {
    const at = Math.min(speeds.length - 1, Math.max(0, speeds.indexOf(this.speed) + by));
    this.speed = speeds[at]!;
    this.speedChoice.value = String(this.speed);
  }

  // Called once a frame with the seconds since the last one.
  advance(seconds: number): void {
    const { recording } = this.session;
    if (!this.playing || !recording) return;
    let time = this.session.time + seconds * this.speed * (recording.timed ? 1 : 30);
    if (time >= recording.end) {
      if (this.loop) time = recording.start;
      else this.pause();
    }
    this.session.setTime(time);
  }

  private showButton(): void {
    replace(this.playButton, this.playing ? this.pauseIcon : this.playIcon);
    const label = this.playing ? "Pause (space)" : "Play (space)";
    this.playButton.setAttribute("aria-label", label);
    this.playButton.title = label;
  }

  private show(): void {
    const { recording, mode, time } = this.session;
    if (mode === "fall") {
      text(this.words, "falling");
    } else if (!recording?.plays) {
      text(this.now, "");
      text(this.words, "no motion in this scene");
    } else {
      const unit = recording.timed ? " s" : "";
      text(this.now, recording.timed ? fixed(time, 3) : fixed(time, 0));
      text(this.words, `/ ${fixed(recording.end, recording.timed ? 3 : 0)}${unit}`);
      this.slider.value = String(time);
      this.slider.setAttribute("aria-valuetext", `${fixed(time, 3)} of ${fixed(recording.end, 3)}${unit}`);
    }
  }
}
