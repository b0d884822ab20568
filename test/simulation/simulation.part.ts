import { planOf } from './history.plan.js';
import { runHistory, type HistoryResult } from './history.run.js';

/** Histories that one process runs. */
export interface PartOptions {
  seed: number;
  histories: number;
  /** Rules whose violations are counted and end no history: faults that are known. */
  known: readonly string[];
  /** The rules that count, while a fault is planted. */
  only?: readonly string[];
  /** Ends at the first violation. */
  first: boolean;
}

export interface Failure {
  seed: number;
  rule: string;
  what: string;
}

export interface PartResult {
  histories: number;
  steps: number;
  ms: number;
  failures: Failure[];
  known: Record<string, number>;
  situations: Record<string, number>;
}

/** The first failures of each rule are kept; of the rest the seed is enough to find them again. */
const MOST_FAILURES = 2_000;

/** Runs histories one after the other. Each runs whole, so this returns when all are done. */
export function runPart({ seed, histories, known, only, first }: PartOptions): PartResult {
  const began = performance.now();
  const result = noHistories();
  const ignored = new Set(known);
  for (let n = 0; n < histories; n += 1) {
    const history = runHistory(planOf(seed + n), {
      ignored,
      ...(only !== undefined && { only }),
    });
    count(result, history);
    const { violation } = history;
    if (!violation) continue;
    if (result.failures.length < MOST_FAILURES) {
      result.failures.push({ seed: seed + n, ...violation });
    }
    if (first) break;
  }
  result.ms = performance.now() - began;
  return result;
}

export function noHistories(): PartResult {
  return { histories: 0, steps: 0, ms: 0, failures: [], known: {}, situations: {} };
}

/** Counts a history; whether and how its violation is kept is for the caller to say. */
export function count(
  result: PartResult,
  { steps, situations, ignoredRules }: HistoryResult,
): void {
  result.histories += 1;
  result.steps += steps;
  for (const name of situations) result.situations[name] = (result.situations[name] ?? 0) + 1;
  for (const rule of ignoredRules) result.known[rule] = (result.known[rule] ?? 0) + 1;
}

export function together(parts: readonly PartResult[]): PartResult {
  const sum = noHistories();
  for (const part of parts) {
    sum.histories += part.histories;
    sum.steps += part.steps;
    sum.ms = Math.max(sum.ms, part.ms);
    sum.failures.push(...part.failures);
    add(sum.known, part.known);
    add(sum.situations, part.situations);
  }
  sum.failures.sort((one, other) => one.seed - other.seed);
  return sum;
}

function add(to: Record<string, number>, from: Readonly<Record<string, number>>): void {
  for (const [name, count] of Object.entries(from)) to[name] = (to[name] ?? 0) + count;
}
