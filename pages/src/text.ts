/** Numbers and elements of the page. */

/** A number of three digits or so: "0.00013", "1.2e−16". */
export function short(x: number | null | undefined, digits = 3): string {
  if (x === null || x === undefined) return "–";
  if (Number.isNaN(x)) return "not a number";
  if (!Number.isFinite(x)) return x > 0 ? "∞" : "−∞";
  if (x === 0) return "0";
  const size = Math.abs(x);
  const text = size >= 1e-3 && size < 1e6 ? String(Number(x.toPrecision(digits))) : x.toExponential(digits - 1);
  return text.replace("-", "−").replace(/\.?0*e/, "e");
}

/** The same as an element, with 1.2 × 10 to a raised power for 1.2e-16. */
export function nice(x: number | null | undefined, digits = 3): HTMLElement {
  const text = short(x, digits);
  const [, mantissa, power] = text.match(/^(.*)e(.*)$/) ?? [];
  if (mantissa === undefined) return html("span", { class: "number" }, text);
  return html("span", { class: "number" }, `${mantissa} × 10`, html("sup", {}, power!.replace("+", "")));
}

type Child = Node | string | null | undefined | false;
type Attributes = { [name: string]: string | number | boolean | ((event: never) => void) | undefined };

function fill(element: Element, attributes: Attributes, children: Child[]): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name.slice(2), value as EventListener);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== undefined && value !== false) element.setAttribute(name, String(value));
  }
  for (const child of children) if (child) element.append(child);
}

export function html<K extends keyof HTMLElementTagNameMap>(tag: K, attributes: Attributes = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  fill(element, attributes, children);
  return element;
}

export function svg<K extends keyof SVGElementTagNameMap>(tag: K, attributes: Attributes = {}, ...children: Child[]): SVGElementTagNameMap[K] {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  fill(element, attributes, children);
  return element;
}

/** Gives a file to the user. */
export function download(name: string, content: Blob | string): void {
  const blob = typeof content === "string" ? new Blob([content], { type: "text/plain;charset=utf-8" }) : content;
  const link = html("a", { href: URL.createObjectURL(blob), download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

const ICONS = {
  play: "M8 5.5v13l11-6.5z",
  pause: "M7 5.5h3.6v13H7zM13.4 5.5H17v13h-3.6z",
  save: "M11.1 4h1.8v8.2l3-3 1.3 1.3L12 15.7l-5.2-5.2 1.3-1.3 3 3zM5 18h14v1.8H5z",
  more: "M5 10.4h3.2v3.2H5zM10.4 10.4h3.2v3.2h-3.2zM15.8 10.4H19v3.2h-3.2z",
  reset: "M12 5a7 7 0 1 1-6.7 5h1.9A5.2 5.2 0 1 0 12 6.8V10L7.5 6 12 2z",
};

export function icon(name: keyof typeof ICONS): SVGSVGElement {
  return svg("svg", { viewBox: "0 0 24 24", width: 18, height: 18, "aria-hidden": "true", class: "icon" }, svg("path", { d: ICONS[name], fill: "currentColor" }));
}

/** A button that copies a text. */
export function copier(text: string): HTMLButtonElement {
  const button = html("button", { type: "button", class: "quiet copy", onclick: async () => {
    try {
      await navigator.clipboard.writeText(text);
    } catch {  // a page from a disk may not have a clipboard
      const area = html("textarea", { style: "position:fixed;opacity:0" });
      area.value = text;
      document.body.append(area);
      area.select();
      document.execCommand("copy");
      area.remove();
    }
    button.textContent = "Copied";
    setTimeout(() => { button.textContent = "Copy"; }, 1500);
  } }, "Copy");
  return button;
}

/** CSV as the program writes it: names with commas in quotes, all digits. */
export function csv(names: string[], columns: ArrayLike<number>[]): string {
  const lines = [names.map((name) => (name.includes(",") ? `"${name}"` : name)).join(",")];
  const rows = columns.reduce((most, column) => Math.max(most, column.length), 0);
  for (let r = 0; r < rows; ++r) lines.push(columns.map((column) => (r < column.length ? String(column[r]) : "")).join(","));
  return lines.join("\n") + "\n";
}
