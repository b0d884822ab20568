import type { BenchContext } from './bench.context.js';
import type { Chart } from './chart.format.js';

export type { Chart };

/**
 * One row of the table: what was measured, the baseline (`against`), the target (`reach`), and the result. `results.json` stores
 * these fields.
 */
export interface Finding {
  what: string;
  against: string;
  reach: string;
  measured: string;
  /** True when the result meets the target; null when there is no target. */
  reached: boolean | null;
}

/** A table of its own, for the page. */
export interface Table {
  head: string[];
  rows: string[][];
}

export interface Outcome {
  findings: Finding[];
  charts: Chart[];
  tables?: Table[];
  /** All measurements, for the JSON file. */
  samples: object;
  /** Conditions that a reader must know to understand the findings. */
  notes?: string[];
}

export interface Benchmark {
  /** The name on the command line, such as `deliveries-in-postgres`. */
  name: string;
  title: string;
  run(bench: BenchContext): Promise<Outcome>;
}
