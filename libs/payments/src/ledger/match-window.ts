/** The money of a payment originated from this long before it was sent to this long after, on the platform's clock. */
const BEFORE_SENDING_MS = 2 * 60_000;
const AFTER_SENDING_MS = 15 * 60_000;

/** Transactions are listed a little after they happen: a window counts as whole this long after its end. */
export const LATE_ENTRY_MS = 60_000;

/** When all money of a payment's window is listed; null for one that was not sent. */
export function windowIsWholeAt(sentAt: Date | null): Date | null {
  return sentAt && new Date(moneyWindow(sentAt).to.getTime() + LATE_ENTRY_MS);
}

/** A read this long after money originated would have shown it, were it the payment's. */
const SHOWN_AFTER_MS = 60_000;

/** Whether a read that said `Failed` then proves that money which originated before it is not the payment's. */
export function isDenied(deniedAt: Date | null, originatedAt: Date): boolean {
  return deniedAt !== null && deniedAt.getTime() >= originatedAt.getTime() + SHOWN_AFTER_MS;
}

/** The window in which the money of a payment sent then can have originated. */
export function moneyWindow(sentAt: Date): { from: Date; to: Date } {
  return {
    from: new Date(sentAt.getTime() - BEFORE_SENDING_MS),
    to: new Date(sentAt.getTime() + AFTER_SENDING_MS),
  };
}

/** The time in which a payment was sent whose window contains money that originated then. */
export function sendingWindow(originatedAt: Date): { sentFrom: Date; sentTo: Date } {
  return {
    sentFrom: new Date(originatedAt.getTime() - AFTER_SENDING_MS),
    sentTo: new Date(originatedAt.getTime() + BEFORE_SENDING_MS),
  };
}
