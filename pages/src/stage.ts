/** The mechanism in motion, on a canvas: points, rods, lines, polygons, bodies and trails, in the plane or in space. */

import { Clock, locate } from "./clock.ts";
import { Frames, type Picture } from "./data.ts";
import { html, short } from "./text.ts";

type Vec = [number, number, number];

interface Ink { paper: string; ink: string; muted: string; line: string; raised: string; series: string[] }

const TRAIL_SECONDS = 2.5;   // of the animation
const MANY = 400;            // joints that are drawn
const SORTED = 4000;         // primitives that are sorted by their depth

export class Stage {
  readonly element: HTMLElement;
  readonly canvas = html("canvas", { tabindex: 0, role: "img" });
  private readonly context = this.canvas.getContext("2d")!;
  private readonly pointCount: number;
  private readonly moving: boolean[];
  private readonly family: number[];      // of each point
  private readonly jointed: boolean[];    // ends of rods and trails: drawn as discs
  private readonly place: Float64Array;   // of all numbers, at the moment
  private rodLength = Infinity;           // in the mean: joints are smaller than that
  private reach = 0;                      // how far things go from the middle
  private low: Vec = [Infinity, Infinity, Infinity];
  private high: Vec = [-Infinity, -Infinity, -Infinity];
  private azimuth: number;
  private elevation: number;
  private magnify = 1;
  private ink!: Ink;
  private width = 0;
  private height = 0;
  private scale = 1;
  private isDue = false;
  /** Units of time per second at which the motion is easy to follow. */
  readonly naturalSpeed: number;

  constructor(private readonly picture: Picture, private readonly frames: Frames, private readonly t: Float64Array,
              private readonly clock: Clock, title: string) {
    const d = picture.dimension;
    this.pointCount = picture.points.reduce((sum, points) => sum + points.count, 0);
    this.place = new Float64Array(frames.columns);
    this.family = picture.points.flatMap((points, k) => Array<number>(points.count).fill(k));
    this.moving = this.family.map((_, p) => Array.from({ length: d }, (_, c) => frames.moves(p * d + c)).some(Boolean));
    this.jointed = Array<boolean>(this.pointCount).fill(false);
    const inLines = new Set(picture.lines.flat().concat(picture.polygons.flat()));
    const inRods = new Set(picture.rods.flat().concat(picture.trails.flat()));
    const trailed = new Set(picture.trails.flat());
    for (let p = 0; p < this.pointCount; ++p)
      this.jointed[p] = (inRods.has(p) && (this.pointCount <= MANY || trailed.has(p))) || !inLines.has(p) || picture.points[this.family[p]!]!.size !== undefined;
    this.azimuth = picture.azimuth * Math.PI / 180;
    this.elevation = picture.elevation * Math.PI / 180;
    this.naturalSpeed = this.measure();
    this.canvas.setAttribute("aria-label", `${title}: the mechanism in motion. Space plays and pauses, arrows move the time${d === 3 ? ", drag to turn" : ""}.`);
    this.element = html("div", { class: "stage" }, this.canvas,
      d === 3 ? html("p", { class: "hint" }, "Drag to turn, scroll to come nearer") : null);
    clock.onTick(() => this.request());
    new ResizeObserver(() => this.resize()).observe(this.element);
    if (d === 3) this.listen();
  }

  // The box of the whole run, and how fast things move in it.
  private measure(): number {
    const { frames, picture } = this, d = picture.dimension;
    const step = Math.max(1, Math.floor(frames.rows / 400)), stride = Math.max(1, Math.floor(this.pointCount / 200));
    let length = 0, time = 0, paths = 0;
    const reach = picture.bodies.map((body) => Math.hypot(...body.box) / 2);
    const look = (x: Vec, margin: number) => {
      for (let c = 0; c < 3; ++c) {
        this.low[c] = Math.min(this.low[c]!, x[c]! - margin);
        this.high[c] = Math.max(this.high[c]!, x[c]! + margin);
      }
    };
    for (let r = 0; r < frames.rows; r += step) {
      this.load(r, 0);
      for (let p = 0; p < this.pointCount; ++p) look(this.point(p), picture.points[this.family[p]!]!.size ?? 0);
      this.eachBody((k, centre) => look(centre, reach[k]!));
    }
    const middle = [0, 1, 2].map((c) => (this.low[c]! + this.high[c]!) / 2);
    const spread = (x: Vec, margin: number) => { this.reach = Math.max(this.reach, Math.hypot(...x.map((v, c) => v - middle[c]!)) + margin); };
    for (let r = 0; r < frames.rows; r += step) {
      this.load(r, 0);
      for (let p = 0; p < this.pointCount; p += stride) spread(this.point(p), picture.points[this.family[p]!]!.size ?? 0);
      this.eachBody((k, centre) => spread(centre, reach[k]!));
    }
    this.load(0, 0);
    const lengths = picture.rods.slice(0, 1000).flatMap((path) => path.slice(1, 1000).map((p, n) =>
      Math.hypot(...this.point(p).map((x, c) => x - this.point(path[n]!)[c]!))));
    if (lengths.length > 0) this.rodLength = lengths.reduce((sum, length) => sum + length, 0) / lengths.length;
    const moving = this.moving.map((moves, p) => (moves ? p : -1)).filter((p) => p >= 0);
    const traced = moving.filter((_, k) => k % stride === 0);
    const near = Math.min(frames.rows - 1, 4000);
    for (const p of traced) {
      for (let r = 1; r <= near; ++r) {
        let square = 0;
        for (let c = 0; c < d; ++c) square += (frames.at(r, p * d + c) - frames.at(r - 1, p * d + c)) ** 2;
        length += Math.sqrt(square);
      }
      ++paths;
    }
    time = Math.abs((this.t[near] ?? 0) - (this.t[0] ?? 0));
    const size = Math.max(...[0, 1, 2].map((c) => this.high[c]! - this.low[c]!), 1e-12);
    const rate = paths > 0 && time > 0 ? length / paths / time : this.bodyRate(near, time) * size;
    const total = Math.abs(this.clock.end - this.clock.start);
    const wish = this.picture.speed ?? Math.min(Math.max(rate > 0 ? 0.45 * size / rate : total / 20, total / 600), total / 4);
    if (this.picture.speed) return wish;
    const power = 10 ** Math.floor(Math.log10(wish || 1)), digit = wish / power;
    return power * (digit < 1.5 ? 1 : digit < 3.5 ? 2 : digit < 7.5 ? 5 : 10);
  }

  // How fast axes of bodies turn.
  private bodyRate(near: number, time: number): number {
    const d = this.picture.dimension, first = this.pointCount * d;
    if (this.frames.columns <= first || time === 0) return 0;
    let length = 0;
    for (let r = 1; r <= near; ++r) {
      let square = 0;
      for (let c = first; c < first + d + d * d; ++c) square += (this.frames.at(r, c) - this.frames.at(r - 1, c)) ** 2;
      length += Math.sqrt(square);
    }
    return length / time / 3;
  }

  private resize(): void {
    const width = this.element.clientWidth, height = this.element.clientHeight;
    if (!width || !height) return;
    const ratio = Math.min(window.devicePixelRatio || 1, 2);
    this.width = width, this.height = height;
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    this.context.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.request();
  }

  /** Colours may have changed. */
  restyle(): void {
    const style = getComputedStyle(document.documentElement);
    const get = (name: string) => style.getPropertyValue(name).trim();
    this.ink = { paper: get("--paper"), ink: get("--ink"), muted: get("--muted"), line: get("--line"), raised: get("--raised"), series: [0, 1, 2, 3, 4, 5].map((k) => get(`--s${k}`)) };
    this.request();
  }

  private request(): void {
    if (this.isDue) return;
    this.isDue = true;
    requestAnimationFrame(() => { this.isDue = false; this.draw(); });
  }

  private load(row: number, part: number): void {
    const { frames, place } = this;
    const next = part > 0 && row + 1 < frames.rows;
    for (let c = 0; c < frames.columns; ++c) {
      const a = frames.at(row, c);
      place[c] = next ? a + part * (frames.at(row + 1, c) - a) : a;
    }
  }

  private point(p: number): Vec {
    const d = this.picture.dimension;
    return [this.place[p * d]!, this.place[p * d + 1]!, d === 3 ? this.place[p * d + 2]! : 0];
  }

  private eachBody(visit: (family: number, centre: Vec, axes: Vec[]) => void): void {
    const d = this.picture.dimension;
    let at = this.pointCount * d;
    const vector = (from: number): Vec => [this.place[from]!, this.place[from + 1]!, d === 3 ? this.place[from + 2]! : 0];
    this.picture.bodies.forEach((body, k) => {
      for (let n = 0; n < body.count; ++n) {
        visit(k, vector(at), Array.from({ length: d }, (_, a) => vector(at + d * (a + 1))));
        at += d + d * d;
      }
    });
  }

  // Pixels, and the depth towards the eye.
  private project([x, y, z]: Vec): Vec {
    const u = x - (this.low[0] + this.high[0]) / 2, v = y - (this.low[1] + this.high[1]) / 2, w = z - (this.low[2] + this.high[2]) / 2;
    if (this.picture.dimension === 2) return [this.width / 2 + this.scale * u, this.height / 2 - this.scale * v, 0];
    const [a, b, c] = this.picture.up === "z" ? [u, v, w] : this.picture.up === "y" ? [w, u, v] : [v, w, u];
    const ca = Math.cos(this.azimuth), sa = Math.sin(this.azimuth), ce = Math.cos(this.elevation), se = Math.sin(this.elevation);
    const right = -sa * a + ca * b, out = ca * a + sa * b;
    const depth = ce * out + se * c, up = -se * out + ce * c;
    const perspective = 1 / (1 - depth * this.scale / (4.5 * Math.max(this.width, this.height)));
    return [this.width / 2 + this.scale * perspective * right, this.height / 2 - this.scale * perspective * up, depth];
  }

  private fit(): void {
    const margin = 34, size = [0, 1, 2].map((c) => Math.max(this.high[c]! - this.low[c]!, 1e-9));
    const width = this.width - 2 * margin, height = this.height - 2 * margin;
    if (this.picture.dimension === 2) this.scale = Math.min(width / size[0]!, height / size[1]!);
    else this.scale = this.magnify * 0.5 * Math.min(width, height) / (this.reach || 1);
  }

  private radius(p: number): number {
    const size = this.picture.points[this.family[p]!]!.size;
    if (size !== undefined) return Math.max(size * this.scale, 1.5);
    return this.pointCount > MANY ? 3 : Math.max(1.5, Math.min(7, 60 / Math.sqrt(this.pointCount), 0.3 * this.rodLength * this.scale));
  }

  private colour(p: number): string {
    const family = this.family[p]!, { colour } = this.picture.points[family]!;
    if (colour > 0) return this.ink.series[(colour - 1) % 6]!;
    // Few points that move have a colour each, many one for their family.
    const few = this.moving.filter(Boolean).length <= 6;
    const rank = few ? this.moving.slice(0, p).filter(Boolean).length : family;
    return this.ink.series[rank % 6]!;
  }

  private draw(): void {
    if (!this.width || this.frames.rows === 0) return;
    if (!this.ink) { this.restyle(); return; }
    const g = this.context;
    const { k, part } = locate(this.t, this.clock.t);
    this.load(k, part);
    this.fit();
    g.clearRect(0, 0, this.width, this.height);
    g.lineCap = g.lineJoin = "round";
    this.picture.dimension === 2 ? this.grid() : this.floor();
    this.trails(k, part);
    this.picture.dimension === 2 ? this.plane() : this.space();
  }

  // A quiet grid and its unit.
  private grid(): void {
    const g = this.context, wish = 90 / this.scale;
    const power = 10 ** Math.floor(Math.log10(wish)), step = power * (wish / power < 2 ? 1 : wish / power < 5 ? 2 : 5);
    const [cx, cy] = this.project([0, 0, 0]);
    g.strokeStyle = this.ink.line;
    g.lineWidth = 1;
    g.globalAlpha = 0.75;
    g.beginPath();
    const d = step * this.scale;
    for (let x = ((cx % d) + d) % d; x < this.width; x += d) g.moveTo(Math.round(x) + 0.5, 0), g.lineTo(Math.round(x) + 0.5, this.height);
    for (let y = ((cy % d) + d) % d; y < this.height; y += d) g.moveTo(0, Math.round(y) + 0.5), g.lineTo(this.width, Math.round(y) + 0.5);
    g.stroke();
    g.globalAlpha = 1;
    g.strokeStyle = g.fillStyle = this.ink.muted;
    g.beginPath();
    const left = 16, bottom = this.height - 16;
    g.moveTo(left, bottom - 4), g.lineTo(left, bottom), g.lineTo(left + d, bottom), g.lineTo(left + d, bottom - 4);
    g.stroke();
    g.font = "11px Inter, system-ui, sans-serif";
    g.textAlign = "center";
    g.fillText(short(step), left + d / 2, bottom - 6);
  }

  // The ground below everything, with its grid.
  private floor(): void {
    const g = this.context, axis = { x: 0, y: 1, z: 2 }[this.picture.up], others = [0, 1, 2].filter((c) => c !== axis) as [number, number];
    const size = Math.max(...others.map((c) => this.high[c]! - this.low[c]!), 1e-9), lines = 8;
    const ground = this.low[axis]! - 0.04 * size;
    const at = (a: number, b: number): Vec => {
      const x: Vec = [0, 0, 0];
      x[axis] = ground;
      [a, b].forEach((s, k) => { const c = others[k]!; x[c] = (this.low[c]! + this.high[c]!) / 2 + (s - 0.5) * 1.25 * size; });
      return this.project(x);
    };
    g.strokeStyle = this.ink.line;
    g.lineWidth = 1;
    g.beginPath();
    for (let k = 0; k <= lines; ++k)
      for (const [a, b] of [[at(k / lines, 0), at(k / lines, 1)], [at(0, k / lines), at(1, k / lines)]] as [Vec, Vec][])
        g.moveTo(a[0], a[1]), g.lineTo(b[0], b[1]);
    g.stroke();
    // Shadows of what stands above.
    const shadow = (x: Vec): Vec => { const y: Vec = [...x]; y[axis] = ground; return this.project(y); };
    g.strokeStyle = g.fillStyle = this.ink.ink;
    g.globalAlpha = 0.1;
    g.lineWidth = 4;
    g.beginPath();
    for (const path of this.picture.rods) path.forEach((p, n) => { const [x, y] = shadow(this.point(p)); n ? g.lineTo(x, y) : g.moveTo(x, y); });
    g.stroke();
    this.eachBody((k, centre, axes) => {
      const corners = boxCorners(centre, axes, this.picture.bodies[k]!.box).map(shadow);
      g.beginPath();
      hull(corners).forEach(([x, y], n) => (n ? g.lineTo(x, y) : g.moveTo(x, y)));
      g.fill();
    });
    g.beginPath();
    for (let p = 0; p < this.pointCount; ++p) {
      if (!this.jointed[p]) continue;
      const [x, y] = shadow(this.point(p)), r = this.radius(p);
      g.moveTo(x + r, y), g.ellipse(x, y, r, 0.45 * r, 0, 0, 7);
    }
    g.fill();
    g.globalAlpha = 1;
  }

  // Where marked points have been a moment ago; older parts are paler.
  private trails(k: number, part: number): void {
    const { frames, picture } = this, g = this.context, d = picture.dimension;
    const past = TRAIL_SECONDS * this.clock.speed, now = this.clock.t, sign = this.clock.end >= this.clock.start ? 1 : -1;
    const { k: first } = locate(this.t, now - sign * past);
    const step = Math.max(1, Math.floor((k - first) / 240));
    g.lineCap = "butt";
    for (const p of picture.trails.flat()) {
      g.strokeStyle = this.colour(p);
      const at = (r: number): Vec => this.project([frames.at(r, p * d), frames.at(r, p * d + 1), d === 3 ? frames.at(r, p * d + 2) : 0]);
      const pieces = 24;
      const rows: number[] = [];
      for (let r = first; r <= k; r += step) rows.push(r);
      const path = rows.map(at);
      if (part > 0 || rows[rows.length - 1] !== k) path.push(this.project(this.point(p)));
      for (let piece = 0; piece < pieces; ++piece) {
        const from = Math.floor(piece * (path.length - 1) / pieces), to = Math.floor((piece + 1) * (path.length - 1) / pieces);
        if (to <= from) continue;
        g.globalAlpha = 0.75 * ((piece + 1) / pieces) ** 1.6;
        g.lineWidth = 1 + 1.2 * (piece + 1) / pieces;
        g.beginPath();
        for (let n = from; n <= to; ++n) n === from ? g.moveTo(path[n]![0], path[n]![1]) : g.lineTo(path[n]![0], path[n]![1]);
        g.stroke();
      }
    }
    g.lineCap = "round";
    g.globalAlpha = 1;
  }

  private rodWidth(): number { return Math.max(1, Math.min(5, 50 / Math.sqrt(this.picture.rods.flat().length || 1))); }

  private strokePaths(paths: number[][], closed = false): void {
    const g = this.context;
    g.beginPath();
    for (const path of paths) {
      path.forEach((p, n) => { const [x, y] = this.project(this.point(p)); n ? g.lineTo(x, y) : g.moveTo(x, y); });
      if (closed) g.closePath();
    }
  }

  private plane(): void {
    const g = this.context, { picture, ink } = this;
    g.strokeStyle = ink.muted;
    g.lineWidth = 1.5;
    this.strokePaths(picture.lines);
    g.stroke();
    g.fillStyle = ink.series[5]!;
    this.strokePaths(picture.polygons, true);
    g.globalAlpha = 0.3;
    g.fill();
    g.globalAlpha = 1;
    g.strokeStyle = ink.ink;
    g.stroke();
    this.eachBody((k, centre, axes) => {
      const { box, colour } = picture.bodies[k]!;
      const corner = (a: number, b: number) => this.project([0, 1, 2].map((c) => centre[c]! + a * box[0]! / 2 * axes[0]![c]! + b * box[1]! / 2 * axes[1]![c]!) as Vec);
      g.beginPath();
      [corner(-1, -1), corner(1, -1), corner(1, 1), corner(-1, 1)].forEach(([x, y], n) => (n ? g.lineTo(x, y) : g.moveTo(x, y)));
      g.closePath();
      g.fillStyle = ink.series[((colour || k + 1) - 1) % 6]!;
      g.globalAlpha = 0.85;
      g.fill();
      g.globalAlpha = 1;
      g.strokeStyle = ink.ink;
      g.lineWidth = 1.5;
      g.stroke();
    });
    g.strokeStyle = ink.ink;
    g.lineWidth = this.rodWidth();
    this.strokePaths(picture.rods);
    g.stroke();
    for (let p = 0; p < this.pointCount; ++p) if (this.jointed[p]) this.disc(p, this.project(this.point(p)));
  }

  private disc(p: number, [x, y]: Vec): void {
    const g = this.context, isFixed = !this.moving[p] && this.picture.points[this.family[p]!]!.size === undefined;
    const r = isFixed ? Math.min(5, this.radius(p)) : this.radius(p);
    g.beginPath();
    g.arc(x, y, r, 0, 7);
    g.fillStyle = isFixed ? this.ink.raised : this.colour(p);
    g.fill();
    g.lineWidth = isFixed ? 2 : r > 3 ? 1.5 : 0;
    if (g.lineWidth === 0 || r <= 3) return;
    g.strokeStyle = isFixed ? this.ink.ink : this.ink.raised;
    g.stroke();
  }

  private space(): void {
    const g = this.context, { picture, ink } = this;
    const things: { depth: number; draw: () => void }[] = [];
    // A long rod may pass before one thing and behind another: it is drawn in pieces.
    const pieces = picture.rods.length + picture.bodies.length < 100 ? 8 : 1;
    const rod = (p: number, q: number) => {
      const a = this.point(p), b = this.point(q), at = (s: number) => a.map((x, c) => x + s * (b[c]! - x)) as Vec;
      for (let k = 0; k < pieces; ++k) segment(at(k / pieces), at((k + 1) / pieces), ink.ink, this.rodWidth());
    };
    const segment = (from: Vec, to: Vec, colour: string, width: number, fades = false) => {
      const a = this.project(from), b = this.project(to);
      things.push({ depth: (a[2] + b[2]) / 2, draw: () => {
        g.strokeStyle = colour;
        g.lineWidth = width;
        if (fades) g.globalAlpha = 0.5 + 0.4 * Math.max(-1, Math.min(1, (a[2] + b[2]) / 2 / (this.reach || 1)));
        g.beginPath();
        g.moveTo(a[0], a[1]);
        g.lineTo(b[0], b[1]);
        g.stroke();
        g.globalAlpha = 1;
      } });
    };
    const isMany = picture.rods.length + this.pointCount > SORTED;
    g.strokeStyle = ink.ink;
    g.lineWidth = this.rodWidth();
    if (isMany) { this.strokePaths(picture.rods); g.stroke(); }
    else for (const path of picture.rods) for (let n = 1; n < path.length; ++n) rod(path[n - 1]!, path[n]!);
    // Lines fade with the distance.
    for (const path of picture.lines) for (let n = 1; n < path.length; ++n) segment(this.point(path[n - 1]!), this.point(path[n]!), ink.muted, 1.2, true);
    const face = (corners: Vec[], colour: string, edges: boolean) => {
      const at = corners.map((x) => this.project(x));
      const [u, v] = [1, 2].map((k) => corners[k]!.map((x, c) => x - corners[0]![c]!)) as [Vec, Vec];
      const normal: Vec = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
      const light = Math.abs(0.35 * normal[0] + 0.5 * normal[1] + 0.8 * normal[2]) / (Math.hypot(...normal) || 1);
      things.push({ depth: at.reduce((sum, x) => sum + x[2], 0) / at.length, draw: () => {
        g.beginPath();
        at.forEach(([x, y], n) => (n ? g.lineTo(x, y) : g.moveTo(x, y)));
        g.closePath();
        g.fillStyle = ink.raised;
        g.fill();
        g.fillStyle = colour;
        g.globalAlpha = 0.42 + 0.5 * Math.min(light, 1);
        g.fill();
        g.globalAlpha = 1;
        if (!edges) return;
        g.strokeStyle = ink.ink;
        g.lineWidth = 1;
        g.stroke();
      } });
    };
    for (const polygon of picture.polygons) face(polygon.map((p) => this.point(p)), ink.series[5]!, true);
    this.eachBody((k, centre, axes) => {
      const { box, colour } = picture.bodies[k]!, corners = boxCorners(centre, axes, box);
      const base = ((colour || k + 1) - 1) % 6;
      for (const sides of [[0, 1, 3, 2], [4, 5, 7, 6], [0, 1, 5, 4], [2, 3, 7, 6], [0, 2, 6, 4], [1, 3, 7, 5]])
        face(sides.map((n) => corners[n]!), ink.series[base]!, true);
    });
    for (let p = 0; p < this.pointCount; ++p) {
      if (!this.jointed[p]) continue;
      const at = this.project(this.point(p));
      things.push({ depth: at[2] + this.radius(p) / this.scale, draw: () => this.disc(p, at) });
    }
    if (!isMany) things.sort((a, b) => a.depth - b.depth);
    for (const thing of things) thing.draw();
    this.axes();
  }

  // Which way the axes point.
  private axes(): void {
    const g = this.context, [x0, y0] = [40, this.height - 40];
    const origin = this.project([0, 0, 0]);
    g.font = "11px Inter, system-ui, sans-serif";
    g.textAlign = "center";
    (["x", "y", "z"] as const).forEach((name, c) => {
      const x: Vec = [0, 0, 0];
      x[c] = 1 / this.scale;
      const at = this.project(x);
      const length = 24, dx = (at[0] - origin[0]) * length, dy = (at[1] - origin[1]) * length;
      g.strokeStyle = g.fillStyle = this.ink.muted;
      g.lineWidth = 1.2;
      g.beginPath();
      g.moveTo(x0, y0);
      g.lineTo(x0 + dx, y0 + dy);
      g.stroke();
      g.fillText(name, x0 + 1.35 * dx, y0 + 1.35 * dy + 4);
    });
  }

  private listen(): void {
    const pointers = new Map<number, [number, number]>();
    this.canvas.addEventListener("pointerdown", (event) => {
      this.canvas.setPointerCapture(event.pointerId);
      pointers.set(event.pointerId, [event.clientX, event.clientY]);
    });
    this.canvas.addEventListener("pointermove", (event) => {
      const before = pointers.get(event.pointerId);
      if (!before) return;
      const now: [number, number] = [event.clientX, event.clientY];
      if (pointers.size === 2) {
        const other = [...pointers].find(([id]) => id !== event.pointerId)![1];
        const distance = (a: [number, number]) => Math.hypot(a[0] - other[0], a[1] - other[1]);
        this.zoom(distance(now) / Math.max(distance(before), 1));
      } else {
        this.azimuth -= (now[0] - before[0]) / 120;
        this.elevation = Math.min(Math.max(this.elevation + (now[1] - before[1]) / 120, -1.5), 1.5);
      }
      pointers.set(event.pointerId, now);
      this.request();
    });
    const end = (event: PointerEvent) => pointers.delete(event.pointerId);
    this.canvas.addEventListener("pointerup", end);
    this.canvas.addEventListener("pointercancel", end);
    this.canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      this.zoom(Math.exp(-event.deltaY / 500));
    }, { passive: false });
  }

  private zoom(factor: number): void {
    this.magnify = Math.min(Math.max(this.magnify * factor, 0.3), 20);
    this.request();
  }
}

function boxCorners(centre: Vec, axes: Vec[], box: number[]): Vec[] {
  return Array.from({ length: 8 }, (_, n) => [0, 1, 2].map((c) =>
    centre[c]! + [4, 2, 1].reduce((sum, bit, a) => sum + ((n & bit ? 1 : -1) * box[a]! / 2) * axes[a]![c]!, 0)) as Vec);
}

// The convex hull of points on the screen.
function hull(points: Vec[]): Vec[] {
  const sorted = [...points].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const half = (list: Vec[]) => {
    const chain: Vec[] = [];
    for (const p of list) {
      while (chain.length >= 2) {
        const [a, b] = [chain[chain.length - 2]!, chain[chain.length - 1]!];
        if ((b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]) > 0) break;
        chain.pop();
      }
      chain.push(p);
    }
    return chain.slice(0, -1);
  };
  return [...half(sorted), ...half(sorted.reverse())];
}
