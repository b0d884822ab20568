import { createHash } from 'node:crypto';
import type { IncomingPayment } from '../resources/incoming-payments/incoming-payment.resource.js';
import type { Polling } from '../resources/polling/polling.resource.js';
import type { SmsNotification } from '../resources/sms-notifications/sms-notification.resource.js';
import type { Transaction } from '../resources/transaction.resource.js';
import type { FailureReason, Payment, ReviewCause, Via } from './payment.js';

/** What every event carries. @publicApi */
export interface PaymentsEventBase {
  /** Stable: the same news has the same id, however often and by whatever road it comes. */
  readonly eventId: string;
  readonly account: string;
  /** When we learnt it, ISO 8601. */
  readonly occurredAt: string;
  readonly via: Via;
}

/** Every event and what it carries: a listener with another parameter does not compile. @publicApi */
export interface PaymentsEvents {
  'payment.succeeded': PaymentsEventBase & {
    readonly payment: Payment;
    readonly transaction: Transaction;
  };
  'payment.failed': PaymentsEventBase & {
    readonly payment: Payment;
    readonly reason: FailureReason;
    readonly errors: readonly string[];
  };
  'payment.reversed': PaymentsEventBase & {
    readonly payment: Payment;
    readonly transaction: Transaction;
  };
  'payment.needs_review': PaymentsEventBase & {
    readonly payment: Payment;
    readonly cause: ReviewCause;
  };
  'till.transaction.received': PaymentsEventBase & {
    readonly transaction: Transaction;
    readonly webhookEventId: string | null;
    /** Set when it is the money of a payment of ours. */
    readonly paymentId: string | null;
    /** Set when its reversal came first. */
    readonly reversed?: true;
  };
  'till.transaction.reversed': PaymentsEventBase & {
    /** The reversal as the platform shows it; its reference is that of the money that came. */
    readonly transaction: Transaction;
    readonly webhookEventId: string | null;
    /** Set when it was the money of a payment of ours. */
    readonly paymentId: string | null;
  };
  'incoming-payment.completed': PaymentsEventBase & { readonly incomingPayment: IncomingPayment };
  'polling.completed': PaymentsEventBase & { readonly polling: Polling };
  'sms-notification.completed': PaymentsEventBase & { readonly smsNotification: SmsNotification };
  'delivery.unrecognised': PaymentsEventBase & {
    readonly deliveryId: string;
    /** Topic or type as the platform wrote it; null when there was none to read. */
    readonly topic: string | null;
  };
}

export type PaymentsEventName = keyof PaymentsEvents;

/** Every event there is, for whoever listens to all of them. */
export const EVENT_NAMES: readonly PaymentsEventName[] = [
  'payment.succeeded',
  'payment.failed',
  'payment.reversed',
  'payment.needs_review',
  'till.transaction.received',
  'till.transaction.reversed',
  'incoming-payment.completed',
  'polling.completed',
  'sms-notification.completed',
  'delivery.unrecognised',
];

/** An event as a change writes it. */
export interface NewEvent<K extends PaymentsEventName = PaymentsEventName> {
  readonly id: string;
  readonly name: K;
  /** What it is about: events of one stream are told in order. */
  readonly stream: string;
  readonly payload: PaymentsEvents[K];
}

/** What an event is about, and what tells it from another one of the same name and stream. */
export interface EventSubject {
  account: string;
  /** Payment id, key of money, or id of the resource. */
  stream: string;
  via: Via;
  /** For what one stream may have more than once: the cause of a review and the transaction it is about. */
  distinction?: string;
}

/** Builds an event whose id depends on what it says and about what, never on chance or time. */
export function newEvent<K extends PaymentsEventName>(
  name: K,
  { account, stream, via, distinction = '' }: EventSubject,
  content: Omit<PaymentsEvents[K], keyof PaymentsEventBase>,
): NewEvent<K> {
  const id = createHash('sha256')
    .update(JSON.stringify([account, stream, name, distinction]))
    .digest('hex')
    .slice(0, 32);
  const base: PaymentsEventBase = {
    eventId: id,
    account,
    occurredAt: new Date().toISOString(),
    via,
  };
  return { id, name, stream, payload: { ...base, ...content } as PaymentsEvents[K] };
}
