import type { BenchContext } from './bench.context.js';
import type { Chart } from './chart.drawing.js';

export type { Chart };

/** One line of the table: what was measured, against what, what is hoped for, and what came out. */
export interface Finding {
  what: string;
  against: string;
  reach: string;
  measured: string;
  /** Null where a number is only reported. */
  reached: boolean | null;
}

/** What a benchmark found. */
export interface Outcome {
  findings: Finding[];
  charts: Chart[];
  /** Numbers behind the findings, for the JSON. */
  samples: object;
  /** What a reader must know to read the findings right. */
  notes?: string[];
}

/** One benchmark: a file of its own, run by its name. */
export interface Benchmark {
  /** As on the command line: `deliveries-in-memory`. */
  name: string;
  title: string;
  run(bench: BenchContext): Promise<Outcome>;
}
