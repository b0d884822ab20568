import type {
  TransactionRecord,
  TransactionSum,
} from '../../libs/payments/src/money/transaction.js';
import type { Processes } from './history.processes.js';
import { centsOf, isAmount } from './platform.truth.js';
import type { Simulation } from './history.simulation.js';
import { keptTotalsIn, transactionsIn } from './memory-store.inspection.js';

const FINAL = new Set(['succeeded', 'partially_succeeded', 'failed', 'reversed']);

/** A recount of the rows: a count and a sum in minor units for each name. */
type Recount = Map<string, { count: number; minor: bigint }>;

/** Counts all rows at the end of a history, and compares that with the totals that its commits have kept. Only for histories in memory. */
export function checkTotals({ worlds, store }: Processes): void {
  for (const world of worlds) {
    const kept: Recount = new Map();
    for (const { measure, kind, name, count, minor } of keptTotalsIn(store, world.account)) {
      if (measure === 'state' || measure === 'movement')
        add(kept, `${measure} ${kind} ${name}`, count, minor);
    }
    checkQuarters(world, keptTotalsIn(store, world.account));
    const counted: Recount = new Map();
    countOperations(world, counted);
    countTransactions(transactionsIn(store, world.account), counted);
    for (const name of new Set([...kept.keys(), ...counted.keys()])) {
      const [is, shouldBe] = [kept, counted].map((totals) => textOf(totals, name));
      if (is !== shouldBe)
        world.violate('totals differ', `${name}: ${is} is kept, ${shouldBe} is stored`);
    }
  }
}

/**
 * An amount that was counted on a day may only be taken from the same day, and no day has more matched or reported than received. Money
 * that was sent, or that was not sent after all, counts on the day when we learn of it.
 */
function checkQuarters(world: Simulation, kept: ReturnType<typeof keptTotalsIn>): void {
  const quarters = new Map<string, number>();
  const addTo = (key: string, count: number): unknown =>
    quarters.set(key, (quarters.get(key) ?? 0) + count);
  for (const { measure, name, quarter, count } of kept) {
    if (measure !== 'movement' || name === 'paid_out') continue;
    const at = quarter.toISOString();
    addTo(`${name} ${at}`, count);
    if (name === 'received')
      ['matched', 'reported'].forEach((of) => addTo(`not ${of} ${at}`, count));
    else if (name !== 'reversed') addTo(`not ${name} ${at}`, -count);
  }
  for (const [key, count] of quarters)
    if (count < 0) world.violate('totals below zero', `${key}: ${count}`);
}

function countOperations({ observer }: Simulation, counted: Recount): void {
  for (const { record } of observer.operations.values()) {
    if (!record) continue;
    const { kind, state, amountMinor, amount, outcome } = record;
    if (FINAL.has(state)) add(counted, `state ${kind} ${state}`, 1, BigInt(amountMinor));
    if (kind !== 'payout') continue;
    const { transfers } = record as unknown as { transfers: { amount: string }[] };
    const results = (outcome ?? []) as readonly { state: string }[];
    transfers.forEach((transfer, index) => {
      if (results[index]?.state !== 'paid') return;
      const cents = BigInt(Math.round(Number(transfer.amount) * 100));
      add(counted, `movement ${kind} paid_out`, 1, amount.currency === 'KES' ? cents : 0n);
    });
  }
}

function countTransactions(records: readonly TransactionRecord[], counted: Recount): void {
  for (const sum of records.flatMap(({ sums }) => sums)) {
    const minor = BigInt(sum.amountMinor ?? 0);
    if (!sum.received && !sum.reversal) continue;
    // Money that went back came in before, and is not in doubt.
    const isDoubtful = sum.received !== null;
    const isOwned = (sum.paymentId ?? sum.paymentLinkId ?? sum.bareId) !== null;
    add(counted, 'movement  received', 1, minor);
    if (isOwned || !isDoubtful) add(counted, 'movement  matched', 1, minor);
    if (sum.announced || !isDoubtful) add(counted, 'movement  reported', 1, minor);
    if (sum.reversal) add(counted, 'movement  reversed', 1, returned(sum, minor));
  }
}

/**
 * Returns the amount that went back by the report of a reversal: all of the money when it names no amount, and nothing when the amount cannot be
 * read.
 */
function returned({ received, reversal }: TransactionSum, all: bigint): bigint {
  const says = reversal?.raw['amount'];
  if (!received || reversal?.provenance === 'request' || says === undefined) return all;
  return typeof says === 'string' && isAmount(says) ? BigInt(centsOf(says)) : 0n;
}

function add(totals: Recount, name: string, count: number, minor: bigint): void {
  const before = totals.get(name) ?? { count: 0, minor: 0n };
  totals.set(name, { count: before.count + count, minor: before.minor + minor });
}

function textOf(totals: Recount, name: string): string {
  const { count, minor } = totals.get(name) ?? { count: 0, minor: 0n };
  return `${count} with ${minor}`;
}
