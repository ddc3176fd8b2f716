/** Play, pause, speed, and the time to scrub through. */

import { Clock } from "./clock.ts";
import { html, icon, short } from "./text.ts";

const FACTORS = [0.1, 0.25, 0.5, 1, 2, 4, 10];

export class Transport {
  readonly element: HTMLElement;

  constructor(clock: Clock, speed: number) {
    const button = html("button", { type: "button", class: "play", onclick: () => clock.toggle() });
    const [low, high] = clock.start < clock.end ? [clock.start, clock.end] : [clock.end, clock.start];
    const slider = html("input", { type: "range", min: low, max: high, step: "any", value: clock.t, "aria-label": "time", oninput: () => clock.set(Number(slider.value)) });
    const time = html("output", { class: "time" });
    const select = html("select", { "aria-label": "speed", title: "Units of time per second", onchange: () => { clock.speed = speed * Number(select.value); } },
      ...FACTORS.map((f) => html("option", { value: f, selected: f === 1 }, `${short(f * speed)} per s`)));
    clock.speed = speed;
    let wasPlaying: boolean | null = null;
    const digits = Math.max(0, Math.min(6, 3 - Math.floor(Math.log10(high - low || 1))));
    clock.onTick(() => {
      slider.value = String(clock.t);
      slider.style.setProperty("--part", `${100 * (clock.t - low) / (high - low)}%`);
      time.textContent = `t = ${clock.t.toFixed(digits)}`.replace("-", "−");
      if (wasPlaying === clock.playing) return;
      wasPlaying = clock.playing;
      button.replaceChildren(icon(clock.playing ? "pause" : "play"));
      button.setAttribute("aria-label", clock.playing ? "Pause" : "Play");
    });
    this.element = html("div", { class: "transport" }, button, slider, time, select);
  }
}
