import type { PaymentState, ReviewCause } from './payment.js';

/** Every change of state that there is. A change that is not here does not happen. */
export const TRANSITIONS: Readonly<Record<PaymentState, readonly PaymentState[]>> = {
  created: ['requested', 'failed'],
  requested: ['pending', 'unknown', 'failed', 'succeeded', 'needs_review'],
  pending: ['succeeded', 'failed', 'needs_review'],
  unknown: ['pending', 'succeeded', 'failed', 'needs_review'],
  needs_review: ['succeeded', 'failed'],
  failed: ['needs_review'],
  succeeded: ['reversed'],
  reversed: [],
};

/** Sent or about to be, outcome not known: while one is, the same customer is not asked for the same amount again. */
export const IN_FLIGHT_STATES: readonly PaymentState[] = [
  'created',
  'requested',
  'pending',
  'unknown',
];

/** States in which evidence may still decide. */
export const OPEN_STATES: readonly PaymentState[] = ['requested', 'pending', 'unknown'];

/** States that `settled()` waits for. */
export const SETTLED_STATES: readonly PaymentState[] = [
  'succeeded',
  'failed',
  'reversed',
  'needs_review',
];

/** Causes that full proof settles by itself. All others wait for a person. */
const SELF_SETTLING: readonly ReviewCause[] = ['no_evidence', 'no_transaction', 'ambiguous'];

export function mayChange(from: PaymentState, to: PaymentState): boolean {
  return TRANSITIONS[from].includes(to);
}

export function isOpen(state: PaymentState): boolean {
  return OPEN_STATES.includes(state);
}

export function isSettled(state: PaymentState): boolean {
  return SETTLED_STATES.includes(state);
}

/** Whether proof that comes now may decide the payment without a person. */
export function isDecidable(payment: { state: PaymentState; cause: ReviewCause | null }): boolean {
  if (payment.state !== 'needs_review') return isOpen(payment.state);
  return payment.cause !== null && SELF_SETTLING.includes(payment.cause);
}
