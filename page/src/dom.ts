// Elements, made in one place. Text from files becomes textContent and nothing else.

type Child = Node | string | null | undefined | false;
type Attributes = Record<string, string | number | boolean | null | undefined | ((event: never) => void)>;

function dress(node: Element, attributes: Attributes): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") node.addEventListener(name.slice(2), value as unknown as EventListener);
    else node.setAttribute(name, value === true ? "" : String(value));
  }
}

export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K, attributes: Attributes = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
  const node = document.createElement(tag);
  dress(node, attributes);
  append(node, ...children);
  return node;
}

export function svg<K extends keyof SVGElementTagNameMap>(
  tag: K, attributes: Attributes = {}, ...children: Child[]): SVGElementTagNameMap[K] {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  dress(node, attributes);
  append(node, ...children);
  return node;
}

export function append(node: Element, ...children: Child[]): void {
  for (const child of children) if (child) node.append(child);
}

export function replace(node: Element, ...children: Child[]): void {
  node.replaceChildren();
  append(node, ...children);
}

export function text(node: Node, value: string): void {
  if (node.textContent !== value) node.textContent = value;
}

// A picture of a button, drawn with strokes on a 24 x 24 field.
export function icon(paths: string, filled = false): SVGSVGElement {
  return svg("svg", { viewBox: "0 0 24 24", class: filled ? "icon filled" : "icon", "aria-hidden": "true" },
    svg("path", { d: paths }));
}

export function button(label: string, action: () => void, attributes: Attributes = {}): HTMLButtonElement {
  return el("button", { type: "button", onclick: action, ...attributes }, label);
}

export function iconButton(label: string, picture: SVGSVGElement, action: () => void, attributes: Attributes = {}) {
  return el("button", { type: "button", class: "icon-button", title: label, "aria-label": label, onclick: action, ...attributes },
    picture);
}

export function checkbox(label: string, checked: boolean, change: (on: boolean) => void, attributes: Attributes = {}) {
  const input = el("input", { type: "checkbox", checked, ...attributes });
  input.addEventListener("change", () => change(input.checked));
  return { node: el("label", { class: "check" }, input, el("span", {}, label)), input };
}

export function select<T extends string>(
  label: string, options: [T, string][], value: T, change: (value: T) => void, attributes: Attributes = {}): HTMLSelectElement {
  const node = el("select", { "aria-label": label, ...attributes });
  for (const [key, words] of options) node.append(el("option", { value: key, selected: key === value }, words));
  node.addEventListener("change", () => change(node.value as T));
  return node;
}

// A table with an empty body. Columns of words, whose heads begin with a colon, stand to the left.
export function table(head: string[], caption: string, attributes: Attributes = {}) {
  const body = el("tbody");
  const node = el("table", attributes,
    el("caption", {}, caption),
    el("thead", {}, el("tr", {}, ...head.map((words) =>
      el("th", { scope: "col", class: words.startsWith(":") && "words" }, words.replace(/^:/, ""))))), body);
  return { node, body };
}

export function card(title: string, ...children: Child[]): HTMLElement {
  return el("section", { class: "card" }, el("h2", {}, title), ...children);
}

export function download(name: string, content: string, type: string): void {
  const url = URL.createObjectURL(new Blob([content], { type }));
  const link = el("a", { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

// A file's name out of anybody's words.
export function fileName(words: string, ending: string): string {
  const plain = words.normalize("NFKD").replace(/[^A-Za-z0-9_-]+/g, "_").replace(/^_+|_+$/g, "").slice(0, 60);
  return `${plain || "catena"}.${ending}`;
}
