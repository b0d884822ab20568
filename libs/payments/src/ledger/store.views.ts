import type { PaymentsEventName } from './ledger.events.js';
import type { FailureReason, PaymentRecord, PaymentState, Via } from './payment.js';
import type { DeliveryRecord, DeliveryState, ListenerCallState } from './payments.store.js';
import type { TransactionRecord } from './till-transaction.js';

/** What to show of a long list: pages by key, so that the thousandth costs what the first does. */
export interface PageRequest {
  /** Entries at most, 1 to 200. */
  limit: number;
  /** `next` of the page before; left out for the first. */
  after?: string;
}

export interface Page<T> {
  items: T[];
  /** Where the next page begins; null when there is none. */
  next: string | null;
}

/** Which payments, newest first. What is left out is not asked for. */
export interface PaymentFilter {
  states?: readonly PaymentState[];
  /** International form with `+`. */
  phoneNumber?: string;
  idempotencyKey?: string;
  platformId?: string;
  /** Reference of the transaction that paid. */
  reference?: string;
  /** Recorded at or after. */
  from?: Date;
  /** Recorded before. */
  to?: Date;
}

/** Which transactions, latest origin first; those whose time of origin is unreadable are in no window. */
export interface TransactionFilter {
  reference?: string;
  /** Originated at or after. */
  from?: Date;
  /** Originated before. */
  to?: Date;
}

/** Which deliveries, newest first. */
export interface DeliveryFilter {
  state?: DeliveryState;
}

/** A delivery without its body, which may be large. */
export type DeliverySummary = Omit<DeliveryRecord, 'body'> & { bytes: number };

/** An event and how far each listener is with it; a listener that was never to hear it is not there. */
export interface StoredEvent {
  id: string;
  name: PaymentsEventName;
  stream: string;
  at: Date;
  via: Via;
  calls: {
    id: string;
    listener: string;
    state: ListenerCallState;
    attempts: number;
    /** Of its last attempt that failed; null when none did, or when it is done. */
    lastError: string | null;
    /** When the listener heard it, or was given up; null while it waits. */
    endedAt: Date | null;
  }[];
}

/** What operators watch. Counts are of payments recorded in the window. */
export interface Statistics {
  states: { state: PaymentState; count: number }[];
  reasons: { reason: FailureReason; count: number }[];
  /** The road by which final news came. */
  roads: { via: Via; count: number }[];
  /** From recording to the final state, in milliseconds; null when none is final. */
  timeToFinalMs: { p50: number; p90: number; p99: number } | null;
  /** Deliveries received, for each minute that had some, oldest first. */
  deliveriesPerMinute: { minute: Date; count: number }[];
  /** What waits now, whatever the window. */
  backlog: {
    deliveries: number;
    oldestDeliveryMs: number | null;
    calls: number;
    oldestCallMs: number | null;
    deadLetters: number;
    unrecognised: number;
    openPayments: number;
  };
}

/** Views for operators and reports: read only, and never in the way of money. */
export interface StoreViews {
  listPayments(
    account: string,
    filter: PaymentFilter,
    page: PageRequest,
  ): Promise<Page<PaymentRecord>>;
  listTransactions(
    account: string,
    filter: TransactionFilter,
    page: PageRequest,
  ): Promise<Page<TransactionRecord>>;
  listDeliveries(
    account: string,
    filter: DeliveryFilter,
    page: PageRequest,
  ): Promise<Page<DeliverySummary>>;
  /** Events of a payment or other stream, in order, and every call of a listener, also those that are done. */
  listEvents(account: string, stream: string): Promise<StoredEvent[]>;
  statistics(account: string, window: { from: Date; to: Date }): Promise<Statistics>;
}
