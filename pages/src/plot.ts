/** A plot in SVG: zoom, logarithmic axes, values where one points, lines that can be switched off, files to save. */

import { scaleLinear, scaleLog } from "d3-scale";
import { Clock, locate } from "./clock.ts";
import { csv, download, html, icon, short, svg } from "./text.ts";

export interface Line {
  label: string;
  colour: number;  // 0 .. 5, or -1 for grey
  x: Float64Array;
  y: Float64Array;
  /** Extrema where y does not show all: the line goes from one to the other. */
  extrema?: { x: Float64Array; low: Float64Array; high: Float64Array };
  kind?: "line" | "dots" | "marks";
  /** Draws the largest magnitude so far in front, and the values paler. */
  running?: boolean;
  dashed?: boolean;
  emphasis?: boolean;
}

interface Axis { label?: string; log?: boolean }
export interface PlotOptions {
  title: string;
  name: string;  // of files
  x: Axis;
  y: Axis;
  lines: Line[];
  height?: number;
  square?: boolean;  // one unit is as long on both axes
  /** Where x is the time: the plot shows the moment, and moves it. */
  clock?: Clock;
  /** The time of every point, where x is not the time: a dot goes along. */
  along?: { clock: Clock; t: Float64Array };
  marks?: { x: number; label: string }[];
  caption?: string;
  controls?: HTMLElement;
  window?: Domain;     // of x, in the beginning
  labelled?: boolean;  // lines have their names beside them
}

type Scale = { (x: number): number; invert(x: number): number; ticks(count?: number): number[]; domain(): number[] };
type Domain = [number, number];

const LEFT = 52, RIGHT = 14, TOP = 8, BOTTOM = 26;
const DECADES = 20;  // of a logarithmic axis
let count = 0;

export class Plot {
  readonly element: HTMLElement;
  private readonly body: HTMLElement;
  private readonly legend = html("div", { class: "legend" });
  private readonly hidden = new Set<string>();
  private readonly values = new Map<string, HTMLElement>();
  private readonly id = `plot${++count}`;
  private readonly resetButton: HTMLButtonElement;
  private width = 0;
  private zoomX: Domain | null = null;
  private zoomY: Domain | null = null;
  private x!: Scale;
  private y!: Scale;
  private root!: SVGSVGElement;
  private cursor!: SVGGElement;
  private dots: { line: Line; dot: SVGCircleElement }[] = [];

  constructor(private readonly options: PlotOptions) {
    this.body = html("div", { class: "plot-body" });
    this.resetButton = html("button", { type: "button", class: "quiet reset", hidden: true, title: "Show all (0)", "aria-label": `${options.title}: show all`, onclick: () => this.reset() }, icon("reset"));
    this.element = html("figure", { class: "plot", id: this.id },
      html("div", { class: "plot-head" }, html("h3", {}, options.title), options.controls, this.legend,
        html("span", { class: "tools" }, this.resetButton, this.menu())),
      this.body,
      options.caption ? html("figcaption", {}, options.caption) : null);
    this.zoomX = options.window ?? null;
    this.fillLegend();
    options.clock?.onTick(() => this.moveCursor());
    options.clock?.onWindow(() => this.draw());
    options.along?.clock.onTick(() => this.moveCursor());
    new ResizeObserver(() => {
      const width = this.body.clientWidth;
      if (width > 0 && width !== this.width) { this.width = width; this.draw(); }
    }).observe(this.body);
  }

  setLines(lines: Line[], x?: string, y?: string): void {
    this.options.lines = lines;
    if (x !== undefined) this.options.x.label = x;
    if (y !== undefined) this.options.y.label = y;
    this.zoomX = this.zoomY = null;
    this.fillLegend();
    this.draw();
  }

  private fillLegend(): void {
    this.legend.replaceChildren();
    this.values.clear();
    const lines = this.options.lines;
    for (const line of lines) {
      const value = html("span", { class: "value" });
      this.values.set(line.label, value);
      const entry = html("button", { type: "button", class: `key c${line.colour}`, "aria-pressed": "true", title: "Show or hide", onclick: () => {
        this.hidden.has(line.label) ? this.hidden.delete(line.label) : this.hidden.add(line.label);
        entry.setAttribute("aria-pressed", String(!this.hidden.has(line.label)));
        this.draw();
      } }, html("i", { class: line.kind ?? "line" }), line.label, value);
      if (this.hidden.has(line.label)) entry.setAttribute("aria-pressed", "false");
      if (line.label) this.legend.append(entry);
    }
  }

  private menu(): HTMLElement {
    const items: [string, () => void][] = [
      ["Zoom in  +", () => this.scale(0.5)], ["Zoom out  −", () => this.scale(2)], ["Show all  0", () => this.reset()],
      ["Log or linear axis  L", () => this.toggleLog()],
      ["Save as SVG", () => this.save("svg")], ["Save as PNG", () => this.save("png")], ["Save data as CSV", () => this.save("csv")],
    ];
    const menu = html("details", { class: "menu" }, html("summary", { "aria-label": `${this.options.title}: menu`, title: "Menu" }, icon("more")),
      html("div", {}, ...items.map(([label, act]) => html("button", { type: "button", onclick: () => { menu.open = false; act(); } }, label))));
    menu.addEventListener("focusout", (event) => { if (!menu.contains(event.relatedTarget as Node)) menu.open = false; });
    return menu;
  }

  private shown(): Line[] { return this.options.lines.filter((line) => !this.hidden.has(line.label)); }

  // Least and largest numbers of the lines, of those in a window of x; of magnitudes above zero on logarithmic axes.
  private extent(axis: "x" | "y", log: boolean, window: Domain | null): Domain | null {
    let low = Infinity, high = -Infinity;
    const look = (value: number) => {
      const v = log ? Math.abs(value) : value;
      if (!Number.isFinite(v) || (log && v === 0)) return;
      if (v < low) low = v;
      if (v > high) high = v;
    };
    for (const line of this.shown()) {
      const { x, low: a, high: b } = line.extrema ?? { x: line.x, low: line.y, high: line.y };
      for (let k = 0; k < x.length; ++k) {
        if (window && (x[k]! < window[0] || x[k]! > window[1])) continue;
        if (axis === "x") look(x[k]!);
        else { look(a[k]!); if (b !== a) look(b[k]!); }
      }
    }
    return low <= high ? [low, high] : null;
  }

  // Nearly all magnitudes are above it: passages through zero are no reason to show more decades.
  private usualLow(window: Domain | null): number {
    const sizes: number[] = [];
    for (const line of this.shown()) {
      const step = Math.max(1, Math.floor(line.x.length / 2000));
      for (let k = 0; k < line.x.length; k += step) {
        const size = Math.abs(line.y[k]!);
        if (size > 0 && Number.isFinite(size) && (!window || (line.x[k]! >= window[0] && line.x[k]! <= window[1]))) sizes.push(size);
      }
    }
    sizes.sort((a, b) => a - b);
    return sizes[Math.floor(sizes.length / 50)] ?? 1;
  }

  private makeScale(axis: "x" | "y", from: number, to: number): Scale {
    const { log } = this.options[axis];
    const zoomed = axis === "x" ? this.options.clock ? this.options.clock.window : this.zoomX : this.zoomY;
    const window = axis === "y" ? this.options.clock ? this.options.clock.window : this.zoomX : null;
    let [low, high] = zoomed ?? this.extent(axis, !!log, window) ?? (log ? [0.1, 1] : [0, 1]);
    if (log) {
      if (!zoomed) {
        if (axis === "y") low = Math.max(10 ** Math.floor(Math.log10(this.usualLow(window)) + 0.02), high * 10 ** -DECADES), high = high * 1.6;
        else low /= 1.6, high *= 1.6;
        if (high / low < 10) { const middle = Math.sqrt(low * high); low = middle / 4; high = middle * 4; }
      }
      return scaleLog().domain([low, high]).range([from, to]).clamp(axis === "y") as unknown as Scale;
    }
    if (!zoomed && (axis === "y" || !this.options.clock)) {
      const margin = high > low ? 0.06 * (high - low) : Math.abs(high) * 0.1 || 1;
      low -= margin, high += margin;
    }
    return scaleLinear().domain([low, high]).range([from, to]) as unknown as Scale;
  }

  private draw(): void {
    if (this.width === 0) return;
    const width = this.width, height = this.options.square ? Math.min(width, 420) : this.options.height ?? 200;
    const right = width - RIGHT, bottom = height - BOTTOM - (this.options.x.label ? 14 : 0);
    this.x = this.makeScale("x", LEFT, right);
    this.y = this.makeScale("y", bottom, TOP);
    if (this.options.square && !this.zoomX) this.equalise(right - LEFT, bottom - TOP, right, bottom);
    const { clock } = this.options;
    this.resetButton.hidden = !(clock ? clock.window : this.zoomX || this.zoomY);
    this.root = svg("svg", { width, height, viewBox: `0 0 ${width} ${height}`, tabindex: 0, role: "img", "aria-label": this.description() });
    this.root.append(svg("defs", {}, svg("clipPath", { id: `${this.id}clip` }, svg("rect", { x: LEFT, y: TOP - 4, width: Math.max(right - LEFT, 0), height: bottom - TOP + 8 }))));
    this.drawAxes(right, bottom);
    const lines = svg("g", { "clip-path": `url(#${this.id}clip)`, class: "lines" });
    for (const line of this.shown()) this.drawLine(lines, line, right);
    this.root.append(lines);
    if (this.options.labelled) this.labels(right, bottom);
    for (const [k, mark] of (this.options.marks ?? []).entries()) {
      const at = this.x(mark.x), isLeft = at > (LEFT + right) / 2;
      if (at < LEFT || at > right) continue;
      this.root.append(svg("line", { class: "mark", x1: at, x2: at, y1: TOP, y2: bottom }),
        svg("text", { class: "mark", x: at + (isLeft ? -5 : 5), y: TOP + 9 + 14 * k, "text-anchor": isLeft ? "end" : "start" }, mark.label));
    }
    this.cursor = svg("g", { class: "cursor" });
    if (clock) this.cursor.append(svg("line", { y1: TOP, y2: bottom }));
    this.dots = this.shown().filter((line) => (clock || this.options.along) && !line.dashed).map((line) => {
      const dot = svg("circle", { r: 4, class: `c${line.colour}` });
      this.cursor.append(dot);
      return { line, dot };
    });
    this.root.append(this.cursor);
    this.listen(right, bottom);
    this.body.replaceChildren(this.root);
    this.moveCursor();
  }

  // The same scale on both axes.
  private equalise(width: number, height: number, right: number, bottom: number): void {
    const [x0, x1] = this.x.domain() as Domain, [y0, y1] = this.y.domain() as Domain;
    const unit = Math.max((x1 - x0) / width, (y1 - y0) / height);
    const mx = (x0 + x1) / 2, my = (y0 + y1) / 2;
    this.x = scaleLinear().domain([mx - unit * width / 2, mx + unit * width / 2]).range([LEFT, right]) as unknown as Scale;
    this.y = scaleLinear().domain([my - unit * height / 2, my + unit * height / 2]).range([bottom, TOP]) as unknown as Scale;
  }

  private description(): string {
    return this.options.title + ": " + this.shown().map((line) => {
      const last = line.y.length - 1;
      let top = 0;
      for (const v of line.extrema?.high ?? line.y) if (Math.abs(v) > top) top = Math.abs(v);
      return `${line.label || "line"} from ${short(line.y[0])} to ${short(line.y[last])}, largest ${short(top)}`;
    }).join("; ");
  }

  private drawAxes(right: number, bottom: number): void {
    const grid = svg("g", { class: "grid" }), text = svg("g", { class: "axis" });
    const label = (value: number, log: boolean | undefined, attributes: { [name: string]: string | number }) => {
      const power = Math.round(Math.log10(value));
      if (!log || Math.abs(Math.log10(value) - power) > 1e-9) return svg("text", attributes, short(value, 4));
      return svg("text", attributes, "10", svg("tspan", { dy: -5, class: "power" }, String(power).replace("-", "−")));
    };
    const ticks = (scale: Scale, log: boolean | undefined, most: number) => {
      if (!log) return scale.ticks(most);
      const [low, high] = scale.domain() as Domain;
      const first = Math.ceil(Math.log10(low) - 1e-9), last = Math.floor(Math.log10(high) + 1e-9);
      if (last - first < 1) return scale.ticks(3).filter((_, k, all) => all.length <= 4 || k % 2 === 0);
      const step = Math.max(1, Math.ceil((last - first + 1) / most));
      return Array.from({ length: Math.floor((last - first) / step) + 1 }, (_, k) => 10 ** (last - k * step));
    };
    for (const v of ticks(this.y, this.options.y.log, Math.max(2, (bottom - TOP) / 38))) {
      const at = this.y(v);
      grid.append(svg("line", { x1: LEFT, x2: right, y1: at, y2: at }));
      text.append(label(v, this.options.y.log, { x: LEFT - 8, y: at + 4, "text-anchor": "end" }));
    }
    for (const v of ticks(this.x, this.options.x.log, Math.max(2, (right - LEFT) / 80))) {
      const at = this.x(v);
      if (!this.options.clock) grid.append(svg("line", { x1: at, x2: at, y1: TOP, y2: bottom }));
      const isLast = !this.options.x.log && at + 3.3 * short(v, 4).length > right + RIGHT;
      text.append(label(v, this.options.x.log, { x: isLast ? right + RIGHT : at, y: bottom + 17, "text-anchor": isLast ? "end" : "middle" }));
    }
    if (this.options.x.label) text.append(svg("text", { class: "label", x: (LEFT + right) / 2, y: bottom + 35, "text-anchor": "middle" }, this.options.x.label));
    if (this.options.y.label) text.append(svg("text", { class: "label", x: 11, y: (TOP + bottom) / 2, "text-anchor": "middle", transform: `rotate(-90 11 ${(TOP + bottom) / 2})` }, this.options.y.label));
    this.root.append(grid, svg("line", { class: "base", x1: LEFT, x2: right, y1: bottom, y2: bottom }), text);
  }

  private height(value: number): number {
    if (!this.options.y.log) return this.y(value);
    const low = this.y.domain()[0]!;
    return this.y(Math.max(Math.abs(value), low));
  }

  private drawLine(group: SVGGElement, line: Line, right: number): void {
    const colour = `c${line.colour}`;
    if (line.kind === "dots" || line.kind === "marks") this.drawDots(group, line, colour);
    if (line.kind === "dots") return;
    if (this.options.along && line.kind !== "marks") { this.drawOrbit(group, line, colour); return; }
    const path = (d: string, name: string) => group.append(svg("path", { d, class: `${name} ${colour}${line.dashed ? " dashed" : ""}${line.emphasis ? " emphasis" : ""}` }));
    if (!line.running) { path(this.thinned(line, right), "line"); return; }
    const visible = this.visiblePart(line);
    if (visible > (right - LEFT) / 2) path(this.band(line, right), "band"); else path(this.thinned(line, right), "pale");
    path(this.runningMaximum(line, right), "line");
  }

  // Earlier parts are paler.
  private drawOrbit(group: SVGGElement, line: Line, colour: string): void {
    const pieces = 12, size = line.x.length - 1;
    for (let piece = 0; piece < pieces; ++piece) {
      let d = "", pen = "M";
      for (let k = Math.floor(piece * size / pieces); k <= Math.floor((piece + 1) * size / pieces); ++k) {
        const x = this.x(line.x[k]!), y = this.height(line.y[k]!);
        if (!Number.isFinite(x + y)) { pen = "M"; continue; }
        d += `${pen}${x.toFixed(1)} ${y.toFixed(1)}`;
        pen = "L";
      }
      group.append(svg("path", { d, class: `orbit ${colour}`, opacity: (0.25 + 0.65 * (piece + 1) / pieces).toFixed(2) }));
    }
  }

  private drawDots(group: SVGGElement, line: Line, colour: string): void {
    const radius = line.kind === "marks" ? 3 : line.x.length > 4000 ? 0.7 : line.x.length > 600 ? 1.1 : 1.8;
    let d = "";
    for (let k = 0; k < line.x.length; ++k) {
      const x = this.x(line.x[k]!), y = this.height(line.y[k]!);
      if (Number.isFinite(x + y)) d += `M${x.toFixed(1)} ${y.toFixed(1)}h0`;
    }
    group.append(svg("path", { d, class: `dots ${colour}`, "stroke-width": 2 * radius }));
  }

  // Least and largest values for each half pixel where there are more points than that: no extremum is lost.
  private thinned(line: Line, right: number): string {
    const { x, low, high } = line.extrema ?? { x: line.x, low: line.y, high: line.y };
    const isOverTime = !!this.options.clock;
    let d = "", pen = "M";
    const go = (px: number, py: number) => {
      if (!Number.isFinite(px + py)) { pen = "M"; return; }
      d += `${pen}${px.toFixed(1)} ${py.toFixed(1)}`;
      pen = "L";
    };
    if (!isOverTime || (x.length <= 2 * (right - LEFT) && low === high)) {
      for (let k = 0; k < x.length; ++k) go(this.x(x[k]!), this.height(low[k]!));
      return d;
    }
    let column = NaN, top = 0, foot = 0, first = 0, last = 0;
    const flush = () => {
      if (Number.isNaN(column)) return;
      const px = column / 2;
      go(px, first);
      if (top !== first) go(px, top);
      if (foot !== top) go(px, foot);
      if (last !== foot) go(px, last);
    };
    for (let k = 0; k < x.length; ++k) {
      const px = this.x(x[k]!);
      if (px < LEFT - 40 || px > right + 40) continue;
      let a = this.height(low[k]!), b = this.height(high[k]!);
      if (low[k]! < 0 && high[k]! > 0 && this.options.y.log) a = this.height(0), b = Math.min(b, this.height(low[k]!));
      if (Number.isNaN(a) || Number.isNaN(b)) continue;
      const here = Math.round(2 * px);
      if (here !== column) {
        flush();
        column = here, first = a, top = foot = a;
      }
      top = Math.min(top, a, b), foot = Math.max(foot, a, b), last = b;
    }
    flush();
    return d;
  }

  // The name of each line where it hides least; where there is no room beside other names the legend has it.
  private labels(right: number, bottom: number): void {
    const taken: { x: number; y: number }[] = this.shown().flatMap((line) =>
      Array.from({ length: 12 * line.x.length - 11 }, (_, n) => {
        const k = Math.floor(n / 12), s = (n % 12) / 12, on = (f: (m: number) => number) => f(k) + (s > 0 ? s * (f(k + 1) - f(k)) : 0);
        return { x: on((m) => this.x(line.x[m]!)), y: on((m) => this.height(line.y[m]!)) };
      }));
    const placed: { x0: number; x1: number; y: number }[] = [];
    for (const line of [...this.shown()].sort((a, b) => Number(b.emphasis ?? false) - Number(a.emphasis ?? false))) {
      const width = 6.3 * line.label.length + 6;
      let best = Infinity, at = { x: 0, y: 0 };
      for (let k = 0; k < line.x.length; ++k) for (const [dx, dy] of [[8, -7], [8, 15], [-width, -7], [-width, 15]] as const) {
        const x = this.x(line.x[k]!) + dx, y = this.height(line.y[k]!) + dy;
        if (x < LEFT || x + width > right || y < TOP + 8 || y > bottom) continue;
        if (placed.some((p) => x < p.x1 && x + width > p.x0 && Math.abs(p.y - y) < 14)) continue;
        const hidden = taken.filter((p) => p.x > x - 6 && p.x < x + width && Math.abs(p.y - (y - 4)) < 10).length;
        if (hidden < best) best = hidden, at = { x, y };
      }
      if (best === Infinity) continue;
      placed.push({ x0: at.x, x1: at.x + width, y: at.y });
      this.root.append(svg("text", { class: `name c${line.colour}${line.emphasis ? " emphasis" : ""}`, x: at.x, y: at.y }, line.label));
    }
  }

  private visiblePart(line: Line): number {
    const { x } = line.extrema ?? line, [low, high] = this.x.domain() as Domain;
    let count = 0;
    for (let k = 0; k < x.length; ++k) if (x[k]! >= low && x[k]! <= high) ++count;
    return count;
  }

  // The area between the least and the largest magnitude of every few pixels; zeros are left out where others are.
  private band(line: Line, right: number): string {
    const { x, low, high } = line.extrema ?? { x: line.x, low: line.y, high: line.y };
    const least = new Map<number, number>(), most = new Map<number, number>();
    for (let k = 0; k < x.length; ++k) {
      const at = Math.round(this.x(x[k]!) / 3);
      if (3 * at < LEFT - 9 || 3 * at > right + 9) continue;
      for (const value of [low[k]!, high[k]!]) {
        const size = Math.abs(value);
        if (!(size <= (most.get(at) ?? -1))) most.set(at, size);
        if (size > 0 && !(size >= (least.get(at) ?? Infinity))) least.set(at, size);
      }
    }
    const columns = [...most.keys()].sort((a, b) => a - b);
    const edge = (values: Map<number, number>, at: number) => `${3 * at} ${this.height(values.get(at) ?? 0).toFixed(1)}`;
    return columns.length === 0 ? "" : `M${columns.map((at) => edge(most, at)).join("L")}L${columns.reverse().map((at) => edge(least, at)).join("L")}Z`;
  }

  private runningMaximum(line: Line, right: number): string {
    const { x, low, high } = line.extrema ?? { x: line.x, low: line.y, high: line.y };
    let most = 0, d = "";
    for (let k = 0; k < x.length; ++k) {
      const size = Math.max(Math.abs(low[k]!), Math.abs(high[k]!));
      const grows = size > most;
      if (grows) {
        if (d) d += `H${this.x(x[k]!).toFixed(1)}`;
        most = size;
        d += `${d ? "L" : "M"}${this.x(x[k]!).toFixed(1)} ${this.height(most).toFixed(1)}`;
      }
    }
    return d ? d + `H${Math.min(this.x(x[x.length - 1]!), right + 20).toFixed(1)}` : "";
  }

  private moveCursor(): void {
    if (!this.root) return;
    const clock = this.options.clock ?? this.options.along?.clock;
    if (!clock) return;
    if (this.options.clock) {
      const at = this.x(clock.t), domain = this.x.domain();
      const isInside = (clock.t - domain[0]!) * (clock.t - domain[1]!) <= 0;
      this.cursor.style.display = isInside ? "" : "none";
      this.cursor.firstElementChild!.setAttribute("transform", `translate(${at} 0)`);
    }
    for (const { line, dot } of this.dots) {
      const { k, part } = locate(this.options.along?.t ?? line.x, clock.t);
      const on = (values: Float64Array) => values[k]! + part * ((values[k + 1] ?? values[k]!) - values[k]!);
      const value = on(line.y);
      const px = this.options.along ? this.x(on(line.x)) : this.x(clock.t), py = this.height(value);
      if (Number.isFinite(px + py)) dot.setAttribute("transform", `translate(${px.toFixed(2)} ${py.toFixed(2)})`);
      if (this.options.clock) this.values.get(line.label)!.textContent = short(value);
    }
  }

  private listen(right: number, bottom: number): void {
    const { clock } = this.options;
    const box = svg("rect", { class: "selection", display: "none" });
    const area = svg("rect", { class: "area", x: LEFT, y: TOP, width: Math.max(right - LEFT, 0), height: bottom - TOP });
    this.root.append(box, area);
    let from: [number, number] | null = null;
    const place = (event: PointerEvent): [number, number] => {
      const frame = this.root.getBoundingClientRect();
      return [Math.min(Math.max(event.clientX - frame.left, LEFT), right), Math.min(Math.max(event.clientY - frame.top, TOP), bottom)];
    };
    area.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      area.setPointerCapture(event.pointerId);
      from = event.pointerType === "mouse" ? place(event) : null;
      if (event.pointerType !== "mouse") clock?.hold(this.x.invert(place(event)[0]));
    });
    area.addEventListener("pointermove", (event) => {
      const [x, y] = place(event);
      if (from) {
        const left = Math.min(x, from[0]), top = clock ? TOP : Math.min(y, from[1]);
        for (const [name, value] of Object.entries({ x: left, y: top, width: Math.abs(x - from[0]), height: clock ? bottom - TOP : Math.abs(y - from[1]), display: "" })) box.setAttribute(name, String(value));
      } else if (event.pointerType === "mouse" || event.buttons > 0) {
        clock?.hold(this.x.invert(x));
        if (!clock && !this.options.along) this.point(x, y);
      }
    });
    area.addEventListener("pointerup", (event) => {
      const start = from;
      from = null;
      box.setAttribute("display", "none");
      if (event.pointerType !== "mouse") clock?.release();
      if (!start) return;
      const [x, y] = place(event);
      if (Math.abs(x - start[0]) < 6) return;
      const between = (scale: Scale, a: number, b: number): Domain => {
        const [u, v] = [scale.invert(a), scale.invert(b)];
        return u < v ? [u, v] : [v, u];
      };
      this.zoom(between(this.x, start[0], x), clock || Math.abs(y - start[1]) < 6 ? null : between(this.y, start[1], y));
    });
    area.addEventListener("pointerleave", () => clock?.release());
    area.addEventListener("dblclick", () => this.reset());
    area.addEventListener("wheel", (event) => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      this.scale(event.deltaY > 0 ? 1.25 : 0.8, this.x.invert(event.offsetX));
    }, { passive: false });
    this.root.addEventListener("keydown", (event) => this.key(event));
  }

  // The nearest mark, for plots without a time.
  private point(px: number, py: number): void {
    for (const line of this.shown()) {
      let best = Infinity, at = -1;
      for (let k = 0; k < line.x.length; ++k) {
        const distance = Math.hypot(this.x(line.x[k]!) - px, this.height(line.y[k]!) - py);
        if (distance < best) best = distance, at = k;
      }
      this.values.get(line.label)!.textContent = at >= 0 ? `${short(line.x[at])}, ${short(line.y[at])}` : "";
    }
  }

  private key(event: KeyboardEvent): void {
    const clock = this.options.clock;
    const steps: { [key: string]: () => void } = {
      "+": () => this.scale(0.5), "=": () => this.scale(0.5), "-": () => this.scale(2), "0": () => this.reset(), l: () => this.toggleLog(),
    };
    if (clock) {
      const step = Math.abs(this.x.domain()[1]! - this.x.domain()[0]!) / (event.shiftKey ? 20 : 200);
      steps.ArrowLeft = () => clock.set(clock.t - step);
      steps.ArrowRight = () => clock.set(clock.t + step);
    }
    const act = steps[event.key];
    if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    act();
    (this.body.firstElementChild as SVGSVGElement).focus();
  }

  private zoom(x: Domain, y: Domain | null): void {
    if (this.options.clock) this.options.clock.zoom(x);
    else { this.zoomX = x; this.zoomY = y; this.draw(); }
  }

  private reset(): void {
    this.zoomX = this.zoomY = null;
    if (this.options.clock) this.options.clock.zoom(null); else this.draw();
  }

  private scale(factor: number, about?: number): void {
    const resized = (scale: Scale, log: boolean | undefined, at?: number): Domain => {
      const f = log ? Math.log : (v: number) => v, g = log ? Math.exp : (v: number) => v;
      const [a, b] = (scale.domain() as Domain).map(f) as Domain;
      const middle = at === undefined ? (a + b) / 2 : f(at);
      return [g(middle + (a - middle) * factor), g(middle + (b - middle) * factor)];
    };
    const { clock } = this.options;
    let x = resized(this.x, this.options.x.log, about ?? (clock && (clock.t - this.x.domain()[0]!) * (clock.t - this.x.domain()[1]!) < 0 ? clock.t : undefined));
    if (clock) {
      const [a, b] = clock.start < clock.end ? [clock.start, clock.end] : [clock.end, clock.start];
      x = [Math.max(x[0], a), Math.min(x[1], b)];
      clock.zoom(x[0] === a && x[1] === b ? null : x);
    } else this.zoom(x, resized(this.y, this.options.y.log));
  }

  private toggleLog(): void {
    this.options.y.log = !this.options.y.log;
    this.zoomY = null;
    this.draw();
  }

  private save(kind: "svg" | "png" | "csv"): void {
    const name = `${this.options.name}-${this.options.title.toLowerCase().replace(/[^a-z0-9]+/g, "-")}`;
    if (kind === "csv") {
      // Lines on the same points share their column of x.
      const names: string[] = [], columns: Float64Array[] = [];
      let before: Float64Array | null = null;
      for (const line of this.shown()) {
        if (line.x !== before) { names.push(this.options.clock ? "t" : `${line.label || "x"}: x`); columns.push(line.x); before = line.x; }
        names.push(line.label || "y");
        columns.push(line.y);
      }
      download(name + ".csv", csv(names, columns));
      return;
    }
    const text = this.standalone();
    if (kind === "svg") { download(name + ".svg", new Blob([text], { type: "image/svg+xml" })); return; }
    const image = new Image();
    image.onload = () => {
      const canvas = html("canvas", { width: 2 * image.width, height: 2 * image.height });
      canvas.getContext("2d")!.drawImage(image, 0, 0, canvas.width, canvas.height);
      canvas.toBlob((blob) => blob && download(name + ".png", blob), "image/png");
    };
    image.src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(text);
  }

  // The picture with its styles written out, its title and its legend.
  private standalone(): string {
    const copy = this.root.cloneNode(true) as SVGSVGElement;
    const inline = (from: Element, to: Element) => {
      const style = getComputedStyle(from);
      for (const name of ["stroke", "fill", "stroke-width", "stroke-dasharray", "stroke-linecap", "stroke-linejoin", "opacity", "font-size", "font-weight"])
        to.setAttribute(name, style.getPropertyValue(name));
      to.removeAttribute("class");
      for (let k = 0; k < from.children.length; ++k) inline(from.children[k]!, to.children[k]!);
    };
    inline(this.root, copy);
    for (const unwanted of copy.querySelectorAll("rect:not(clipPath rect)")) unwanted.remove();
    copy.lastElementChild?.remove();  // the cursor
    const colour = (name: string) => getComputedStyle(document.documentElement).getPropertyValue(name);
    const { width, height } = this.root.viewBox.baseVal, head = 26;
    const title = svg("text", { x: LEFT, y: -10, "font-size": 13, "font-weight": 600, fill: colour("--ink") }, this.options.title);
    this.shown().forEach((line) => {
      if (line.label) title.append(svg("tspan", { dx: 14, "font-weight": 400, fill: line.colour < 0 ? colour("--muted") : colour(`--s${line.colour}`) }, "— " + line.label));
    });
    copy.prepend(svg("rect", { x: 0, y: -head, width, height: height + head, fill: colour("--paper") }));
    copy.append(title);
    copy.setAttribute("viewBox", `0 ${-head} ${width} ${height + head}`);
    copy.setAttribute("height", String(height + head));
    copy.setAttribute("font-family", "Inter, system-ui, sans-serif");
    copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
    return new XMLSerializer().serializeToString(copy);
  }
}
