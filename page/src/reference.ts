// What a law follows, beside what the robot does: a reference or a set point, and the tracking error.
import type { ColumnGroup } from "./data";
import { number, unitWords } from "./format";
import type { Recording, Track } from "./recording";

// Lines that follow from a recording's columns, plotted behind those of a group.
export interface TrackSet {
  after: ColumnGroup;
  group: ColumnGroup;
  title: string;
  symbol: string;
  hint: string;
  tracks: Track[];
}

const wantedBy: Partial<Record<ColumnGroup, ColumnGroup>> = { q: "q_ref", frame: "frame_ref" };
export const wantedDash = [5, 4];

// The reference of a group's columns; none where no law follows anything.
export function wantedOf(recording: Recording, group: ColumnGroup): Track[] {
  const wanted = wantedBy[group];
  return wanted ? recording.of(wanted) : [];
}

export const isWanted = (track: Track): boolean => track.column.group.endsWith("_ref");

// Where it never changes it is a set point.
export function wantedWord(tracks: Track[]): string {
  return tracks.every(({ values }) => values.every((value) => value === values[0])) ? "set point" : "reference";
}

// Differences of two lists of columns, pair by pair.
export function differences(from: Track[], to: Track[], group: ColumnGroup, name: (track: Track) => string): Track[] {
  return to.flatMap((track, k) => {
    const other = track.column.joint < 0 ? from[k] : from.find((one) => one.column.joint === track.column.joint);
    if (!other) return [];
    const values = track.values.map((value, i) => value - other.values[i]!);
    return [{ column: { ...track.column, group, name: name(track) }, values }];
  });
}

// How large they are, by unit: root of the mean square, and the largest.
export function sizeWords(tracks: Track[]): string {
  const units = [...new Set(tracks.map((track) => track.column.unit))];
  return units.map((unit) => {
    let [squares, count, largest] = [0, 0, 0];
    for (const { column, values } of tracks)
      for (const value of column.unit === unit ? values : []) {
        if (!Number.isFinite(value)) continue;
        squares += value * value;
        ++count;
        largest = Math.max(largest, Math.abs(value));
      }
    return `${number(Math.sqrt(squares / Math.max(1, count)), 3)} ${unitWords(unit)} rms, at most ${number(largest, 3)}`;
  }).join("; ");
}

// The tracking errors of a recording: of joints, and of a frame with what is left of its rotation.
export function trackingErrors(recording: Recording): TrackSet[] {
  const sets: TrackSet[] = [];
  const add = (after: "q" | "frame", title: string, symbol: string, more: Track[]) => {
    const wanted = wantedOf(recording, after);
    const tracks = differences(recording.of(after), wanted, "error", ({ column }) => column.name.replace(/^(\w+?)_ref(\d*)$/, "$1$2_error"));
    if (tracks.length > 0) sets.push({ after, group: "error", title, symbol, hint: sizeWords([...tracks, ...more]), tracks: [...tracks, ...more] });
  };
  add("q", "Tracking error", "q ref − q", []);
  add("frame", "Tracking error of the frame", "p ref − p", recording.of("turn").map((track) => ({ ...track, column: { ...track.column, group: "error" } })));
  return sets;
}
