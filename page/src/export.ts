// Files out of the picture: a screenshot, a video of one run, and the robot for other programs.
import { button, el, fileName, text } from "./dom";
import { fixed } from "./format";
import { glbOf } from "./glb";
import type { Player } from "./player";
import { messageOf, type Session } from "./session";
import type { Stage } from "./stage";

const frameRate = 30;
const kinds = ["video/webm;codecs=vp9", "video/webm;codecs=vp8", "video/webm"];

interface Take {
  recorder: MediaRecorder;
  pieces: Blob[];
  loop: boolean; // of the player, before
  rest: number; // frames that are still to be seen at its end
}

export class ExportMenu {
  readonly node: HTMLDetailsElement;
  private take: Take | null = null;
  private readonly video: HTMLButtonElement;
  private readonly said = el("p", { class: "hint", role: "status" });

  constructor(private readonly session: Session, private readonly stage: Stage, private readonly player: Player) {
    const save = (key: string, words: string, title: string, action: () => void) => button(words, action, { "data-export": key, title });
    this.video = save("webm", "Video (WebM)", "One run of the recording, at the speed of the player", () => (this.take ? this.stop() : this.start()));
    this.node = el("details", { class: "menu export" }, el("summary", {}, "Export"), el("div", {},
      save("png", "Screenshot (PNG)", "The picture as it is", () => void this.attempt(this.screenshot())), this.video,
      save("glb", "Robot (GLB)", "The robot as it stands, with the recorded motion, for other programs", () => void this.attempt(this.model())), this.said));
    document.addEventListener("pointerdown", (event) => { if (!this.node.contains(event.target as Node)) this.node.open = false; });
    this.node.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || !this.node.open) return;
      this.node.open = false;
      this.node.querySelector("summary")!.focus();
    });
    session.on("scene", () => { this.stop(); this.offer(); });
    session.on("mode", () => { if (session.mode !== "play") this.stop(); });
  }

  private offer(): void {
    this.video.disabled = !this.session.recording?.plays || this.kind === undefined || !this.stage.renderer;
    text(this.said, this.kind === undefined ? "This browser records no WebM." : this.session.recording?.plays ? "" : "A video needs a recording.");
  }

  private get kind(): string | undefined {
    return typeof MediaRecorder === "undefined" ? undefined : kinds.find((kind) => MediaRecorder.isTypeSupported(kind));
  }

  private async attempt(work: Promise<void>): Promise<void> {
    try {
      await work;
    } catch (error) {
      text(this.said, messageOf(error));
    }
  }

  private async screenshot(): Promise<void> {
    const picture = this.stage.snapshot();
    const file = await new Promise<Blob | null>((done) => picture.toBlob(done, "image/png"));
    if (!file) throw new Error("The browser gave no picture.");
    this.save(file, "png");
  }

  private async model(): Promise<void> {
    const { drawing, ground, world } = this.stage;
    if (!drawing) return;
    const carry = (place: ArrayLike<number>): void => this.stage.carry(place);
    this.save(new Blob([await glbOf(this.session, { drawing, ground, world, carry })], { type: "model/gltf-binary" }), "glb");
  }

  private start(): void {
    const { session, stage, player } = this;
    const { recording } = session;
    if (!recording?.plays || !this.kind) return;
    const recorder = new MediaRecorder(stage.canvas.captureStream(frameRate), { mimeType: this.kind, videoBitsPerSecond: 8e6 });
    const take: Take = { recorder, pieces: [], loop: player.loop, rest: 6 };
    recorder.ondataavailable = (event) => take.pieces.push(event.data);
    recorder.onstop = () => this.finish(take);
    this.take = take;
    player.loop = false;
    session.setTime(recording.start);
    stage.touch();
    recorder.start();
    player.play();
    text(this.video, "Stop the video");
  }

  // Called once a frame: the run ends where the player stops.
  advance(): void {
    if (!this.take) return;
    const { recording, time } = this.session;
    text(this.said, recording ? `recording ${fixed(time, 1)} of ${fixed(recording.end, 1)} s` : "");
    this.stage.touch(); // a robot that stands still is in the video too
    if (!this.player.playing && --this.take.rest < 0) this.stop();
  }

  private stop(): void {
    const { take } = this;
    if (!take) return;
    this.take = null;
    this.player.loop = take.loop;
    this.player.pause();
    take.recorder.stop();
    text(this.video, "Video (WebM)");
    text(this.said, "");
  }

  private finish(take: Take): void {
    const file = new Blob(take.pieces, { type: "video/webm" });
    if (file.size === 0) text(this.said, "The browser recorded nothing.");
    else this.save(file, "webm");
  }

  private save(file: Blob, ending: string): void {
    const url = URL.createObjectURL(file);
    const link = el("a", { href: url, download: fileName(this.session.scene.name, ending) });
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(url), 60000);
    text(this.said, `${link.download} saved`);
  }
}
