import "katex/dist/katex.min.css";
import "./style.css";
import { Clock } from "./clock.ts";
import { Frames, readRecord, type Page } from "./data.ts";
import { analysed, finding } from "./analysis.ts";
import { certificate, contents, describe, equations, facts, figures, idOf, repeat, say, tables, verdict } from "./sections.ts";
import { phasePortrait, sectionPlot, spectra, trajectories, watched, type LoadedRun } from "./plots.ts";
import { Stage } from "./stage.ts";
import { html } from "./text.ts";
import { Transport } from "./transport.ts";

const page = JSON.parse(document.getElementById("data")!.textContent!) as Page;
const stages: Stage[] = [];

const options = new URLSearchParams(location.hash.slice(1));

function setTheme(theme: string): void {
  document.documentElement.dataset.theme = theme;
  for (const stage of stages) stage.restyle();
}

function themeButton(): HTMLElement {
  const isDark = () => document.documentElement.dataset.theme === "dark";
  const button = html("button", { type: "button", class: "quiet theme", onclick: () => { setTheme(isDark() ? "light" : "dark"); name(); } });
  const name = () => { button.textContent = isDark() ? "Light" : "Dark"; button.setAttribute("aria-label", `${button.textContent} colours`); };
  name();
  return button;
}

function section(title: string, lead: string, ...children: (HTMLElement | null)[]): HTMLElement | null {
  const shown = children.filter((child): child is HTMLElement => child !== null);
  if (shown.length === 0) return null;
  const id = idOf(title);
  return html("section", { id, "aria-labelledby": `${id}-title` }, html("h2", { id: `${id}-title` }, title), lead ? html("p", { class: "lead" }, lead) : null, ...shown);
}

const grid = (...children: (HTMLElement | null)[]): HTMLElement | null => {
  const shown = children.filter((child): child is HTMLElement => child !== null);
  return shown.length > 0 ? html("div", { class: shown.length === 1 ? "grid single" : "grid" }, ...shown) : null;
};

async function build(): Promise<void> {
  const media = matchMedia("(prefers-color-scheme: dark)");
  setTheme(options.get("theme") ?? (media.matches ? "dark" : "light"));
  document.title = `${page.title} – cotangent`;
  const runs: LoadedRun[] = await Promise.all(page.runs.map(async (run) => ({
    ...run, data: await readRecord(run.record),
    crossings: run.section ? await readRecord(run.section) : undefined,
    frames: run.picture ? await Frames.read(run.picture.frames) : undefined,
  })));
  const main = html("main", {});
  const add = (element: HTMLElement | null) => element && main.append(element);
  const first = runs[0];
  add(html("header", { class: "intro" }, html("h1", {}, page.title), first ? facts(first.summary) : null, first ? verdict(first.summary) : null,
    page.verdict ? say(page.verdict.mark, page.verdict.head, page.verdict.text) : null,
    page.analysis ? finding(page.analysis) : null, contents(page)));
  let clock: Clock | null = null, transport: Transport | null = null;
  if (first && first.data.t.length > 1) {
    const t = first.data.t;
    clock = new Clock(t[0]!, t[t.length - 1]!);
    const stage = first.picture && first.frames && first.frames.rows > 1 ? new Stage(first.picture, first.frames, t, clock, page.title) : null;
    if (stage) stages.push(stage);
    const { main: beside, accuracy, more } = watched(runs, clock, page.name);
    const portrait = phasePortrait(first, clock, page.name);
    const isFree = beside.length < 2;  // there is room for the trajectories beside the mechanism
    const traces = trajectories(first, clock, page.name, isFree ? 185 : 300);
    transport = new Transport(clock, stage?.naturalSpeed ?? Math.abs(clock.end - clock.start) / 20);
    // The mechanism, or else the phase portrait, beside what was watched.
    const hero = html("section", { class: "hero", "aria-label": "The motion" },
      html("div", { class: "moving" }, stage ? stage.element : portrait, transport.element),
      html("div", { class: "watched" }, ...beside, isFree ? traces : null));
    add(hero);
    add(section("Motion", describe(first), grid(isFree ? null : traces, stage ? portrait : null)));
    add(section("Accuracy", "How far the run is from the reference solution, and how fast that grows.", grid(...accuracy)));
    add(section("Also watched", "", grid(...more)));
    add(section("Section and spectrum", "", grid(sectionPlot(first, page.name), ...(await spectra(first, page.name)))));
  }
  for (const part of page.parts) add(section(part.title, part.lead, grid(...figures(part, page.name)), tables(part)));
  for (const [title, lead, content] of page.analysis ? analysed(page.analysis) : []) add(section(title, lead, content));
  add(first?.summary.certificate ? section("Certificate", "What the method and the projection promise, and whether this run kept it. The grey band is the rounding level; a dot inside it cannot be told from zero.", certificate(first.summary.certificate)) : null);
  add(section(page.analysis ? "The model" : "Equations", "", equations(page)));
  add(section(`Repeat this ${page.kind === "run" ? "run" : "page"}`, "", repeat(page, first)));
  document.body.append(
    html("nav", { class: "top", "aria-label": "Page" }, html("b", {}, "cotangent"), html("span", {}, page.source ? `${page.kind} of ${page.name}` : page.kind), themeButton()),
    main,
    html("footer", {}, `Made by ${page.program}. This page holds all of its data and needs no network. Space plays and pauses; in a plot, arrows move the time, + and − zoom, 0 shows all, L changes the axis.`));
  document.fonts.ready.then(() => stages.forEach((stage) => stage.restyle()));
  media.addEventListener("change", (event) => setTheme(event.matches ? "dark" : "light"));
  if (!clock || !transport) return;
  const start = options.get("t");
  clock.set(start === null ? clock.start : Number(start));
  const isCalm = matchMedia("(prefers-reduced-motion: reduce)").matches;
  if (start === null && !isCalm && options.get("play") !== "0") clock.play();
  const driven = clock;
  document.addEventListener("keydown", (event) => {
    const target = event.target as Element;
    if (event.ctrlKey || event.metaKey || event.altKey || target.closest("input, select, textarea, button, summary")) return;
    const step = Math.abs(driven.end - driven.start) / (event.shiftKey ? 20 : 400);
    if (event.key === " ") driven.toggle();
    else if (event.key === "ArrowLeft" && target.closest(".stage")) driven.set(driven.t - step);
    else if (event.key === "ArrowRight" && target.closest(".stage")) driven.set(driven.t + step);
    else return;
    event.preventDefault();
  });
}

build().then(() => { document.body.dataset.ready = "true"; }).catch((error: unknown) => {
  document.body.append(html("p", { class: "broken-page", role: "alert" }, `This page could not be drawn: ${String(error)}. It needs a browser of 2023 or later.`));
  throw error;
});
