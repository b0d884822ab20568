import type { Payout } from '@tillkit/payments';
import type { PayoutState } from '@tillkit/payments/types';

const STATE_TEXTS: Readonly<Record<PayoutState, string>> = {
  created: 'Sending',
  requested: 'Sending',
  pending: 'Under way',
  unknown: 'Finding out. Do not pay again',
  needs_review: 'An operator must check it. Do not pay again',
  succeeded: 'Paid',
  partially_succeeded: 'Partly paid',
  failed: 'Not paid',
};

const FAILURE_TEXTS: Partial<Record<string, string>> = {
  declined: 'Declined',
  insufficient_funds: 'Not paid: the till has too little money',
};

/** Describes the outcome of a payout for the shopkeeper. */
export function payoutText({ state, reason, awaitsApproval }: Payout): string {
  if (awaitsApproval) return 'Waits for a second person';
  return FAILURE_TEXTS[reason ?? ''] ?? STATE_TEXTS[state];
}
