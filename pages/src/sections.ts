/** The parts of the page that are no plots over time. */

import katex from "katex";
import type { Certificate, Figure, Page, Part, Summary } from "./data.ts";
import { Plot } from "./plot.ts";
import type { LoadedRun } from "./plots.ts";
import { copier, csv, download, html, nice, short, svg } from "./text.ts";

export function facts(summary: Summary): HTMLElement {
  const list = html("dl", { class: "facts" });
  const add = (name: string, value: string | undefined) => value && list.append(html("div", {}, html("dt", {}, name), html("dd", {}, value)));
  add("method", summary.method);
  add("formulation", summary.formulation);
  add("projection", summary.projection);
  add(summary.tolerance === undefined ? "step" : "tolerance", short(summary.tolerance ?? summary.step));
  add("steps", summary.steps.toLocaleString("en"));
  add("end", `t = ${short(summary.time, 6)}`);
  if (summary.precision !== "double") add("precision", summary.precision);
  return list;
}

const NAMES: { [structure: string]: string } = { position: "constraints", momentum: "hidden constraints" };
const named = (structure: string) => NAMES[structure] ?? structure.replace(/^invariants\./, "");
const listed = (names: string[]) => (names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names[names.length - 1]}`);
const SIGNS = { good: "✓", bad: "✕", open: "?", plain: "" };
type Mark = keyof typeof SIGNS;

/** A sentence with its mark. */
export function say(mark: Mark, head: string, ...rest: (string | Node)[]): HTMLElement {
  return html("p", { class: `verdict ${mark}` }, html("b", {}, `${SIGNS[mark]} ${head}`.trim()), html("span", {}, ...rest));
}

/** How the run ended, in one sentence. */
export function verdict(summary: Summary): HTMLElement {
  const { failure, certificate, max } = summary;
  if (failure) return say("bad", "Failed", `at t = ${short(failure.time)}: ${failure.reason}. ${failure.advice ?? ""}`);
  if (summary.status === "interrupted") return say("open", "Interrupted", `at t = ${short(summary.time)}.`);
  if (certificate) {
    const of = (kind: string) => certificate.structures.filter((f) => f.claimed && f.verdict === kind).map((f) => named(f.structure));
    const lost = certificate.error?.lost_at;
    const chaos = typeof lost === "number" ? ` The solution itself is lost at t = ${short(lost, 4)}.` : "";
    if (!certificate.holds) return say("bad", "Broken", `${summary.method} promises more than this run kept: ${listed(of("broken")) || "the run is no motion of the system"}.`);
    if (!certificate.complete) return say("open", "Undecided", `Nothing that ${summary.method} promises was seen broken; not decided: ${listed(of("undecided"))}.${chaos}`);
    const kept = of("kept");
    return say("good", "Certified", kept.length > 0 ? `Everything that ${summary.method} promises was kept: ${listed(kept)}.${chaos}` : `${summary.method} promises nothing here.${chaos}`);
  }
  const parts: (string | Node)[] = [];
  const largest = (name: string) => max[name] as number | null | undefined;
  if (largest("energy") !== undefined) parts.push("The energy error is at most ", nice(largest("energy")), ". ");
  if (largest("position") !== undefined) parts.push("The constraints hold to ", nice(largest("position")), ". ");
  const kept = Object.entries((max.invariants ?? {}) as { [name: string]: number | null });
  for (const [name, change] of kept.slice(0, 2)) parts.push(`The invariant ${name} changes by at most `, nice(change), ". ");
  return say("plain", "Done", ...(parts.length > 0 ? parts : [`The run reached t = ${short(summary.time, 6)}.`]));
}

/** What the plots of the motion show. */
export function describe(run: LoadedRun): string {
  const { t, records } = run.data;
  return `${records.toLocaleString("en")} records from t = ${short(t[0])} to ${short(t[t.length - 1], 6)}. Point at a plot to ${run.picture ? "see the mechanism at that time" : "set the time"}; drag in it to zoom.`;
}

const LOW = -18, HIGH = 1;  // decades of a strip

function strip(figure: number | null, level: number | null, verdictClass: string): SVGSVGElement {
  const at = (x: number) => 4 + 152 * (Math.min(Math.max(Math.log10(Math.max(x, 1e-300)), LOW), HIGH) - LOW) / (HIGH - LOW);
  const picture = svg("svg", { width: 160, height: 20, viewBox: "0 0 160 20", role: "img", class: "strip", "aria-label": `figure ${short(figure)}, rounding level ${short(level)}` },
    svg("line", { class: "track", x1: 4, x2: 156, y1: 10, y2: 10 }));
  if (level) picture.append(svg("rect", { class: "level", x: 4, y: 5, width: Math.max(at(level) - 4, 0), height: 10, rx: 5 }));
  if (figure !== null) picture.append(svg("circle", { class: `figure ${verdictClass}`, cx: at(figure), cy: 10, r: 5 }));
  return picture;
}

const VERDICTS = { kept: ["good", "✓ kept"], broken: ["bad", "✕ broken"], undecided: ["open", "? undecided"] } as const;

export function certificate(data: Certificate): HTMLElement {
  const rows = data.structures.map((f) => {
    const [mark, word] = f.claimed || f.verdict !== "broken" ? VERDICTS[f.verdict] : (["plain", "not kept"] as const);
    const bar = f.drift !== undefined && f.drift_error !== undefined ? html("span", {}, "drift ", nice(f.drift, 2), " ± ", nice(f.drift_error, 2)) : html("span", {}, "rounding ", nice(f.rounding, 2));
    return html("tr", {}, html("th", { scope: "row" }, named(f.structure), html("small", {}, f.claim)),
      html("td", {}, strip(f.figure, f.rounding, mark)), html("td", { "data-name": "largest" }, nice(f.figure, 2)), html("td", { "data-name": "level" }, bar),
      html("td", {}, html("span", { class: `mark ${mark}` }, word)));
  });
  if (data.error) {
    const { error } = data;
    rows.push(html("tr", {}, html("th", { scope: "row" }, "error of the solution", html("small", {}, `estimated by ${error.by}`)),
      html("td", {}, strip(error.relative?.largest ?? error.largest, null, "plain")), html("td", { "data-name": "largest" }, nice(error.largest, 2)),
      html("td", { "data-name": "level" }, typeof error.lost_at === "number" ? `lost at t = ${short(error.lost_at, 4)}` : html("span", {}, "at the end ", nice(error.final, 2))), html("td", {}, html("span", { class: "mark plain" }, "estimated"))));
  }
  const ends = html("span", { class: "ends" }, html("span", {}, "10", html("sup", {}, "−18")), html("span", {}, "10", html("sup", {}, "−9")), html("span", {}, "1"));
  return html("div", { class: "certificate" },
    html("table", {}, html("thead", {}, html("tr", {}, html("th", { scope: "col" }, "Structure"), html("th", { scope: "col" }, ends), html("th", { scope: "col" }, "Largest"), html("th", { scope: "col" }, "Level or drift"), html("th", { scope: "col" }, "Verdict"))), html("tbody", {}, ...rows)),
    html("details", {}, html("summary", {}, `The evidence in words (${data.samples} steps were made again in quad precision)`),
      html("ul", {}, ...data.structures.map((f) => html("li", {}, html("b", {}, named(f.structure)), ": ", f.evidence)), data.error ? html("li", {}, html("b", {}, "error"), ": ", data.error.evidence) : null)));
}

export function typeset(tex: string): HTMLElement {
  const element = html("div", { class: "tex" });
  katex.render(tex, element, { displayMode: true, throwOnError: false, strict: false });
  return element;
}

// The general form of the equations, in the letters of the manual.
function form(page: Page): string {
  const has = (role: string) => page.equations.some((e) => e.role === role);
  const energy = page.equations.find((e) => e.role === "energy");
  const force = (has("force") ? " + f" : "") + (has("dissipation") ? " - D_v" : "");
  const constrained = has("constraint");
  if (!energy) return "\\dot u = f(u, t)";
  const reaction = constrained ? " - G^{\\mathsf T}\\lambda" : "";
  const constraint = constrained ? ",\\qquad g(q, t) = 0,\\quad G = \\partial g/\\partial q" : "";
  return energy.name === "H" ? `\\dot q = H_p,\\qquad \\dot p = -H_q${force}${reaction}${constraint}` : `\\frac{\\mathrm d}{\\mathrm dt} L_v = L_q${force}${reaction}${constraint}`;
}

const ROLES: [string, string][] = [["energy", ""], ["constraint", "Constraints"], ["dissipation", "Dissipation"], ["force", "Forces"], ["rate", "Equations"], ["invariant", "Invariants"]];

export function equations(page: Page): HTMLElement | null {
  if (page.equations.length === 0) return null;
  const parts: HTMLElement[] = [typeset(form(page))];
  for (const [role, title] of ROLES) {
    const all = page.equations.filter((e) => e.role === role);
    if (all.length === 0) continue;
    if (title) parts.push(html("h3", {}, title));
    for (const e of all) {
      const name = role === "energy" || role === "dissipation" ? `${e.name} = ` : role === "rate" ? `${e.name}′ = ` : role === "constraint" || role === "invariant" ? `${e.name}:  ` : `${e.name}: `;
      const isNamed = role === "constraint" || role === "invariant";
      parts.push(e.tex ? html("div", { class: "equation" }, isNamed ? html("span", { class: "name" }, e.name) : null, typeset(e.tex)) : html("pre", { class: "formula" }, html("span", { class: "name" }, name), e.text.trim().replace(/\n\s*/g, "\n    ")));
    }
  }
  return html("div", { class: "equations" }, ...parts);
}

export function repeat(page: Page, run: LoadedRun | undefined): HTMLElement {
  const code = (text: string, label: string, kind = "") => html("div", { class: `code ${kind}` }, html("pre", { tabindex: 0, "aria-label": label }, text), copier(text));
  const model = page.source ? html("div", {}, html("p", { class: "lead" }, `${page.source.file}, as it was read${page.source.set.length > 0 ? `, with ${page.source.set.join(", ")}` : ""}:`), code(page.source.text, "The model file", "model")) : null;
  const buttons = html("p", { class: "buttons" });
  const button = (label: string, act: () => void) => buttons.append(html("button", { type: "button", class: "quiet", onclick: act }, label));
  if (run) {
    const { data } = run;
    button(data.stride > 1 ? `One record in ${data.stride} (CSV)` : "Record (CSV)", () => download(`${page.name}.csv`, csv(["t", ...data.columns.map((c) => c.name)], [data.t, ...data.columns.map((c) => c.values)])));
    button("Summary (JSON)", () => download(`${page.name}.json`, JSON.stringify(run.summary, null, 2) + "\n"));
  }
  if (page.source) button("Model (TOML)", () => download(page.source!.file, page.source!.text));
  const summary = run?.summary;
  const told = [...(summary?.warnings ?? []).map((w) => `Warning: ${w.text}`), ...(summary?.notes ?? []).map((n) => `Note: ${n}`)];
  const list = html("dl", { class: "details" });
  const add = (name: string, value: string) => list.append(html("dt", {}, name), html("dd", {}, value));
  add("Program", page.program);
  if (summary) {
    add("Arithmetic", `${summary.precision} precision, ${summary.backend}`);
    add("Time", `${short(summary.wall_seconds)} s, and ${short(summary.setup_seconds)} s before the first step`);
    add("Counts", Object.entries(summary.counts).filter(([, n]) => n > 0).map(([name, n]) => `${n.toLocaleString("en")} ${name}`).join(", ") || "–");
    if (summary.initial_energy !== undefined) add("Energy", `H(0) = ${summary.initial_energy}`);
  }
  return html("div", { class: "repeat" }, html("div", {}, code(page.command, "The command"), list, told.length > 0 ? html("ul", { class: "told" }, ...told.map((text) => html("li", {}, text))) : null, buttons), model);
}

// The lengths of both axes are about the same.
function isSquare(figure: Figure): boolean {
  const extent = (axis: "x" | "y") => {
    const all = figure.lines.flatMap((line) => line[axis]);
    return all.reduce((a, b) => Math.max(a, b)) - all.reduce((a, b) => Math.min(a, b));
  };
  const ratio = extent("x") / extent("y");
  return ratio > 0.5 && ratio < 2;
}

const MARKED = 60;  // points of a line that are seen one by one

/** Figures that are given as they are. Where there are few points every mark is a measurement. */
export function figures(part: Part, name: string): HTMLElement[] {
  return part.figures.filter((figure) => figure.lines.length > 0).map((figure) => {
    const isMarked = figure.lines.every((line) => line.x.length <= MARKED);
    const isOrbit = figure.lines.some((line) => line.dots !== undefined);
    return new Plot({
      labelled: isMarked && figure.lines.some((line) => line.label !== ""),
      square: isOrbit && isSquare(figure),
      title: figure.title, name, caption: figure.caption, x: figure.x, y: figure.y, height: isMarked ? 380 : 300, marks: figure.marks,
      lines: figure.lines.map((line, k) => ({ label: line.label, colour: k % 6,
        x: Float64Array.from(line.x), y: Float64Array.from(line.y), kind: line.dots ? "dots" : isMarked ? "marks" : "line", emphasis: line.emphasis, dashed: k >= 6 })),
    }).element;
  });
}

// Numbers as one writes them: "± 1 × 10⁻⁶".
function written(cell: string): Node {
  const element = html("span", {});
  cell.replaceAll("+-", "±").split(/(-?[\d.]+e[+-]?\d+)/).forEach((part, k) => element.append(k % 2 === 0 ? part : nice(Number(part), 5)));
  return element;
}

// "good: reproduced" with its sign.
function marked(cell: string): HTMLElement | string {
  const [, mark, words] = cell.match(/^(good|bad|open): (.*)$/) ?? [];
  return mark === undefined ? cell : html("span", { class: `mark ${mark}` }, `${SIGNS[mark as Mark]} ${words}`);
}

export function tables(part: Part): HTMLElement | null {
  const all = part.tables.map((table) => {
    const [columns, ...rows] = table.rows;
    return html("div", { class: table.marks === undefined ? "table" : "table claims", tabindex: 0, role: "region", "aria-label": table.title },
      html("table", {}, html("thead", {}, html("tr", {}, ...(columns ?? []).map((c) => html("th", { scope: "col" }, c)))),
        html("tbody", {}, ...rows.map((row, k) => html("tr", { class: table.emphasised === k + 1 ? "best" : undefined },
          ...row.map((cell, c) => html("td", { "data-name": columns?.[c] }, table.marks === undefined ? cell : table.marks === c ? marked(cell) : written(cell))))))),
      table.caption ? html("p", { class: "lead" }, table.caption) : null);
  });
  return all.length > 0 ? html("div", {}, ...all) : null;
}

/** Where a page has many parts: a way to each. */
export function contents(page: Page): HTMLElement | null {
  if (page.parts.length < 5) return null;
  return html("nav", { class: "contents", "aria-label": "Contents" }, ...page.parts.map((part) => html("a", { href: `#${idOf(part.title)}` }, part.title)));
}

export const idOf = (title: string) => title.toLowerCase().replace(/[^a-z0-9]+/g, "-");
