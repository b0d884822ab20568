import type { Operation } from '../store/operation.js';

/** The match window: a payment's transaction originates at most this long before and after sending, by the platform's clock. */
const BEFORE_SENDING_MS = 2 * 60_000;
const AFTER_SENDING_MS = 15 * 60_000;

/** A time in which a transaction may originate; both ends are included. */
export interface MoneyWindow {
  from: Date;
  to: Date;
}

/** The platform lists transactions a little late, so a window is complete this long after its end. */
const LATE_ENTRY_MS = 60_000;

/** Returns the time from which the platform lists all transactions of a payment's window; null for a payment that was not sent. */
export function windowIsWholeAt(sentAt: Date | null): Date | null {
  return sentAt && new Date(moneyWindow(sentAt).to.getTime() + LATE_ENTRY_MS);
}

/** Returns the times of sending of the payments whose whole window lies in a span, and became whole after `since`. */
export function wholeWindowsIn(
  { from, to }: MoneyWindow,
  since: Date,
): { sentFrom: Date; sentTo: Date } {
  const wholeAfterMs = AFTER_SENDING_MS + LATE_ENTRY_MS;
  const earliest = Math.max(from.getTime() + BEFORE_SENDING_MS, since.getTime() - wholeAfterMs);
  return { sentFrom: new Date(earliest), sentTo: new Date(to.getTime() - wholeAfterMs) };
}

/** A status read this long after a transaction originated shows it, if it belongs to the payment. */
const SHOWN_AFTER_MS = 60_000;

/** True when a status read that said `Failed` proves that a transaction does not belong to the payment. */
export function isDenied(deniedAt: Date | null, originatedAt: Date): boolean {
  return deniedAt !== null && deniedAt.getTime() >= originatedAt.getTime() + SHOWN_AFTER_MS;
}

/** Returns the earliest time at which the transaction of a payment originates that was sent then or later. */
export function beforeSending(sentAt: Date): Date {
  return new Date(sentAt.getTime() - BEFORE_SENDING_MS);
}

/** Returns the window in which the transaction of a payment originates, if the payment was sent at this time. */
export function moneyWindow(sentAt: Date): MoneyWindow {
  return {
    from: beforeSending(sentAt),
    to: new Date(sentAt.getTime() + AFTER_SENDING_MS),
  };
}

/** A payment link can be paid for seven days, and the platform may list its money late. */
const OPEN_TO_ANYBODY_MS = 8 * 24 * 60 * 60_000;

/** An operation may own money only if it was sent in this window. */
interface SendingWindow {
  sentFrom: Date;
  sentTo: Date;
  /** The earliest time for one that anybody may pay. */
  anybodySentFrom: Date;
}

/** An operation was sent in the returned times if its window contains this time of origin. */
export function sendingWindow(originatedAt: Date): SendingWindow {
  return {
    anybodySentFrom: new Date(originatedAt.getTime() - OPEN_TO_ANYBODY_MS),
    sentFrom: new Date(originatedAt.getTime() - AFTER_SENDING_MS),
    sentTo: new Date(originatedAt.getTime() + BEFORE_SENDING_MS),
  };
}

/** A payment is asked about money for as long as it is open, and that is a day unless the host has set another time. */
const OPEN_FOR_MS = 25 * 60 * 60_000;

/** True when an operation was sent so that its window contains the time of origin. */
export function isWithin(
  { kind, sentAt }: Pick<Operation, 'kind' | 'sentAt'>,
  { sentFrom, sentTo, anybodySentFrom }: SendingWindow,
): boolean {
  const from = kind === 'payment_link' ? anybodySentFrom : sentFrom;
  return sentAt !== null && sentAt >= from && sentAt <= sentTo;
}

/** Returns a window of sending, widened by the time in which an operation was sent that may be open now. */
export function withOpen(window: SendingWindow, now: Date): SendingWindow {
  const openSince = now.getTime() - OPEN_FOR_MS;
  const openUntil = now.getTime() + BEFORE_SENDING_MS;
  return {
    ...window,
    sentFrom: new Date(Math.min(window.sentFrom.getTime(), openSince)),
    sentTo: new Date(Math.max(window.sentTo.getTime(), openUntil)),
  };
}
