import {
  planOf,
  type Feature,
  type Features,
  type HistoryPlan,
  type Operation,
} from './history.plan.js';
import { Chance, hashOf } from './seeded.chance.js';

const SECOND = 1000;
const MINUTE = 60 * SECOND;

/** Chooses the histories with two accounts: half of them, by their seed, or all. */
export type Accounts = 'half' | 'two';

/** True for faults of the machines and the database, which all accounts share. */
function isShared(feature: string): boolean {
  return (
    feature.startsWith('store ') || feature === 'clock skew' || feature === 'platform clock off'
  );
}

/** Draws the plan of a history. */
export function historyOf(seed: number, accounts: Accounts = 'half'): HistoryPlan {
  const plan = planOf(seed);
  const isDouble = accounts === 'two' || new Chance(hashOf('accounts', seed)).happens(0.5);
  return isDouble ? withTwin(plan, new Chance(hashOf('twin', seed))) : plan;
}

/**
 * Adds the plan of a second account. Often its host asks for the same things at the same times, so that equal keys, payments and
 * platform ids are open together. Often its platform has no faults, so that those of the first account must not show in it.
 */
function withTwin(plan: HistoryPlan, chance: Chance): HistoryPlan {
  const other = planOf(chance.below(2 ** 31));
  const isMirrored = chance.happens(0.5);
  const isCalm = chance.happens(0.3);
  const features = { ...(isCalm ? {} : only(other, false)), ...only(plan, true) };
  const money = isMirrored ? plan.settings : other.settings;
  const { limits, openingCents } = money;
  const twin: HistoryPlan = {
    ...other,
    features,
    settings: { ...other.settings, limits, openingCents },
    operations: isMirrored ? plan.operations : other.operations,
  };
  const more = (operations: readonly Operation[]): readonly Operation[] =>
    withRotations(withPauses(operations, chance), chance);
  return {
    ...plan,
    operations: more(plan.operations),
    twin: { ...twin, operations: more(twin.operations) },
  };
}

function only({ features }: HistoryPlan, shared: boolean): Features {
  const chosen = Object.entries(features).filter(([name]) => isShared(name) === shared);
  return Object.fromEntries(chosen) as Partial<Record<Feature, number>>;
}

/** The account gets other credentials and another host of the platform while its host asks. */
function withRotations(operations: readonly Operation[], chance: Chance): readonly Operation[] {
  const [first] = operations;
  if (!first || !chance.happens(0.25)) return operations;
  const rotations = Array.from({ length: chance.between(1, 2) }, (_, n): Operation => ({
    id: `rotation ${n}`,
    at: Math.max(0, chance.pick(operations).at + chance.between(-5 * SECOND, 5 * SECOND)),
    kind: 'rotate',
    withinMs: chance.duration(1, MINUTE),
  }));
  return [...operations, ...rotations].sort((one, other) => one.at - other.at);
}

/** Somebody pauses this account, or all, while its host asks. */
function withPauses(operations: readonly Operation[], chance: Chance): readonly Operation[] {
  if (!chance.happens(0.25)) return operations;
  const asked = operations.filter(({ kind }) => kind !== 'resolve' && kind !== 'settle');
  if (asked.length === 0) return operations;
  const pauses = Array.from({ length: chance.between(1, 2) }, (_, n): Operation => ({
    id: `pause ${n}`,
    at: Math.max(0, chance.pick(asked).at + chance.between(-5 * SECOND, 5 * SECOND)),
    kind: 'pause',
    whom: chance.pick(['own', 'own', 'all'] as const),
    lastsMs: chance.duration(SECOND, 20 * MINUTE),
  }));
  return [...operations, ...pauses].sort((one, other) => one.at - other.at);
}
