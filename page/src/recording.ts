// A motion that was computed: columns over time, read between samples.
import type { Column, ColumnGroup, Scene } from "./data";

export interface Track {
  column: Column;
  values: Float64Array;
}

export class Recording {
  readonly tracks: Track[];
  readonly start: number;
  readonly end: number;
  readonly timed: boolean; // false: the samples have no times, and are numbered

  private constructor(readonly t: Float64Array, tracks: Track[], timed: boolean, readonly events: { t: number; text: string }[]) {
    this.tracks = tracks;
    this.timed = timed;
    this.start = t.length > 0 ? t[0]! : 0;
    this.end = t.length > 0 ? t[t.length - 1]! : 0;
  }

  // null where there is nothing to show
  static of(scene: Scene, values: Map<string, Float64Array>): Recording | null {
    const samples = scene.samples;
    if (!samples || samples.count < 1) return null;
    const clock = samples.columns.find((column) => column.group === "t");
    const given = clock ? values.get(clock.name)! : null;
    const timed = given !== null && rises(given);
    const t = timed ? given : Float64Array.from({ length: samples.count }, (_, i) => i);
    const tracks = samples.columns.filter((column) => column.group !== "t")
      .map((column) => ({ column, values: values.get(column.name)! }));
    return new Recording(t, tracks, timed, samples.events ?? []);
  }

  get count(): number {
    return this.t.length;
  }

  get plays(): boolean {
    return this.count > 1 && this.has("q");
  }

  of(group: ColumnGroup): Track[] {
    return this.tracks.filter((track) => track.column.group === group);
  }

  has(group: ColumnGroup): boolean {
    return this.tracks.some((track) => track.column.group === group);
  }

  // The last sample at or before a time.
  index(time: number): number {
    let low = 0;
    let high = this.count - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.t[middle]! <= time) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  nearest(time: number): number {
    const i = this.index(time);
    return i + 1 < this.count && this.t[i + 1]! - time < time - this.t[i]! ? i + 1 : i;
  }

  // Writes a group's values into `out`, by joint; false where one of them is no number, which stays as it was.
  read(group: ColumnGroup, time: number, out: Float64Array): boolean {
    const i = this.index(time);
    const k = Math.min(i + 1, this.count - 1);
    const span = this.t[k]! - this.t[i]!;
    const s = span > 0 ? Math.min(1, Math.max(0, (time - this.t[i]!) / span)) : 0;
    let whole = true;
    for (const { column, values } of this.tracks) {
      if (column.group !== group || column.joint < 0 || column.joint >= out.length) continue;
      const a = values[i]!;
      const b = values[k]!;
      const value = s === 0 ? a : a + s * (b - a);
      if (Number.isFinite(value)) out[column.joint] = value;
      else whole = false;
    }
    return whole;
  }

  // One column between samples. Where a number is missing at one end, the one at the other: an event stands between them.
  at(name: string, time: number): number {
    const values = this.tracks.find((track) => track.column.name === name)?.values;
    if (!values) return 0;
    const i = this.index(time);
    const k = Math.min(i + 1, this.count - 1);
    const span = this.t[k]! - this.t[i]!;
    const [a, b] = [values[i]!, values[k]!];
    if (!Number.isFinite(a) || !Number.isFinite(b)) return Number.isFinite(a) ? a : Number.isFinite(b) ? b : 0;
    return span > 0 ? a + ((time - this.t[i]!) / span) * (b - a) : a;
  }

  step(time: number, by: number): number {
    const at = Math.min(this.count - 1, Math.max(0, this.index(time + 1e-9 * (this.end - this.start)) + by));
    return this.t[at]!;
  }
}

function rises(t: Float64Array): boolean {
  for (let i = 0; i < t.length; ++i)
    if (!Number.isFinite(t[i]!) || (i > 0 && t[i]! < t[i - 1]!)) return false;
  return t.length < 2 || t[t.length - 1]! > t[0]!;
}
