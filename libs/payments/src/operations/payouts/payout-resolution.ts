import { FOLLOW_UP_WORK } from '../../work/backoff.js';
import { fail, type OperationChange } from '../../ledger/operation-changes.js';
import { assertOpen, closed, decisionNote, notResolvable } from '../../ledger/resolution.js';
import { outcomesOf, type PayoutRecord } from './payout.js';

/**
 * A person's decision on a payout in review.
 * @example
 * await payouts.resolve(id, { state: 'succeeded', by: 'jane@shop.example', note: 'the statement shows the transfer' });
 * @see docs/promises.md#money-out
 * @publicApi
 */
export type PayoutResolution = {
  /** Name of the person who decided, for the history. */
  by: string;
  /** Reason of the decision, for the history. */
  note: string;
} & (
  | { /** Every destination was paid. */ state: 'succeeded' }
  | { /** No destination was paid. */ state: 'failed' }
  | {
      /** Some destinations were paid, and the others were not. */
      state: 'partially_succeeded';
      /** Indexes in `destinations` of those that were paid: some, and not all. */
      paid: readonly number[];
    }
);

/**
 * The change of a person's decision.
 * @throws OperationNotResolvableError when no decision on the payout is open, or the decision does not fit its destinations
 */
export function payoutResolutionChange(
  payout: PayoutRecord,
  resolution: PayoutResolution,
): OperationChange {
  const { state } = resolution;
  assertOpen(payout, state);
  const paid = new Set(paidIn(payout, resolution));
  const denied = outcomesOf(payout).findIndex(
    (shown, index) => shown.state === 'paid' && !shown.isContradicted && !paid.has(index),
  );
  // Where nothing contradicts it, what the platform has shown stands: who is paid again loses the money.
  if (denied >= 0) {
    const reference = outcomesOf(payout)[denied]?.transactionReference;
    throw notResolvable(
      payout,
      `the platform has reported that destination ${denied + 1} was paid${reference ? ` by transfer ${reference}` : ''}: say so, with state: 'partially_succeeded' or 'succeeded'`,
    );
  }
  const outcome = outcomesOf(payout).map((earlier, index) => {
    const now = paid.has(index) ? ('paid' as const) : ('failed' as const);
    return earlier.state === now ? earlier : { ...earlier, state: now };
  });
  if (payout.state === state) {
    const change = closed(payout, resolution);
    return { ...change, set: { ...change.set, outcome } };
  }
  // What was not paid may be paid later, and no list shows payouts: it is read again.
  const dueInMs = state === 'succeeded' ? null : FOLLOW_UP_WORK.readFailedMs;
  const { reason, errors } = payout;
  const change: OperationChange =
    state === 'failed'
      ? fail(payout, 'review', reason ?? 'unknown', errors)
      : {
          via: 'review',
          set: { state, cause: null, causeDetail: null },
          dueInMs,
        };
  return {
    ...change,
    set: { ...change.set, outcome, decided: true },
    note: decisionNote(`resolved as ${state}`, resolution),
  };
}

function paidIn(payout: PayoutRecord, resolution: PayoutResolution): readonly number[] {
  const all = payout.transfers.map((_, index) => index);
  switch (resolution.state) {
    case 'succeeded':
      return all;
    case 'failed':
      return [];
    case 'partially_succeeded': {
      const paid = [...new Set(resolution.paid)];
      if (paid.length > 0 && paid.length < all.length && paid.every((index) => all.includes(index)))
        return paid;
      throw notResolvable(
        payout,
        `paid must have the indexes of some of its ${all.length} destinations, and not of all`,
      );
    }
    default:
      throw notResolvable(payout, 'state must be succeeded, failed or partially_succeeded');
  }
}
