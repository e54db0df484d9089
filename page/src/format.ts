// Numbers as a person reads them.

const minus = (words: string): string => words.replace(/-/g, "\u2212");

export function number(value: number, digits = 4): string {
  if (Number.isNaN(value)) return "not a number";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "\u2212∞";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e5 || size < 1e-4) return minus(value.toExponential(Math.max(0, digits - 2)));
  return minus(String(Number(value.toPrecision(digits))));
}

// Fixed places, so that a changing number does not dance.
export function fixed(value: number, places = 3): string {
  if (!Number.isFinite(value)) return number(value);
  if (Math.abs(value) >= 1e6) return minus(value.toExponential(3));
  const words = value.toFixed(places);
  return minus(/^-0\.?0*$/.test(words) ? words.slice(1) : words);
}

export function time(seconds: number): string {
  return `${fixed(seconds, 3)} s`;
}

export function count(value: number): string {
  return Number.isFinite(value) ? value.toLocaleString("en-US").replace(/,/g, "\u202f") : "–";
}

export function rate(perSecond: number): string {
  if (perSecond >= 1e6) return `${fixed(perSecond / 1e6, 2)} million a second`;
  if (perSecond >= 1e3) return `${fixed(perSecond / 1e3, 1)} thousand a second`;
  return `${fixed(perSecond, 0)} a second`;
}

export const degrees = (radians: number): number => (radians * 180) / Math.PI;
export const radians = (angle: number): number => (angle * Math.PI) / 180;

// Torque's unit of a joint whose position is in rad or m.
export const effortUnit = (unit: string): string => (unit === "m" ? "N" : "N m");

export const unitWords = (unit: string): string => unit.replace(/\^2/g, "²").replace(/\^3/g, "³").replace(/\*/g, " ");

// What rounding leaves of a zero in a matrix is shown as 0; CSV files keep it.
export const withoutNoise = (value: number, largest: number): number => (Math.abs(value) < 1e-12 * largest ? 0 : value);

// Names without what they all begin or end with, cut at a separator: panda_joint1, panda_joint2 are joint1, joint2.
export function shortNames(names: string[]): string[] {
  if (names.length < 2) return names;
  const common = (words: string[]): number => {
    let length = 0;
    while (words.every((one) => length < one.length && one[length] === words[0]![length])) ++length;
    return words[0]!.slice(0, length).search(/[_ .\-/][^_ .\-/]*$/) + 1;
  };
  const head = common(names);
  const cut = names.map((one) => one.slice(head));
  const tail = common(cut.map((one) => [...one].reverse().join("")));
  const short = cut.map((one) => one.slice(0, one.length - tail));
  return short.every((one) => one.length > 1) && new Set(short).size === new Set(names).size ? short : names;
}
