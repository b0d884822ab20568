import type { Payment, PaymentState } from '@tillkit/payments';

/** Where an order stands, for its customer. */
export type OrderStage =
  'not_asked' | 'asking' | 'waiting' | 'unclear' | 'checking' | 'failed' | 'paid' | 'refunded';

const STAGES: Readonly<Record<PaymentState, OrderStage>> = {
  created: 'asking',
  requested: 'asking',
  pending: 'waiting',
  unknown: 'unclear',
  needs_review: 'checking',
  failed: 'failed',
  succeeded: 'paid',
  reversed: 'refunded',
};

/** What matters most comes first: money that came, then money that may have come, whichever attempt it is of. */
const WEIGHTIEST: readonly PaymentState[] = ['succeeded', 'needs_review'];

export interface StandingOrder {
  readonly stage: OrderStage;
  /** The payment that says so. */
  readonly payment: Payment | null;
  /** The attempt that the customer may make now; null while money may still come, or has come. */
  readonly nextAttempt: number | null;
}

/** Where an order stands by the payments of its attempts, oldest first. */
export function stageOf(payments: readonly Payment[]): StandingOrder {
  for (const weighty of WEIGHTIEST) {
    const payment = payments.find(({ state }) => state === weighty);
    if (payment) return { stage: STAGES[weighty], payment, nextAttempt: null };
  }
  const payment = payments.at(-1) ?? null;
  const stage = payment ? STAGES[payment.state] : 'not_asked';
  // Only what has certainly failed may be tried again.
  const isOver = stage === 'failed' || stage === 'not_asked';
  return { stage, payment, nextAttempt: isOver ? payments.length + 1 : null };
}

/** Whether the customer is still waiting for an outcome. */
export function isUnderWay(stage: OrderStage): boolean {
  return stage === 'asking' || stage === 'waiting' || stage === 'unclear' || stage === 'checking';
}
