/** The data of a page, as cotangent/report/page_data.cpp writes them. */

export interface Packed { type: "f64"; count: number; data: string }
export interface PackedFrames {
  type: "frames"; rows: number; columns: number; low: Packed; high: Packed; data: string;
}

export type Role = "coordinate" | "momentum" | "state" | "observable" | "monitor";
export interface PackedColumn {
  name: string; role: Role; values: Packed;
  extrema?: { since: Packed; low: Packed; high: Packed };
}
export interface PackedRecord {
  t: Packed; records: number; stride: number; columns_in_all: number; columns: PackedColumn[];
}

export interface Picture {
  dimension: 2 | 3; stated: boolean;
  points: { name: string; count: number; size?: number; colour: number }[];
  bodies: { name: string; count: number; box: number[]; colour: number }[];
  rods: number[][]; lines: number[][]; polygons: number[][]; trails: number[][];
  speed?: number; up: "x" | "y" | "z"; azimuth: number; elevation: number;
  frames: PackedFrames;
}

export interface Finding {
  structure: string; claimed: boolean; claim: string; verdict: "kept" | "broken" | "undecided";
  figure: number | null; rounding: number | null; drift?: number; drift_error?: number; evidence: string;
}
export interface Certificate {
  holds: boolean; complete: boolean; samples: number; structures: Finding[];
  error?: {
    by: string; final: number | null; largest: number | null; lost_at?: number | null; evidence: string;
    relative?: { final: number | null; largest: number | null };
  };
}
export interface Growth { exponent: number | null; uncertainty: number | null; from: number; until: number }
type Monitored<X> = { [name: string]: X | { [name: string]: X } };

/** What `cotangent run --json` prints, without the last point. */
export interface Summary {
  status: "done" | "failed" | "interrupted";
  method: string; formulation: string; projection: string; backend: string; precision: string;
  time: number; steps: number; step: number; tolerance?: number; controller?: string;
  wall_seconds: number; setup_seconds: number;
  initial_energy?: number | null; work?: number;
  max: Monitored<number | null>; final: Monitored<number | null>; growth?: Monitored<Growth>;
  periodogram?: { [name: string]: { resolution: number; peaks: { frequency: number; power: number; amplitude: number }[] } };
  section?: { count: number; file?: string };
  counts: { [name: string]: number };
  initial_change?: { position: number; momentum: number };
  warnings: { time: number; kind: string; text: string }[];
  notes?: string[];
  certificate?: Certificate;
  failure?: { during: string; time: number; step: number; reason: string; advice?: string };
}

export interface Run {
  label: string; summary: Summary; record: PackedRecord; picture?: Picture; section?: PackedRecord;
  periodograms: { name: string; frequency: Packed; power: Packed }[];
}

export interface Figure {
  title: string; caption: string;
  x: { label: string; log: boolean }; y: { label: string; log: boolean };
  /** dots: of an orbit, some points of which are left out. */
  lines: { label: string; x: number[]; y: number[]; emphasis: boolean; dots?: boolean }[];
  marks: { x: number; label: string }[];
}
/** The first row has the names of columns; `marks` is a column of "good: words". */
export interface Table { title: string; caption: string; rows: string[][]; emphasised?: number; marks?: number }
export interface Part { title: string; lead: string; figures: Figure[]; tables: Table[] }

export interface Fate { kind: "decay" | "bounded" | "power" | "exponential" | "undecided"; rate: number; exponent: number }
type Complexes = [number, number][];
export interface StabilityOf {
  formulation: string; refusal?: string; has_residuals?: boolean; fate?: Fate;
  multipliers?: Complexes; residual_eigenvalues?: Complexes; field_eigenvalues?: Complexes;
}
export interface Equilibrium {
  state: { [name: string]: unknown }; stability: string; residual: number; iterations: number; failure?: string;
  mode_count: number;
  modes: { omega: number; frequency: number; rate: number; shape?: { [name: string]: number | [number, number] } }[];
}
interface Formula { expression?: string; latex?: string }
export interface AnalysedEquations { remark: string; equations: { left: string; right: string; latex: string }[] }
/** What `cotangent analyze --json` prints. */
export interface Analysis {
  consistent?: boolean; degrees_of_freedom?: number | null; undecided?: string;
  counts?: { primary: number; total: number; first_class: number | null; second_class: number | null };
  hamiltonian?: Formula;
  constraints?: (Formula & { name: string; generation?: number; class?: string; outcome?: string; count?: number })[];
  multipliers?: { fixed: number; free: number; all?: (Formula & { name: string; constraint: string; fixed: boolean })[] };
  brackets?: { [name: string]: Formula & { value?: number } };
  stability?: { degrees_of_freedom: number; orbit?: { closed: boolean; duration: number }; motion?: Fate; formulations: StabilityOf[] };
  equilibrium?: Equilibrium; relative_equilibrium?: Equilibrium;
  equations?: { [name: string]: AnalysedEquations };
}

export interface Page {
  kind: string; program: string; command: string; name: string; title: string;
  verdict?: { mark: "good" | "bad" | "open"; head: string; text: string };
  source?: { file: string; text: string; set: string[] };
  equations: { name: string; role: string; text: string; tex?: string }[];
  runs: Run[]; parts: Part[]; analysis?: Analysis;
}

/** Bytes of a block, from planes back to numbers. */
async function inflate(data: string, size: number): Promise<ArrayBuffer> {
  const text = atob(data);
  const packed = new Uint8Array(text.length);
  for (let k = 0; k < text.length; ++k) packed[k] = text.charCodeAt(k);
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  const planes = new Uint8Array(await new Response(stream).arrayBuffer());
  const count = planes.length / size;
  const bytes = new Uint8Array(planes.length);
  for (let b = 0; b < size; ++b) for (let k = 0; k < count; ++k) bytes[k * size + b] = planes[b * count + k]!;
  return bytes.buffer;
}

export async function numbers(packed: Packed): Promise<Float64Array> {
  return packed.count === 0 ? new Float64Array() : new Float64Array(await inflate(packed.data, 8));
}

export interface Column {
  name: string; role: Role; values: Float64Array;
  /** Extrema between the records that are shown, where some are not. */
  extrema?: { t: Float64Array; low: Float64Array; high: Float64Array };
}
export interface Recording { t: Float64Array; records: number; stride: number; columnsInAll: number; columns: Column[] }

export async function readRecord(packed: PackedRecord): Promise<Recording> {
  const t = await numbers(packed.t);
  const backwards = t.length > 1 && t[t.length - 1]! < t[0]!;
  const columns = await Promise.all(packed.columns.map(async (column): Promise<Column> => {
    const result: Column = { name: column.name, role: column.role, values: await numbers(column.values) };
    if (column.extrema) {
      const [since, low, high] = await Promise.all(
        [column.extrema.since, column.extrema.low, column.extrema.high].map(numbers)) as [Float64Array, Float64Array, Float64Array];
      result.extrema = { t: since.map((s) => t[0]! + (backwards ? -s : s)), low, high };
    }
    return result;
  }));
  return { t, records: packed.records, stride: packed.stride, columnsInAll: packed.columns_in_all, columns };
}

/** Frames of a picture: number c of frame r. */
export class Frames {
  private constructor(readonly rows: number, readonly columns: number, private readonly codes: Uint16Array,
                      private readonly low: Float64Array, private readonly scale: Float64Array) {}

  static async read(packed: PackedFrames): Promise<Frames> {
    const codes = packed.rows === 0 ? new Uint16Array() : new Uint16Array(await inflate(packed.data, 2));
    for (let c = 0; c < packed.columns; ++c) {
      let value = 0, difference = 0;
      for (let k = c * packed.rows; k < (c + 1) * packed.rows; ++k) {
        difference = (difference + codes[k]!) & 0xffff;
        value = (value + difference) & 0xffff;
        codes[k] = value;
      }
    }
    const low = await numbers(packed.low), high = await numbers(packed.high);
    return new Frames(packed.rows, packed.columns, codes, low, low.map((least, c) => (high[c]! - least) / 65535));
  }

  at(row: number, column: number): number {
    return this.low[column]! + this.scale[column]! * this.codes[column * this.rows + row]!;
  }

  moves(column: number): boolean {
    const first = column * this.rows;
    for (let k = first + 1; k < first + this.rows; ++k) if (this.codes[k] !== this.codes[first]) return true;
    return false;
  }
}
