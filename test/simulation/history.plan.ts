import {
  harsh,
  MONEY_OUT_FEATURES,
  moneyOutOf,
  type LimitSetting,
  type MoneyOutFeature,
  type MoneyOutOperation,
} from './money-out.plan.js';
import { Chance, hashOf } from './seeded.chance.js';

/** Faults and behaviours that a history can have. Each has a rate from 0 (off) to 1, drawn for each history. */
export const FEATURES = [
  // The store fails in these ways.
  'store fails before',
  'store answer lost',
  'store hangs',
  'store late commit',
  'store crash after commit',
  'store slow',
  // The network and the platform's API fail in these ways.
  'refused',
  'timeout unprocessed',
  'answer lost',
  'server error',
  'rate limited',
  'unauthorized',
  'rejected',
  'unreadable location',
  'slow answer',
  'connections busy',
  'handshake slow',
  'misleading error',
  'interceptor waits',
  'interceptor repeats',
  'read failure',
  'not found for a while',
  'odd status',
  'read late',
  // Customers do these things, and payments end so.
  'customer fails',
  'customer never decides',
  'paid after failed',
  'wrong amount',
  'wrong till',
  'second transaction',
  'empty success',
  'success with errors',
  'failed with transaction',
  'reversal',
  'hidden payer',
  // Deliveries and lists go wrong in these ways.
  'callback lost',
  'callback late',
  'callback twice',
  'webhook lost',
  'webhook late',
  'webhook duplicate',
  'webhook odd status',
  'webhook of no money',
  'webhook of an unreadable amount',
  'daraja webhook',
  'one reference at two tills',
  'callback too large',
  'forged',
  'listed late',
  'till form swapped',
  'polling slow',
  // Listeners fail in these ways.
  'listener throws',
  'listener hangs',
  'listener slow',
  // Clocks are wrong in these ways.
  'clock skew',
  'platform clock off',
] as const;
/** Reports that are unreadable, or that contradict each other. */
export const DOUBTFUL_FEATURES = [
  'listed unreadably',
  'reversal of a part',
  'reports differ',
  'reference used again',
] as const;
export type Feature =
  (typeof FEATURES)[number] | (typeof DOUBTFUL_FEATURES)[number] | MoneyOutFeature | 'listed oddly';
export type Features = Readonly<Partial<Record<Feature, number>>>;

export type AliasSetting = 'always' | 'never' | 'added' | 'removed';

/** The settings of the accounts of this history. */
export interface Settings {
  aliases: AliasSetting;
  verification: 'signature' | 'url' | 'both';
  webhooks: boolean;
  /** The account lists all tills, its own, or one of them, and a restart changes it to the other. */
  tills: 'all' | 'own' | 'widened' | 'narrowed';
  sweepEveryMs: number;
  reviewAfterMs: number;
  requestsPerSecond: number;
  limits: LimitSetting;
  /** The merchant's money at the platform when the history begins, in cents. */
  openingCents: number;
}

export interface Planned {
  id: string;
  /** Milliseconds after the start of the history. */
  at: number;
}

export type AfterError = 'same key' | 'new key' | 'nothing';

/** One thing that a host, a customer or an operator does. */
export type Operation = Planned &
  (
    | {
        kind: 'request';
        customer: number;
        price: number;
        till: number;
        key: string;
        /** The order that is owed; null when the host does not name one. */
        order: string | null;
        /** True when the host passes the operations that it knows to be in the way. */
        passes: boolean;
        afterError: AfterError;
      }
    | { kind: 'repeat'; key: string }
    | {
        kind: 'record';
        customer: number;
        price: number;
        till: number;
        key: string;
        order: string | null;
        passes: boolean;
        end: 'commit' | 'rollback' | 'leave open';
        openMs: number;
      }
    | { kind: 'bare'; customer: number; price: number; till: number; key: string }
    | { kind: 'walk in'; customer: number; price: number; till: number }
    | { kind: 'crash'; replica: number; downMs: number }
    | { kind: 'restart all'; what: 'aliases' | 'keys' | 'tills' | 'same' }
    | { kind: 'store outage'; lastsMs: number }
    | { kind: 'lists outage'; lastsMs: number }
    | { kind: 'platform outage'; lastsMs: number; how: 'refused' | 'timeout' | 'server error' }
    | {
        kind: 'resolve';
        key: string;
        other: string | null;
        twice: boolean;
        wrongly: boolean;
        afterMs: number;
      }
    | { kind: 'read'; key: string; how: 'find' | 'settled' | 'transaction' }
    | PauseOperation
    | RotateOperation
    | MoneyOutOperation
  );

/** The account gets another application of the platform, at another host. Each process learns that at its own time. */
export interface RotateOperation {
  kind: 'rotate';
  /** The last process learns it this many milliseconds later. */
  withinMs: number;
}

/** Somebody pauses sending for this account or for all, and resumes it later. */
export interface PauseOperation {
  kind: 'pause';
  whom: 'own' | 'all';
  lastsMs: number;
}

/** Everything that a seed decides before the first step. Parts can be left out: the other parts keep their random numbers. */
export interface HistoryPlan {
  seed: number;
  replicas: number;
  settings: Settings;
  features: Features;
  operations: readonly Operation[];
  /** True when a month without faults follows if a payment may still settle by late proof. */
  month: boolean;
  /** Names of faults that do not happen, so that a failure can be shrunk to the faults that it needs. */
  suppressed: ReadonlySet<string>;
  /** The plan of a second account, which the same processes serve. */
  twin?: HistoryPlan;
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Draws a plan: the features, their rates, and the operations. */
export function planOf(seed: number): HistoryPlan {
  const chance = new Chance(hashOf('plan', seed));
  const features: Partial<Record<Feature, number>> = {};
  const share = chance.pick([0, 0.1, 0.2, 0.35, 0.6]);
  for (const feature of FEATURES) {
    if (chance.happens(share * (OFTEN_OFF[feature] ?? 1))) {
      features[feature] = chance.pick(RATES[feature] ?? [0.1, 0.3, 0.6]);
    }
  }
  const settings: Settings = {
    aliases: chance.pick(['never', 'always', 'always', 'added', 'removed']),
    verification: chance.pick(['signature', 'signature', 'signature', 'both', 'url']),
    webhooks: chance.happens(0.8),
    tills: chance.pick(['all', 'all', 'all', 'own', 'widened', 'narrowed']),
    sweepEveryMs: chance.pick([15 * MINUTE, HOUR, HOUR, 6 * HOUR]),
    reviewAfterMs: chance.pick([24 * HOUR, 24 * HOUR, 3 * HOUR]),
    requestsPerSecond: chance.pick([5, 5, 50, 1]),
    limits: {},
    openingCents: 0,
  };
  const drawn = operationsOf(new Chance(hashOf('operations', seed)));
  const operations = chance.happens(0.12) ? asRivals(drawn, features, chance) : drawn;
  if (settings.aliases === 'added' || settings.aliases === 'removed') {
    // A change of aliases finds most faults while a payment is open.
    const asked = chance.pick(operations).at;
    const at = asked + chance.duration(200, 60 * SECOND);
    operations.push({ id: 'restart for aliases', at, kind: 'restart all', what: 'aliases' });
    if (chance.happens(0.5)) features['till form swapped'] = chance.pick([0.5, 1]);
  }
  // This draws its own random numbers, so histories without it do not change.
  const listing = new Chance(hashOf('listing', seed));
  if (listing.happens(0.2)) {
    features['listed oddly'] = listing.pick([0.3, 1]);
    // Only a list shows this money, because its create, its callback and its webhook are lost.
    if (listing.happens(0.3))
      Object.assign(features, { 'answer lost': 0.8, 'callback lost': 1, 'webhook lost': 1 });
  }
  addDoubtful(features, new Chance(hashOf('doubtful', seed)));
  const plan: HistoryPlan = {
    seed,
    replicas: chance.pick([1, 2, 2, 3]),
    settings,
    features,
    operations,
    month: chance.happens(0.2),
    suppressed: new Set(),
  };
  return withMoneyOut(plan, new Chance(hashOf('money out', seed)));
}

/** Adds doubtful reports to some histories. */
function addDoubtful(features: Partial<Record<Feature, number>>, chance: Chance): void {
  for (const feature of DOUBTFUL_FEATURES)
    if (chance.happens(0.1)) features[feature] = chance.pick([0.3, 1]);
  if (features['reversal of a part'] && chance.happens(0.7)) features['reversal'] = 0.6;
  // Only a list shows this money, because its create, its callback and its webhook are lost.
  if (features['listed unreadably'] && chance.happens(0.3))
    Object.assign(features, { 'answer lost': 0.8, 'callback lost': 1, 'webhook lost': 0.5 });
}

/** Adds payouts, refunds and links to some histories. It draws its own random numbers, so the other histories do not change. */
function withMoneyOut(plan: HistoryPlan, chance: Chance): HistoryPlan {
  const drawn = moneyOutOf(chance, plan);
  if (!drawn) return plan;
  const features: Partial<Record<Feature, number>> = { ...plan.features };
  const share = chance.pick([0, 0.1, 0.2, 0.35, 0.6]);
  for (const feature of MONEY_OUT_FEATURES) {
    if (chance.happens(share)) features[feature] = chance.pick([0.1, 0.3, 0.6, 1]);
  }
  Object.assign(features, harsh(chance));
  if (chance.happens(0.1)) features['transferred to another'] = chance.pick([0.3, 1]);
  if (chance.happens(0.1)) features['transfer shown twice'] = chance.pick([0.3, 1]);
  if (chance.happens(0.1)) features['link of another amount'] = chance.pick([0.3, 1]);
  // A refund of money of which a part went back sends back the rest.
  const isRefunded = drawn.operations.some(({ kind }) => kind === 'refund');
  if (isRefunded && new Chance(hashOf('rests', plan.seed)).happens(0.2))
    Object.assign(features, { reversal: 0.6, 'reversal of a part': 1 });
  const kept = drawn.withPayments
    ? plan.operations
    : plan.operations.filter(({ kind }) => !OF_PAYMENTS.has(kind));
  return {
    ...plan,
    features,
    settings: { ...plan.settings, limits: drawn.limits, openingCents: drawn.openingCents },
    operations: [...kept, ...drawn.operations].sort((one, other) => one.at - other.at),
  };
}

const OF_PAYMENTS: ReadonlySet<Operation['kind']> = new Set([
  'request',
  'repeat',
  'record',
  'bare',
  'walk in',
  'resolve',
  'read',
]);

/**
 * Returns several payments of one customer, till and amount, with lost answers. Only matching can find the owner of the money, so a wrong match gives
 * the money of one payment to another.
 */
function asRivals(
  drawn: readonly Operation[],
  features: Partial<Record<Feature, number>>,
  chance: Chance,
): Operation[] {
  Object.assign(features, {
    'answer lost': chance.pick([0.5, 1]),
    'timeout unprocessed': chance.pick([0, 0.3, 0.5]),
    'callback lost': chance.pick([0.5, 1]),
    'customer fails': chance.pick([0, 0.3]),
    'paid after failed': chance.pick([0, 0.3, 0.6]),
    'read late': chance.pick([0, 0.5, 1]),
    'customer never decides': chance.pick([0, 0.3]),
  });
  // A payment that failed and was paid later, beside an unpaid payment of unknown outcome.
  if (chance.happens(0.3)) {
    Object.assign(features, {
      'answer lost': 0.5,
      'callback lost': 0.5,
      'customer fails': 0.6,
      'paid after failed': 0.6,
    });
  }
  return drawn.map((operation) =>
    operation.kind === 'request' || operation.kind === 'record'
      ? {
          ...operation,
          at: operation.at % (4 * MINUTE),
          customer: 0,
          price: 0,
          till: 0,
          order: null,
          passes: true,
        }
      : operation,
  );
}

const STORE_RATES = [0.01, 0.03, 0.1, 0.25] as const;
const RATES: Partial<Record<Feature, readonly number[]>> = {
  'store fails before': STORE_RATES,
  'store answer lost': STORE_RATES,
  'store hangs': [0.01, 0.03],
  'store late commit': [0.01, 0.05, 0.15],
  'store crash after commit': [0.005, 0.02, 0.05],
  'till form swapped': [0.5, 1],
  'clock skew': [1],
  'platform clock off': [1],
  'hidden payer': [0.3, 1],
  'answer lost': [0.2, 0.5, 1],
  'timeout unprocessed': [0.2, 0.5, 1],
  'callback lost': [0.3, 1],
  'webhook lost': [0.3, 1],
};
const OFTEN_OFF: Partial<Record<Feature, number>> = { 'platform clock off': 0.2, rejected: 0.5 };

function operationsOf(chance: Chance): Operation[] {
  const operations: Operation[] = [];
  const add = (operation: Operation): number => operations.push(operation);
  const customers = chance.pick([1, 1, 2, 3]);
  const prices = chance.pick([1, 1, 2]);
  const tills = chance.pick([1, 1, 2]);
  const passing = chance.happens(0.5);
  const ordered = chance.happens(0.2);
  const span = chance.pick([2 * SECOND, 30 * SECOND, 5 * MINUTE, 20 * MINUTE, 3 * HOUR]);
  const moment = (): number => chance.below(span);
  const count = chance.pick([1, 2, 2, 3, 3, 4, 6]);
  for (let n = 0; n < count; n += 1) {
    const key = `k${n}`;
    const who = {
      customer: chance.below(customers),
      price: chance.below(prices),
      till: chance.below(tills),
      key,
      order: ordered ? `order ${chance.below(2)}` : null,
      passes: passing && chance.happens(0.8),
    };
    const at = moment();
    if (chance.happens(0.25)) {
      const end = chance.pick(['commit', 'commit', 'rollback', 'leave open'] as const);
      const openMs = chance.duration(1, 90 * SECOND);
      add({ ...who, id: `record ${key}`, at, kind: 'record', end, openMs });
    } else {
      const afterError = chance.pick(['same key', 'new key', 'nothing'] as const);
      add({ ...who, id: `request ${key}`, at, kind: 'request', afterError });
    }
    if (chance.happens(0.3)) {
      const later = chance.duration(1, 2 * MINUTE);
      add({ id: `repeat ${key}`, at: at + later, kind: 'repeat', key });
    }
    if (chance.happens(0.3)) {
      const how = chance.pick(['find', 'find', 'settled', 'transaction'] as const);
      add({ id: `read ${key}`, at: at + chance.duration(1, HOUR), kind: 'read', key, how });
    }
    if (chance.happens(0.5)) {
      add({
        id: `resolve ${key}`,
        at: at + chance.duration(MINUTE, 40 * HOUR),
        kind: 'resolve',
        key,
        other: chance.happens(0.3) ? `k${chance.below(count)}` : null,
        twice: chance.happens(0.3),
        wrongly: chance.happens(0.2),
        afterMs: chance.duration(1, HOUR),
      });
    }
  }
  const sometimes = (rate: number, most: number, make: (n: number) => Operation): void => {
    if (!chance.happens(rate)) return;
    const times = chance.between(1, most);
    for (let n = 0; n < times; n += 1) add(make(n));
  };
  sometimes(0.4, 2, (n) => ({
    id: `walk in ${n}`,
    at: moment() + chance.below(10 * MINUTE),
    kind: 'walk in',
    customer: chance.below(customers),
    price: chance.below(prices),
    till: chance.below(tills),
  }));
  sometimes(0.15, 2, (n) => ({
    id: `bare ${n}`,
    at: moment(),
    kind: 'bare',
    customer: chance.below(customers),
    price: chance.below(prices),
    till: chance.below(tills),
    key: `b${n}`,
  }));
  sometimes(0.4, 3, (n) => ({
    id: `crash ${n}`,
    at: moment(),
    kind: 'crash',
    replica: chance.below(3),
    downMs: chance.duration(10, 10 * MINUTE),
  }));
  sometimes(0.4, 2, (n) => ({
    id: `restart ${n}`,
    at: moment() + chance.below(HOUR),
    kind: 'restart all',
    what: chance.pick(['aliases', 'aliases', 'keys', 'tills', 'same'] as const),
  }));
  sometimes(0.2, 1, (n) => ({
    id: `store outage ${n}`,
    at: moment(),
    kind: 'store outage',
    lastsMs: chance.duration(SECOND, 20 * MINUTE),
  }));
  sometimes(0.2, 1, (n) => ({
    id: `platform outage ${n}`,
    at: moment(),
    kind: 'platform outage',
    lastsMs: chance.duration(SECOND, 30 * MINUTE),
    how: chance.pick(['refused', 'timeout', 'server error'] as const),
  }));
  sometimes(0.03, 1, (n) => ({
    id: `lists outage ${n}`,
    at: moment(),
    kind: 'lists outage',
    lastsMs: chance.between(49, 56) * HOUR,
  }));
  return operations.sort((one, other) => one.at - other.at);
}
