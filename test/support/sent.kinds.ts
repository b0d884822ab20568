import type { Payment, Payout } from '@tillkit/payments';
import type { Simulator } from '@tillkit/simulator';
import { aPayout, aRequestFrom, type Merchant } from './merchant.js';

/** An operation that moves money, for rules that hold both for operations that bring money and for those that take it. */
export interface SentKind {
  readonly kind: string;
  /** The end of the path of its creates. */
  readonly path: string;
  /** Requests another operation of this kind. */
  request(merchant: Merchant): Promise<Payment | Payout>;
  /** Returns the number of these operations that the platform has executed, or executes now. */
  moved(simulator: Simulator): number;
}

export const SENT_KINDS: readonly SentKind[] = [
  {
    kind: 'payment',
    path: '/incoming_payments',
    request: ({ payments }) => payments.request(aRequestFrom('+254700000014')),
    moved: (simulator) => simulator.charges().length,
  },
  {
    kind: 'payout',
    path: '/send_money',
    request: ({ payouts }) => payouts.request(aPayout()),
    moved: (simulator) => simulator.payouts().length,
  },
];
