/** What `cotangent analyze` found, as tables and formulas. */

import type { Analysis, AnalysedEquations, Equilibrium, Fate, StabilityOf } from "./data.ts";
import { say, typeset } from "./sections.ts";
import { html, nice, short } from "./text.ts";

type Cell = HTMLElement | string;

function table(label: string, columns: string[], rows: Cell[][]): HTMLElement | null {
  if (rows.length === 0) return null;
  return html("div", { class: "table wide", tabindex: 0, role: "region", "aria-label": label },
    html("table", {}, html("thead", {}, html("tr", {}, ...columns.map((name) => html("th", { scope: "col" }, name)))),
      html("tbody", {}, ...rows.map((row) => html("tr", {}, ...row.map((cell) => html("td", {}, cell)))))));
}

const formula = (latex: string | undefined, text: string | undefined): Cell => (latex ? typeset(latex) : html("code", {}, text ?? "–"));
const plural = (count: number, noun: string) => `${count} ${noun}${count === 1 ? "" : "s"}`;

/** What was found, in one sentence. */
export function finding(analysis: Analysis): HTMLElement | null {
  const { counts, stability, equilibrium } = analysis;
  if (analysis.consistent === false) return say("bad", "Inconsistent", "The equations of motion have no solution.");
  if (analysis.undecided) return say("open", "Undecided", `${analysis.undecided}.`);
  if (counts) {
    const freedom = analysis.degrees_of_freedom;
    const classes = [[counts.first_class, "first"], [counts.second_class, "second"]] as const;
    const words = classes.filter(([count]) => count).map(([count, word]) => `${count} of ${word} class`);
    return say("good", "Consistent", `${typeof freedom === "number" ? `${plural(freedom, "degree")} of freedom; ` : ""}${plural(counts.total, "constraint")}${words.length > 0 ? `, ${words.join(", ")}` : ""}.`);
  }
  if (equilibrium) return equilibrium.failure ? say("bad", "No equilibrium", equilibrium.failure) : say(equilibrium.stability === "unstable" ? "open" : "good", "Equilibrium", `${equilibrium.stability}, found in ${plural(equilibrium.iterations, "iteration")}.`);
  if (stability) {
    const grows = stability.formulations.filter((f) => f.fate?.kind === "exponential").map((f) => f.formulation);
    return say(grows.length > 0 ? "open" : "good", "Stability", `${plural(stability.degrees_of_freedom, "degree")} of freedom. ${grows.length > 0 ? `Errors of the constraints grow exponentially under ${grows.join(", ")}.` : "Under no formulation do errors of the constraints grow exponentially."}`);
  }
  return null;
}

function fate(value: Fate | undefined): string {
  if (!value) return "–";
  switch (value.kind) {
    case "decay": return `shrinks as exp(${short(value.rate, 4)} t)`;
    case "power": return `grows as t^${short(value.exponent, 2)}`;
    case "exponential": return `grows as exp(${short(value.rate, 4)} t)`;
    case "bounded": return "stays bounded";
    default: return "undecided";
  }
}

function complex([re, im]: [number, number]): string {
  const size = Math.hypot(re, im), isReal = Math.abs(im) < 1e-8 * size, isImaginary = Math.abs(re) < 1e-8 * size;
  if (size < 1e-7) return "0";
  if (isReal) return short(re, 4);
  return isImaginary ? `${short(im, 4)}i` : `${short(re, 4)} ${im < 0 ? "−" : "+"} ${short(Math.abs(im), 4)}i`;
}

function stabilityRow(f: StabilityOf): Cell[] {
  if (f.refusal) return [f.formulation, html("span", { class: "remark" }, f.refusal), "", "", ""];
  const largest = f.multipliers ? Math.max(...f.multipliers.map(([re, im]) => Math.hypot(re, im))) : null;
  return [f.formulation, f.has_residuals === false ? "there are none" : fate(f.fate), largest === null ? "–" : nice(largest, 6),
    (f.residual_eigenvalues ?? []).map(complex).join(", ") || "–", (f.field_eigenvalues ?? []).map(complex).join(", ") || "–"];
}

function modes(found: Equilibrium): HTMLElement | null {
  return table("Modes", ["angular frequency", "frequency", "rate of growth", "shape"], found.modes.map((mode) => {
    const shape = Object.entries(mode.shape ?? {}).filter(([, x]) => typeof x !== "number" || Math.abs(x) > 1e-9);
    return [nice(mode.omega, 6), nice(mode.frequency, 6), nice(mode.rate),
      shape.slice(0, 12).map(([name, x]) => `${name} ${typeof x === "number" ? short(x, 4) : complex(x)}`).join(", ") + (shape.length > 12 ? ", …" : "")];
  }));
}

function paper(equations: { [name: string]: AnalysedEquations }): HTMLElement {
  return html("div", { class: "equations" }, ...Object.entries(equations).filter(([, part]) => part.equations.length > 0).map(([name, part], k) =>
    html("details", { open: k < 3 }, html("summary", {}, name, part.remark ? html("small", {}, ` ${part.remark}`) : null),
      ...part.equations.map((e) => (e.latex.length < 900 ? typeset(e.latex) : html("pre", { class: "formula" }, `${e.left} = ${e.right}`))))));
}

/** Titles, leads and contents. */
export function analysed(analysis: Analysis): [string, string, HTMLElement | null][] {
  const { stability, constraints, multipliers, brackets, equations } = analysis;
  const parts: [string, string, HTMLElement | null][] = [];
  if (analysis.hamiltonian) parts.push(["Hamiltonian", "The canonical Hamiltonian, with the multipliers of imposed constraints as coordinates.", html("div", { class: "equations" }, formula(analysis.hamiltonian.latex, analysis.hamiltonian.expression))]);
  if (constraints && constraints.some((chi) => chi.expression)) parts.push(["Constraints", "In the order in which Dirac's algorithm finds them: each must stay zero along the motion.",
    table("Constraints", ["", "vanishes", "generation", "class", "its rate"], constraints.map((chi) => [chi.name, formula(chi.latex, chi.expression), String(chi.generation ?? "–"), chi.class ?? "–", chi.outcome ?? "–"]))]);
  else if (constraints) parts.push(["Constraints", "Counted by the rank of R = G H_pp G′.", table("Constraints", ["", "numbers", "class"], constraints.map((chi) => [chi.name, String(chi.count ?? "–"), chi.class ?? "–"]))]);
  if (multipliers?.all) parts.push(["Multipliers", `${multipliers.fixed} determined, ${multipliers.free} free.`, table("Multipliers", ["", "of", "is"], multipliers.all.map((u) => [u.name, u.constraint, u.fixed ? formula(u.latex, u.expression) : "free"]))]);
  if (brackets && Object.keys(brackets).length > 0) parts.push(["Dirac brackets", "", table("Dirac brackets", ["", "bracket", "at the initial point"], Object.entries(brackets).map(([name, b]) => [`{${name}}*`, b.expression === undefined ? "–" : formula(b.latex, b.expression), b.value === undefined ? "–" : nice(b.value, 6)]))]);
  if (stability) {
    const { orbit } = stability;
    const motion = !orbit ? "The motion was not followed." : orbit.closed ? `Along a closed orbit with the period ${short(orbit.duration, 8)}.` : `Along the motion for ${short(orbit.duration, 6)} units of time.`;
    const neighbours = stability.motion ? ` On the constraints the distance of neighbours ${fate(stability.motion)}.` : "";
    parts.push(["Errors of the constraints", `What becomes of small residuals g and ψ under each formulation, to first order. ${motion}${neighbours}`,
      table("Errors of the constraints", ["formulation", "a residual", "largest multiplier", "eigenvalues of residuals at the start", "of the field"], stability.formulations.map(stabilityRow))]);
  }
  for (const [title, found] of [["Equilibrium", analysis.equilibrium], ["Relative equilibrium", analysis.relative_equilibrium]] as const) {
    if (!found || found.failure) continue;
    const state = Object.entries(found.state).filter(([, x]) => typeof x === "number").slice(0, 24);
    parts.push([title, `${found.stability}. The residual is ${short(found.residual)}.`, table(title, ["", "value"], state.map(([name, x]) => [name, nice(x as number, 6)]))]);
    parts.push([`Modes of the ${title.toLowerCase()}`, `${found.modes.length} of ${found.mode_count}, of the lowest frequencies.`, modes(found)]);
  }
  if (equations) parts.push(["Equations for papers", "Each formulation written out.", paper(equations)]);
  return parts;
}
