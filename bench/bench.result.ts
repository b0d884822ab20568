import type { Outcome } from './benchmark.js';
import type { MachineFacts } from './machine.facts.js';

/** The result of one benchmark and its duration. */
export interface Result extends Outcome {
  name: string;
  title: string;
  seconds: number;
}

export interface Facts extends MachineFacts {
  postgres: Record<string, string> | null;
}
