import type { AfterError, HistoryPlan, Operation, Planned } from './history.plan.js';
import type { Chance } from './seeded.chance.js';

/** Faults and behaviours of payouts, refunds and payment links. */
export const MONEY_OUT_FEATURES = [
  'transfer cancelled',
  'transfer stuck',
  'transferred with errors',
  'transferred after cancelled',
  'fields not shown',
  'reversal cancelled',
  'reversal stuck',
  'reversal with errors',
  'reversed after cancelled',
  'crash after a reversal',
  'link unpaid',
  'link paid after its end',
] as const;
export type MoneyOutFeature =
  | (typeof MONEY_OUT_FEATURES)[number]
  | 'transferred to another'
  | 'transfer shown twice'
  | 'link of another amount';

/** Limits of payouts, as decimal strings. A limit that is absent does not exist. */
export interface LimitSetting {
  perPayout?: string;
  perDay?: string;
  approveFrom?: string;
}

/** A host asks by `request()`, or by `record()` in a transaction that ends in this way. */
export type Asking = 'request' | 'commit' | 'rollback' | 'leave open';

interface Asked {
  key: string;
  afterError: AfterError;
  how: Asking;
  openMs: number;
}

export type MoneyOutOperation =
  | (Asked & {
      kind: 'payout';
      /** Indexes of `RECIPIENTS`. */
      destinations: readonly number[];
      /** True when the host passes the operations that it knows to be in the way. */
      passes: boolean;
      by: string;
    })
  | { kind: 'approve'; key: string; by: string; twice: boolean }
  | { kind: 'decline'; key: string; by: string }
  | (Asked & {
      kind: 'refund';
      /** Key of the payment or link; null for any money at a till. */
      of: string | null;
      names: 'payment' | 'reference';
      /** True when somebody asks for the same money under another key at the same moment. */
      twice: boolean;
    })
  | (Asked & { kind: 'link'; price: number; till: number; order: string | null })
  | { kind: 'cancel link'; key: string; twice: boolean }
  | { kind: 'ask again'; key: string }
  | { kind: 'settle'; key: string };

type Kind = 'payout' | 'refund' | 'link';

export const PEOPLE = ['Ann', 'Ben', 'Cyd'] as const;

/** The number of recipients that hosts pay. Some differ in their account only, and some in their amount only. */
export const RECIPIENT_COUNT = 6;

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

const SWARM: readonly (readonly Kind[])[] = [
  [],
  [],
  [],
  ['payout'],
  ['payout'],
  ['payout'],
  ['refund'],
  ['refund'],
  ['link'],
  ['link'],
  ['link', 'refund'],
  ['payout', 'refund', 'link'],
];

const AFTER_ERROR = ['same key', 'new key', 'nothing'] as const;

/** Returns the faults under which money out goes wrong: answers are lost, callbacks are late, and reads show an older state. */
export function harsh(chance: Chance): Readonly<Record<string, number>> {
  // Only reads can find a result that the platform changes later.
  if (chance.happens(0.08))
    return {
      'callback lost': 1,
      'transferred after cancelled': 0.5,
      'reversed after cancelled': 0.5,
    };
  return chance.happens(0.25)
    ? {
        'answer lost': chance.pick([0.3, 0.6]),
        'timeout unprocessed': chance.pick([0, 0.5]),
        'callback late': chance.pick([0, 0.3, 0.6]),
        'callback lost': chance.pick([0, 0.3, 1]),
        'read late': chance.pick([0.5, 1]),
        'transfer cancelled': chance.pick([0, 0.3]),
        'transferred after cancelled': chance.pick([0, 0, 0.5]),
        'reversed after cancelled': chance.pick([0, 0, 0.5]),
        'fields not shown': chance.pick([0, 0.6]),
        'crash after a reversal': chance.pick([0, 0.5]),
        'link unpaid': chance.pick([0, 0.6]),
        'link paid after its end': chance.pick([0, 0.6]),
        'store crash after commit': chance.pick([0, 0.05]),
      }
    : {};
}

/** Returns the operations of hosts with money out in this history; null for none. */
export function moneyOutOf(
  chance: Chance,
  plan: HistoryPlan,
): {
  operations: Operation[];
  limits: LimitSetting;
  openingCents: number;
  withPayments: boolean;
} | null {
  const kinds = chance.pick(SWARM);
  if (kinds.length === 0) return null;
  const limits: LimitSetting = {};
  if (chance.happens(0.3)) limits.approveFrom = chance.pick(['1', '150', '200']);
  if (chance.happens(0.15)) limits.perPayout = chance.pick(['150', '400']);
  if (chance.happens(0.3)) limits.perDay = chance.pick(['200', '350', '700']);
  const operations: Operation[] = [];
  for (const kind of kinds) {
    if (kind === 'payout') operations.push(...payouts(chance));
    if (kind === 'refund') operations.push(...refunds(chance, plan));
    if (kind === 'link') operations.push(...links(chance));
  }
  return {
    operations,
    limits,
    openingCents: chance.pick([0, 20_000, 100_000, 10_000_000, 10_000_000]),
    withPayments: kinds.includes('refund') || chance.happens(kinds.includes('link') ? 0.6 : 0.3),
  };
}

function asked(chance: Chance, key: string): Asked {
  const how = chance.pick([
    'request',
    'request',
    'request',
    'commit',
    'rollback',
    'leave open',
  ] as const);
  const openMs = chance.duration(1, 90 * SECOND);
  return { key, afterError: chance.pick(AFTER_ERROR), how, openMs };
}

/** People do these things with an operation later. */
function later(chance: Chance, key: string, at: number): Operation[] {
  const after = (from: number, to: number): number => at + chance.duration(from, to);
  const operations: Operation[] = [];
  if (chance.happens(0.3))
    operations.push({ id: `again ${key}`, at: after(1, 2 * MINUTE), kind: 'ask again', key });
  if (chance.happens(0.8))
    operations.push({ id: `settle ${key}`, at: after(MINUTE, 40 * HOUR), kind: 'settle', key });
  return operations;
}

function payouts(chance: Chance): Operation[] {
  const operations: Operation[] = [];
  const span = chance.pick([2 * SECOND, 30 * SECOND, 5 * MINUTE, 3 * HOUR]);
  const variety = chance.pick([1, 2, 3, RECIPIENT_COUNT]);
  const longest = chance.pick([1, 1, 2, 4]);
  const passing = chance.happens(0.2);
  const count = chance.pick([1, 2, 2, 3, 4]);
  for (let n = 0; n < count; n += 1) {
    const key = `o${n}`;
    const at = chance.below(span);
    const destinations = Array.from({ length: chance.between(1, longest) }, () =>
      chance.below(variety),
    );
    const passes = passing && chance.happens(0.7);
    const by = chance.pick(PEOPLE);
    const what = { destinations, passes, by, ...asked(chance, key) };
    operations.push({ id: `payout ${key}`, at, kind: 'payout', ...what });
    operations.push(...later(chance, key, at));
    const times = chance.pick([1, 1, 2, 3]);
    for (let time = 0; time < times; time += 1)
      operations.push({
        id: `approve ${key} ${time}`,
        at: at + chance.duration(20, 10 * MINUTE),
        kind: 'approve',
        key,
        by: chance.pick(PEOPLE),
        twice: chance.happens(0.3),
      });
    if (chance.happens(0.15))
      operations.push({
        id: `decline ${key}`,
        at: at + chance.duration(20, 10 * MINUTE),
        kind: 'decline',
        key,
        by: chance.pick(PEOPLE),
      });
  }
  return operations;
}

function refunds(chance: Chance, { operations: others }: HistoryPlan): Operation[] {
  const operations: Operation[] = [];
  const keys = others.flatMap((each) =>
    each.kind === 'request' || each.kind === 'record' ? [each] : [],
  );
  const count = chance.pick([1, 2, 3]);
  for (let n = 0; n < count; n += 1) {
    const key = `f${n}`;
    const paid = keys.length > 0 ? chance.pick(keys) : null;
    const at: Planned['at'] = (paid?.at ?? 0) + chance.duration(20 * SECOND, 5 * HOUR);
    operations.push({
      id: `refund ${key}`,
      at,
      kind: 'refund',
      of: chance.happens(0.15) ? null : (paid?.key ?? null),
      names: chance.pick(['payment', 'payment', 'reference']),
      twice: chance.happens(0.3),
      ...asked(chance, key),
    });
    operations.push(...later(chance, key, at));
  }
  return operations;
}

function links(chance: Chance): Operation[] {
  const operations: Operation[] = [];
  const span = chance.pick([2 * SECOND, 5 * MINUTE, HOUR]);
  const count = chance.pick([1, 1, 2, 3]);
  for (let n = 0; n < count; n += 1) {
    const key = `l${n}`;
    const at = chance.below(span);
    const price = chance.pick([0, 0, 1]);
    operations.push({
      id: `link ${key}`,
      at,
      kind: 'link',
      price,
      till: chance.pick([0, 0, 1]),
      order: chance.happens(0.2) ? `order ${chance.below(2)}` : null,
      ...asked(chance, key),
    });
    operations.push(...later(chance, key, at));
    if (chance.happens(0.4))
      operations.push({
        id: `cancel ${key}`,
        at: at + chance.duration(500, 30 * MINUTE),
        kind: 'cancel link',
        key,
        twice: chance.happens(0.3),
      });
    if (chance.happens(0.2))
      operations.push({
        id: `refund of ${key}`,
        at: at + chance.duration(10 * SECOND, 2 * HOUR),
        kind: 'refund',
        of: key,
        names: chance.pick(['payment', 'reference']),
        twice: false,
        ...asked(chance, `f${key}`),
      });
  }
  return operations;
}
