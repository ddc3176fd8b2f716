/** The plots of a run. */

import { Clock } from "./clock.ts";
import { numbers, type Column, type Frames, type Growth, type Recording, type Run } from "./data.ts";
import { Plot, type Line } from "./plot.ts";
import { html } from "./text.ts";

export interface LoadedRun extends Run { data: Recording; crossings?: Recording; frames?: Frames }

function lineOf(column: Column, t: Float64Array, label: string, colour: number): Line {
  const { extrema } = column;
  return { label, colour, x: t, y: column.values, extrema: extrema && { x: extrema.t, low: extrema.low, high: extrema.high } };
}

const isNegative = (column: Column) => (column.extrema?.low ?? column.values).some((v) => v < 0);

const LABELS: { [name: string]: string } = {
  energy: "|H − H(0)|", position: "|g|", momentum: "|G H_p|", wedge: "|Δ dq∧dp|", symplectic: "all directions", error: "error",
  "errors.q": "coordinates", "errors.p": "momenta", "errors.s": "states",
};
const label = (name: string) => LABELS[name] ?? name.replace(/^invariants\./, "");

// The fitted c t^k beside the line that it fits: c is the geometric mean of |y|/t^k there.
function fit(line: Line, growth: Growth, start: number): Line | null {
  if (growth.exponent === null || !Number.isFinite(growth.exponent)) return null;
  const k = growth.exponent, at = (x: number) => Math.abs(x - start);
  let sum = 0, count = 0;
  line.x.forEach((x, n) => {
    const y = Math.abs(line.y[n]!);
    if (y > 0 && at(x) >= growth.from && at(x) <= growth.until && at(x) > 0) sum += Math.log(y) - k * Math.log(at(x)), ++count;
  });
  if (count < 4) return null;
  const c = Math.exp(sum / count), points = 60, from = Math.max(growth.from, growth.until / 1e3);
  const sign = line.x[line.x.length - 1]! >= start ? 1 : -1;
  const s = Float64Array.from({ length: points }, (_, n) => from * (growth.until / from) ** (n / (points - 1)));
  const exponent = `t^${k.toFixed(2)} ± ${(growth.uncertainty ?? 0).toFixed(2)}`;
  return { label: exponent, colour: -1, x: s.map((v) => start + sign * v), y: s.map((v) => c * v ** k), dashed: true };
}

function growthOf(run: LoadedRun, name: string): Growth | undefined {
  const [group, inner] = name.includes(".") ? name.split(/\.(.*)/s) as [string, string] : ["", name];
  const all = run.summary.growth as { [name: string]: Growth & { [name: string]: Growth } } | undefined;
  return group ? all?.[group]?.[inner] : all?.[name];
}

/** What was watched: beside the mechanism, in the section on accuracy, and the rest. */
export function watched(runs: LoadedRun[], clock: Clock, name: string): { main: HTMLElement[]; accuracy: HTMLElement[]; more: HTMLElement[] } {
  const names = [...new Set(runs.flatMap((run) => run.data.columns.filter((c) => c.role === "monitor").map((c) => c.name)))];
  const used = new Set<string>();
  const isMain = (n: string) => n === "energy" || n === "position" || n === "momentum" || n === "wedge" || n === "symplectic" || n.startsWith("invariants.");
  const groups = new Set(names.filter(isMain).map((n) => (n === "momentum" ? "position" : n === "symplectic" ? "wedge" : n.replace(/\..*/, ""))));
  let height = Math.max(118, 470 / Math.max(groups.size, 2) - 50);  // together as high as the mechanism
  const plot = (title: string, wanted: (monitor: string) => boolean, fits = false): HTMLElement | null => {
    const chosen = names.filter((n) => wanted(n) && !used.has(n));
    chosen.forEach((n) => used.add(n));
    const lines: Line[] = [];
    let isLog = true;
    chosen.forEach((monitor, m) => runs.forEach((run, r) => {
      const column = run.data.columns.find((c) => c.name === monitor);
      if (!column) return;
      if (isNegative(column)) isLog = false;
      const line = lineOf(column, run.data.t, runs.length > 1 ? `${run.label}${chosen.length > 1 ? ` ${label(monitor)}` : ""}` : label(monitor), (runs.length > 1 ? r : m + first) % 6);
      line.running = isLog;
      lines.push(line);
      const growth = growthOf(run, monitor), fitted = growth && fit(line, growth, clock.start);
      if (fits && fitted) lines.push(fitted);
    }));
    first += chosen.length;
    if (lines.length === 0) return null;
    return new Plot({ title, name, x: {}, y: { log: isLog }, lines, clock, height }).element;
  };
  let first = 0;
  const isThere = (elements: (HTMLElement | null)[]) => elements.filter((e): e is HTMLElement => e !== null);
  const main = isThere([
    plot("Energy error", (n) => n === "energy", true),
    plot("Constraints", (n) => n === "position" || n === "momentum"),
    plot("Symplecticity", (n) => n === "wedge" || n === "symplectic"),
    plot("Invariants", (n) => n.startsWith("invariants."), true),
  ]);
  height = 220;
  first = 0;
  const hasParts = names.some((n) => n.startsWith("errors."));
  if (hasParts) used.add("error");
  const accuracy = isThere([plot("Error of the solution", (n) => n === "error" || n.startsWith("errors."), true)]);
  const more = isThere(names.filter((n) => !used.has(n)).map((n) => plot(n[0]!.toUpperCase() + n.slice(1), (other) => other === n)));
  return { main, accuracy, more };
}

const shownFirst = (columns: Column[]) => {
  const moving = columns.filter((c) => c.role === "coordinate" || c.role === "state");
  return (moving.length > 0 ? moving : columns.filter((c) => c.role !== "monitor")).slice(0, 4);
};

/** Columns over time, with a choice of them. */
export function trajectories(run: LoadedRun, clock: Clock, name: string, height: number): HTMLElement | null {
  const columns = run.data.columns.filter((c) => c.role !== "monitor");
  if (columns.length === 0) return null;
  let chosen = shownFirst(run.data.columns);
  const lines = () => columns.filter((c) => chosen.includes(c)).map((c, k) => lineOf(c, run.data.t, c.name, k % 6));
  const boxes = columns.map((column) => {
    const box = html("input", { type: "checkbox", checked: chosen.includes(column), onchange: () => {
      chosen = box.checked ? [...chosen, column] : chosen.filter((c) => c !== column);
      plot.setLines(lines());
    } });
    return html("label", {}, box, column.name);
  });
  const choice = html("details", { class: "menu choice" }, html("summary", {}, "Choose"), html("div", {}, ...boxes));
  const plot = new Plot({ title: "Trajectories", name, x: {}, y: {}, lines: lines(), clock, height, controls: choice, caption: caption(run) });
  return plot.element;
}

function caption(run: LoadedRun): string | undefined {
  const { stride, records, columns, columnsInAll } = run.data;
  const parts: string[] = [];
  if (stride > 1) parts.push(`Lines go through the extrema of all ${records.toLocaleString("en")} records.`);
  if (columnsInAll > columns.length) parts.push(`${columns.length} of ${columnsInAll.toLocaleString("en")} columns are here.`);
  return parts.join(" ") || undefined;
}

// Two columns against each other, chosen from lists.
function portrait(title: string, name: string, data: Recording, columns: Column[], x: Column, y: Column, clock: Clock | null, kind: "line" | "dots", note?: string): HTMLElement {
  const choose = (what: string, chosen: Column) => html("select", { "aria-label": `${title}: ${what} axis`, onchange: () => update() },
    ...columns.map((c, k) => html("option", { value: k, selected: c === chosen }, c.name)));
  const across = choose("horizontal", x), up = choose("vertical", y);
  const pick = (select: HTMLSelectElement) => columns[Number(select.value)]!;
  const lines = (): Line[] => [{ label: "", colour: 0, x: pick(across).values, y: pick(up).values, kind }];
  const plot = new Plot({ title, name, x: { label: x.name }, y: { label: y.name }, lines: lines(), height: 300,
    along: clock ? { clock, t: data.t } : undefined, caption: note, controls: html("span", { class: "pair" }, up, " against ", across) });
  const update = () => plot.setLines(lines(), pick(across).name, pick(up).name);
  return plot.element;
}

export function phasePortrait(run: LoadedRun, clock: Clock, name: string): HTMLElement | null {
  const columns = run.data.columns.filter((c) => c.role !== "monitor");
  const moving = shownFirst(run.data.columns), x = moving[0];
  const y = columns.find((c) => c.name === `p_${x?.name}`) ?? columns.find((c) => c.name === `v_${x?.name}`) ?? moving[1];
  if (!x || !y) return null;
  const isThin = run.data.stride > 1;
  return portrait("Phase portrait", name, run.data, columns, x, y, clock, isThin ? "dots" : "line",
    isThin ? `One in ${run.data.stride} of ${run.data.records.toLocaleString("en")} records.` : undefined);
}

export function sectionPlot(run: LoadedRun, name: string): HTMLElement | null {
  const data = run.crossings;
  if (!data || data.t.length === 0) return null;
  const columns = data.columns.filter((c) => c.role !== "monitor");
  const extent = (values: Float64Array) => values.reduce((a, b) => Math.max(a, b)) - values.reduce((a, b) => Math.min(a, b));
  // What is zero on the section varies in the run, but not there.
  const varies = (c: Column) => extent(c.values) > 1e-6 * extent(run.data.columns.find((other) => other.name === c.name)!.values);
  const x = columns.filter((c) => c.role === "coordinate" || c.role === "state").find(varies) ?? columns[0]!;
  const y = columns.find((c) => c.name === `p_${x.name}`) ?? columns.find((c) => c !== x && varies(c)) ?? x;
  return portrait("Poincaré section", name, data, columns, x, y, null, "dots", `${data.records.toLocaleString("en")} crossings.`);
}

export async function spectra(run: LoadedRun, name: string): Promise<HTMLElement[]> {
  if (run.periodograms.length === 0) return [];
  const lines = await Promise.all(run.periodograms.map(async (p, k): Promise<Line> =>
    ({ label: p.name, colour: k % 6, x: await numbers(p.frequency), y: await numbers(p.power) })));
  const peaks = run.periodograms.length === 1 ? run.summary.periodogram?.[run.periodograms[0]!.name]?.peaks ?? [] : [];
  const marks = peaks.slice(0, 3).map((peak) => ({ x: peak.frequency, label: peak.frequency.toPrecision(4) }));
  const fastest = Math.max(...Object.values(run.summary.periodogram ?? {}).flatMap(({ peaks }) => peaks.map((peak) => peak.frequency)), 0);
  const window: [number, number] | undefined = fastest > 0 ? [0, 1.6 * fastest] : undefined;
  return [new Plot({ title: "Periodogram", name, x: { label: "cycles per unit of time" }, y: { label: "power", log: true }, lines, height: 300, marks, window }).element];
}
