/** What an implementation of `PaymentsStore` works with. Hosts need none of it. */
export {
  PaymentsStore,
  type Claim,
  type ClaimedDelivery,
  type ClaimOutcome,
  type DeadLetter,
  type DeliveryRecord,
  type DeliveryState,
  type HistoryEntry,
  type HostTransaction,
  type LedgerChange,
  type ListenerCall,
  type ListenerCallState,
  type NewDelivery,
  type NewPayment,
  type PurgeResult,
  type RecordResult,
  type StoredHistoryEntry,
  type SweepProgress,
  type TransactionFields,
} from './ledger/payments.store.js';
export type {
  FailureReason,
  Payment,
  PaymentChanges,
  PaymentRecord,
  PaymentState,
  ReviewCause,
  Subscriber,
  Via,
} from './ledger/payment.js';
export { IN_FLIGHT_STATES, OPEN_STATES, SETTLED_STATES } from './ledger/payment.states.js';
export type { MoneyKey, TillTransaction, TransactionRecord } from './ledger/till-transaction.js';
export type { NewEvent, PaymentsEventName, PaymentsEvents } from './ledger/ledger.events.js';
export { newEvent } from './ledger/ledger.events.js';
export type { Transaction } from './resources/transaction.resource.js';
export { MemoryStore } from './ledger/memory/memory.store.js';
export { StoreUnavailableError } from './payments.errors.js';
export type {
  DeliveryFilter,
  DeliverySummary,
  Page,
  PageRequest,
  PaymentFilter,
  Statistics,
  StoredEvent,
  TransactionFilter,
} from './ledger/store.views.js';
