import { historyOf, type Accounts } from './twin.plan.js';
import { runHistory, type HistoryResult } from './history.run.js';

/** The histories that one process runs. */
export interface PartOptions {
  seed: number;
  histories: number;
  /** Rules that are known to be broken: their violations are counted and do not end a history. */
  known: readonly string[];
  /** Only violations of these rules count. */
  only?: readonly string[];
  /** Stops after the first violation. */
  first: boolean;
  /** The histories that have two accounts. */
  accounts: Accounts;
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

/** Maximum failures that are kept. */
const MAX_FAILURES = 2_000;

/** Runs histories one after the other, synchronously. */
export function runPart({
  seed,
  histories,
  known,
  only,
  first,
  accounts,
}: PartOptions): PartResult {
  const began = performance.now();
  const result = emptyResult();
  const ignored = new Set(known);
  for (let n = 0; n < histories; n += 1) {
    const history = runHistory(historyOf(seed + n, accounts), {
      ignored,
      ...(only !== undefined && { only }),
    });
    count(result, history);
    const { violation } = history;
    if (!violation) continue;
    if (result.failures.length < MAX_FAILURES) {
      result.failures.push({ seed: seed + n, ...violation });
    }
    if (first) break;
  }
  result.ms = performance.now() - began;
  return result;
}

export function emptyResult(): PartResult {
  return { histories: 0, steps: 0, ms: 0, failures: [], known: {}, situations: {} };
}

/** Adds a history to a result, except its violation, which the caller handles. */
export function count(
  result: PartResult,
  { steps, situations, ignoredRules }: HistoryResult,
): void {
  result.histories += 1;
  result.steps += steps;
  for (const name of situations) result.situations[name] = (result.situations[name] ?? 0) + 1;
  for (const rule of ignoredRules) result.known[rule] = (result.known[rule] ?? 0) + 1;
}

export function mergeResults(parts: readonly PartResult[]): PartResult {
  const sum = emptyResult();
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
