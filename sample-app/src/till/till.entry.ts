/** What became of the SMS that thanks for a payment. `unclear` means that it may have been sent. */
export type ThanksState = 'asked' | 'sent' | 'failed' | 'unclear';

/** Money that the till received. */
export interface TillEntry {
  /** The event's id: the same money is told with the same one. */
  readonly id: string;
  readonly amount: string | null;
  readonly currency: string | null;
  readonly reference: string | null;
  readonly payer: string;
  readonly phone: string | null;
  readonly receivedAt: string;
  readonly webhookEventId: string | null;
  /** The payment of ours whose money it is; null when somebody paid the till directly. */
  readonly paymentId: string | null;
  /** The order it pays. */
  readonly orderNumber: string | null;
}
