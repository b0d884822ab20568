import type { PaymentState, ReviewCause } from './payment.js';

/** Every change of state that there is. A change that is not here does not happen. */
export const TRANSITIONS: Readonly<Record<PaymentState, readonly PaymentState[]>> = {
  created: ['requested', 'failed'],
  requested: ['pending', 'unknown', 'failed', 'succeeded', 'needs_review'],
  pending: ['succeeded', 'failed', 'needs_review'],
  unknown: ['pending', 'succeeded', 'failed', 'needs_review'],
  needs_review: ['succeeded', 'failed', 'reversed'],
  failed: ['needs_review'],
  succeeded: ['reversed'],
  reversed: [],
};

/** States in which evidence may still decide. */
export const OPEN_STATES: readonly PaymentState[] = ['requested', 'pending', 'unknown'];

/** States that `settled()` waits for. */
export const SETTLED_STATES: readonly PaymentState[] = [
  'succeeded',
  'failed',
  'reversed',
  'needs_review',
];

/** States in which a payment may still turn out to own money: it is read again on a slower schedule. */
export const FOLLOWED_STATES: readonly PaymentState[] = ['needs_review', 'failed'];

/** Whether money that shows up may be this payment's: it was sent, and nothing final says whose money is whose. */
export function mayOwnMoney({
  state,
  sentAt,
}: {
  state: PaymentState;
  sentAt: Date | null;
}): boolean {
  return sentAt !== null && (isOpen(state) || FOLLOWED_STATES.includes(state));
}

/** Causes that full proof settles by itself. All others wait for a person. */
const SELF_SETTLING: readonly ReviewCause[] = ['no_evidence', 'no_transaction', 'ambiguous'];

export function mayChange(from: PaymentState, to: PaymentState): boolean {
  return TRANSITIONS[from].includes(to);
}

export function isOpen(state: PaymentState): boolean {
  return OPEN_STATES.includes(state);
}

/**
 * Whether it keeps the same customer from being asked for the same amount: sent or about to be, outcome not known. Once the
 * whole window of its money was swept and none fits, `pending` and `unknown` no longer count.
 */
export function isInFlight({
  state,
  windowSwept,
}: {
  state: PaymentState;
  windowSwept: boolean;
}): boolean {
  if (state === 'created' || state === 'requested') return true;
  return isOpen(state) && !windowSwept;
}

export function isSettled(state: PaymentState): boolean {
  return SETTLED_STATES.includes(state);
}

/** Whether full proof settles a review of this cause without a person. */
export function isSelfSettling(cause: ReviewCause): boolean {
  return SELF_SETTLING.includes(cause);
}

/** Whether proof that comes now may decide the payment without a person. */
export function isDecidable(payment: { state: PaymentState; cause: ReviewCause | null }): boolean {
  if (payment.state !== 'needs_review') return isOpen(payment.state);
  return payment.cause !== null && isSelfSettling(payment.cause);
}
