/** What an implementation of `PaymentsStore` works with. Hosts need none of it. */
export {
  MOST_FOUND,
  PaymentsStore,
  type BareRequest,
  type CandidateQuery,
  type Claim,
  type ClaimedDelivery,
  type ClaimOutcome,
  type DeadLetter,
  type DeliveryKind,
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
  type UnheardListener,
  type SweepProgress,
  type UntiedQuery,
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
export { FOLLOWED_STATES, OPEN_STATES, SETTLED_STATES } from './ledger/payment.states.js';
export { ownerIdOf } from './ledger/till-transaction.js';
export type {
  TillTransaction,
  TransactionRecord,
  TransactionSum,
} from './ledger/till-transaction.js';
export type { NewEvent, PaymentsEventName, PaymentsEvents } from './ledger/ledger.events.js';
export {
  REDACTED_ERROR,
  UNHEARD_REDACTED_AFTER_MS,
  withoutPersons,
} from './ledger/event.redaction.js';
export { transactionStream } from './ledger/ledger.changes.js';
export { newEvent } from './ledger/ledger.events.js';
export type { Transaction } from './resources/transaction.resource.js';
export { MemoryStore } from './ledger/memory/memory.store.js';
export { StoreUnavailableError } from './payments.errors.js';
export { phoneHash } from './values/phone-number.js';
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
