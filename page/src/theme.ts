// Light and dark, and the colours of joints. The colours are Okabe and Ito's, which people tell apart whose eyes do not
// separate red from green; beyond seven joints dashes tell them apart too.

export type Theme = "light" | "dark";

const listeners = new Set<(theme: Theme) => void>();
const system = window.matchMedia("(prefers-color-scheme: dark)");
let chosen: Theme | null = remembered();

function remembered(): Theme | null {
  try {
    const kept = localStorage.getItem("catena-theme");
    return kept === "light" || kept === "dark" ? kept : null;
  } catch {
    return null; // pages from disk may have no storage
  }
}

export function theme(): Theme {
  return chosen ?? (system.matches ? "dark" : "light");
}

export function onTheme(listener: (theme: Theme) => void): void {
  listeners.add(listener);
}

function apply(): void {
  document.documentElement.dataset["theme"] = theme();
  light.forEach((_, joint) => document.documentElement.style.setProperty(`--joint-${joint}`, jointColor(joint)));
  for (const listener of listeners) listener(theme());
}

export function switchTheme(): void {
  chosen = theme() === "dark" ? "light" : "dark";
  try {
    localStorage.setItem("catena-theme", chosen);
  } catch {
    // it is kept for this visit alone
  }
  apply();
}

export function startTheme(): void {
  system.addEventListener("change", apply);
  apply();
}

export function cssColor(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

const light = ["#0072B2", "#CB7900", "#008F68", "#B8578F", "#3A9BD9", "#C8500A", "#8A7A00"];
const dark = ["#4DA8E8", "#F0AE2B", "#2CC296", "#E095BF", "#8CCBF5", "#F07A3A", "#E8DC4E"];

export function jointColor(joint: number): string {
  const colors = theme() === "dark" ? dark : light;
  return joint < 0 ? cssColor("--muted") : (colors[joint % colors.length] as string);
}

export const jointVariable = (joint: number): string => (joint < 0 ? "var(--muted)" : `var(--joint-${joint % light.length})`);

const dashes: number[][] = [[], [7, 4], [2, 3], [10, 3, 2, 3]];
export function jointDash(joint: number): number[] {
  return joint < 0 ? [] : (dashes[Math.floor(joint / light.length) % dashes.length] as number[]);
}

// Black or white, whichever is easier to read on a colour, "#rrggbb".
export function inkOn(colour: unknown): string {
  const parts = [1, 3, 5].map((at) => parseInt(String(colour).slice(at, at + 2), 16) / 255);
  const [r, g, b] = parts.map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r! + 0.7152 * g! + 0.0722 * b! > 0.179 ? "#10161d" : "#ffffff";
}

// From blue over nothing to orange, for x in -1..1.
export function diverging(x: number): string {
  const [r0, g0, b0] = theme() === "dark" ? [34, 40, 48] : [250, 250, 248];
  const to = x < 0 ? [0, 114, 178] : theme() === "dark" ? [240, 160, 30] : [217, 110, 0];
  const s = Math.min(1, Math.abs(x)) ** 0.8;
  const mix = (from: number, end: number) => Math.round(from + (end - from) * s);
  return `rgb(${mix(r0!, to[0]!)},${mix(g0!, to[1]!)},${mix(b0!, to[2]!)})`;
}
