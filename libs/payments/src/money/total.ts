/**
 * Totals count these things.
 *
 * | measure | counts | `name` | at |
 * |---|---|---|---|
 * | `state` | final operations | their state | when they were recorded |
 * | `open` | operations that are not final | their state | when they were recorded |
 * | `reason` | failed operations | why they failed | when they were recorded |
 * | `source` | results: each time an operation became final | the source of the evidence | when they were recorded |
 * | `time` | the same results | the class of the time that they took, see `timeClass` | when they were recorded |
 * | `movement` | money that moved | a `Movement` | when it moved |
 * | `delivery` | verified deliveries | `callback` or `webhook` | when they were received |
 */
export type Measure = 'state' | 'open' | 'reason' | 'source' | 'time' | 'movement' | 'delivery';

/**
 * Money that moved at a till, or out of the account. Money that we know only by its reversal came in too: it is received, and neither
 * unmatched nor unreported.
 *
 * | movement | money |
 * |---|---|
 * | `received` | came in at a till, from whatever source we know it |
 * | `matched` | of that, what an operation or a bare request of the host asked for |
 * | `reported` | of that, what a webhook or the list of the platform has shown at the till |
 * | `reversed` | went back, by a refund of ours or otherwise |
 * | `paid_out` | was sent to the destinations of payouts |
 */
export type Movement = 'received' | 'matched' | 'reported' | 'reversed' | 'paid_out';

/** Something that is added to a total. A `count` below 0 takes away something that is not so any more. */
export interface TotalChange {
  measure: Measure;
  /** The kind of the operation; empty for movements at a till. */
  kind: string;
  name: string;
  /** Number of the till; empty when there is none. */
  till: string;
  /** Empty when nothing is summed. */
  currency: string;
  count: number;
  /** This is added to the sum, in minor units. */
  minor: string;
  /** The time at which it counts; null: the time of the commit. */
  at: Date | null;
}

/** Totals are kept for quarters of an hour: every time zone begins its days at one of them. */
export const QUARTER_MS = 15 * 60_000;

/** Returns the beginning of the quarter of an hour that a time is in. */
export function quarterOf(at: Date): Date {
  return new Date(Math.floor(at.getTime() / QUARTER_MS) * QUARTER_MS);
}

/** Classes of times double every four: a class is at most 19 % wide. */
const CLASSES_PER_DOUBLING = 4;

/** Returns the class of a duration. Counts of classes add up over any time, and percentiles do not. */
export function timeClass(ms: number): number {
  return Math.floor(CLASSES_PER_DOUBLING * Math.log2(Math.max(1, ms)));
}

/** Returns the middle of a class, in milliseconds. */
export function timeOfClass(name: number): number {
  return Math.round(2 ** ((name + 0.5) / CLASSES_PER_DOUBLING));
}

/** The longest text of the platform in a total. It is part of a key, which must fit into an index. */
const LONGEST_NAME = 64;

export function totalName(text: string | null): string {
  return (text ?? '').slice(0, LONGEST_NAME);
}

/** Returns the changes that turn the entries before a change into those after it. */
export function totalsBetween(
  before: readonly TotalChange[],
  after: readonly TotalChange[],
): readonly TotalChange[] {
  if (before.length === 0) return after;
  const [were, are] = [new Set(before.map(textOf)), new Set(after.map(textOf))];
  return [
    ...before.filter((entry) => !are.has(textOf(entry))).map(withdrawn),
    ...after.filter((entry) => !were.has(textOf(entry))),
  ];
}

/** Equal entries have equal texts. */
function textOf(entry: TotalChange): string {
  return JSON.stringify(entry);
}

function withdrawn(entry: TotalChange): TotalChange {
  const minor = entry.minor === '0' ? '0' : `-${entry.minor}`;
  return { ...entry, count: -entry.count, minor };
}
