/** The one time of a page: mechanism and plots show the same moment. */

export class Clock {
  t: number;
  playing = false;
  speed = 1;
  /** The part of the time that plots over time show; nothing: all of it. */
  window: [number, number] | null = null;
  private held = false;
  private last = 0;
  private readonly listeners: (() => void)[] = [];
  private readonly windowListeners: (() => void)[] = [];

  constructor(readonly start: number, readonly end: number) {
    this.t = start;
  }

  onTick(f: () => void): void { this.listeners.push(f); }
  onWindow(f: () => void): void { this.windowListeners.push(f); }

  set(t: number): void {
    const [a, b] = this.start < this.end ? [this.start, this.end] : [this.end, this.start];
    this.t = Math.min(Math.max(t, a), b);
    for (const f of this.listeners) f();
  }

  zoom(window: [number, number] | null): void {
    this.window = window;
    for (const f of this.windowListeners) f();
  }

  toggle(): void { this.playing ? this.pause() : this.play(); }

  play(): void {
    if (this.t === this.end) this.t = this.start;
    this.playing = true;
    this.last = performance.now();
    requestAnimationFrame(this.frame);
    for (const f of this.listeners) f();
  }

  pause(): void {
    this.playing = false;
    for (const f of this.listeners) f();
  }

  /** While somebody points at a time, playing waits. */
  hold(t: number): void { this.held = true; this.set(t); }
  release(): void { this.held = false; this.last = performance.now(); }

  private readonly frame = (now: number): void => {
    if (!this.playing) return;
    const seconds = Math.min(now - this.last, 100) / 1000;
    this.last = now;
    if (!this.held) {
      const direction = this.end >= this.start ? 1 : -1;
      const next = this.t + direction * seconds * this.speed;
      const over = direction * (next - this.end) >= 0;
      this.set(over ? this.start : next);
    }
    requestAnimationFrame(this.frame);
  };
}

/** The last index k with t[k] at or before t, and how far t is on the way to the next. */
export function locate(times: Float64Array, t: number): { k: number; part: number } {
  const n = times.length;
  if (n < 2) return { k: 0, part: 0 };
  const sign = times[n - 1]! >= times[0]! ? 1 : -1;
  let low = 0, high = n - 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (sign * (times[middle]! - t) <= 0) low = middle; else high = middle;
  }
  const length = times[low + 1]! - times[low]!;
  return { k: low, part: length === 0 ? 0 : Math.min(Math.max((t - times[low]!) / length, 0), 1) };
}
