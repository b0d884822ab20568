import { fail, type OperationChange } from '../../ledger/operation-changes.js';
import {
  assertOpen,
  closed,
  decisionNote,
  notResolvable,
  type Resolution,
} from '../../ledger/resolution.js';
import type { RefundRecord } from './refund.js';

/** A person's decision on a refund. @publicApi */
export type RefundResolution = Pick<Resolution, 'by' | 'note'> & {
  /** `succeeded`: the money went back. `failed`: it did not, and it may be refunded again. */
  state: 'succeeded' | 'failed';
};

/**
 * The change of a person's decision.
 * @throws OperationNotResolvableError when no decision on the refund is open, or the decision contradicts what is known
 */
export function refundResolutionChange(
  refund: RefundRecord,
  decision: RefundResolution,
): OperationChange {
  const { state } = decision;
  if (state !== 'succeeded' && state !== 'failed')
    throw notResolvable(refund, 'state must be succeeded or failed');
  assertOpen(refund, state);
  if (refund.state === state) return closed(refund, decision);
  const reference = refund.outcome?.reference ?? null;
  const note = decisionNote(`resolved as ${state}`, decision);
  if (state === 'succeeded') {
    const outcome = { state: 'paid', reference } as const;
    const set = { state, outcome, cause: null, causeDetail: null, decided: true } as const;
    return { via: 'review', set, dueInMs: null, note };
  }
  // The only one who said that it failed was a person.
  if (refund.decided && refund.cause === 'paid_after_failure')
    throw notResolvable(
      refund,
      `the platform shows transfer ${reference}: say so, with state: 'succeeded'`,
    );
  const change = fail(refund, 'review', refund.reason ?? 'unknown', refund.errors);
  const outcome = { state: 'failed', reference } as const;
  return { ...change, set: { ...change.set, outcome, decided: true }, note };
}
