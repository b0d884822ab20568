/** What an implementation of `PaymentsStore` needs. Applications do not need it. */
export {
  type AccountAttention,
  type AccountClaim,
  type AccountConflict,
  type AccountFilter,
  AccountsStore,
  MOST_COUNTED,
} from './accounts/accounts.store.js';
export {
  anomalyKind,
  type AnomalyKind,
  type AnomalySubject,
  anomalySubject,
} from './anomalies/anomaly.kinds.js';
export {
  AnomaliesStore,
  type Anomaly,
  type AnomalyExample,
  keptExample,
  MOST_EXAMPLES,
} from './anomalies/anomalies.store.js';
export {
  type ClaimedDelivery,
  DeliveriesStore,
  type DeliveryFilter,
  type DeliveryRecord,
  type DeliveryState,
  type DeliverySummary,
  type StoredDelivery,
} from './deliveries/deliveries.store.js';
export {
  PENDING_REDACTED_AFTER_MS,
  REDACTED_ERROR,
  withoutPersons,
} from './events/event-payload.redaction.js';
export {
  type DeadLetter,
  type DeadLetterFilter,
  type ReplayedLetter,
  EventsStore,
  type EventSummary,
  type ListenerCall,
  type ListenerCallState,
  type MissingListener,
  type StoredEvent,
  type WantedCalls,
} from './events/events.store.js';
export type { PaymentsEventName, PaymentsEvents } from './events/payments.events.js';
export { BareRequestsStore } from './ledger/bare-requests.store.js';
export type { HostTransaction } from './ledger/host-transaction.js';
export {
  type CallClaim,
  type Committed,
  type CommitWithDelivery,
  type HistoryEntry,
  type LedgerChange,
  LedgerStore,
  totalsOf,
  type StoredHistoryEntry,
  type WrittenCall,
} from './ledger/ledger.store.js';
export type { DeliveryKind, NewDelivery } from './ledger/new-delivery.js';
export { eventBuilder, type NewEvent } from './ledger/new-event.js';
export { FOLLOWED_STATES, OPEN_STATES, SETTLED_STATES } from './ledger/operation.states.js';
export {
  type NewOperation,
  type Operation,
  type OperationGuard,
  type OperationFields,
  type OperationState,
  recordedFields,
  type ReviewCause,
  type Via,
} from './ledger/operation.js';
export {
  type CandidateQuery,
  type DueClaim,
  type OperationFilter,
  OperationsStore,
  type RecordOptions,
  type RecordResult,
} from './ledger/operations.store.js';
export {
  isPayment,
  moneyLike,
  type NewPayment,
  type Payment,
  type PaymentRecord,
  type PaymentState,
  type Subscriber,
} from './operations/payments/payment.js';
export { isPaymentLink, type PaymentLinkRecord } from './operations/payment-links/payment-link.js';
export { isPayout, type PayoutRecord } from './operations/payouts/payout.js';
export { isRefund, type RefundRecord } from './operations/refunds/refund.js';
export type { OperationForm } from './ledger/operation.form.js';
export {
  formOf,
  payerHashOf,
  type NewOperationRecord,
  type OperationRecord,
} from './operations/operation.forms.js';
export { StoreUnavailableError } from './payments.errors.js';
export { PaymentsStore } from './payments.store.js';
export {
  type Customer,
  type PersonalRecord,
  type PersonIn,
  type RetentionPolicy,
  type RetentionResult,
  RetentionStore,
} from './retention/retention.store.js';
export {
  bodyWithoutCustomer,
  hasOtherRecipients,
  isShared,
  mentionsCustomer,
  withoutCustomer,
} from './retention/shared.rows.js';
export { withoutRecipient, type WithoutRecipient } from './operations/payouts/payout.redaction.js';
export {
  type Backlog,
  type QueueLength,
  type QueueName,
  type RecentChange,
  StatisticsStore,
} from './reconciliation/statistics.store.js';
export {
  type SweepProgress,
  SweepsStore,
  type SweptProgress,
} from './reconciliation/sweeps.store.js';
export type { BareRequest } from './resources/bare-requests.js';
export {
  type SealedToken,
  type TokenHolder,
  TokensStore,
} from './resources/tokens/tokens.store.js';
export type { Transaction } from './resources/transaction.resource.js';
export { HELD_ROW } from './runtime/backoff.js';
export type { Claim, ClaimOutcome } from './runtime/claim.js';
export { type DueWork, DueWorkStore, type WorkAccounts } from './runtime/due-work.store.js';
export {
  type PlannedKind,
  type PlannedWork,
  PlannedWorkStore,
} from './runtime/planned-work.store.js';
export { type Pause, type PauseEntry, PausesStore } from './runtime/pauses.store.js';
export {
  type Measure,
  type Movement,
  QUARTER_MS,
  quarterOf,
  timeOfClass,
  type TotalChange,
} from './totals/total.js';
export { wordsOf } from './values/search-words.js';
export { requireOrder, type Total, TotalsStore, type TotalsQuery } from './totals/totals.store.js';
export type { AccountScope } from './values/account-scope.js';
export { MemoryStore } from './stores/memory/memory.store.js';
export { isSumListed } from './transactions/transaction.filter.js';
export { transactionOfStream, transactionStream } from './tills/observed.changes.js';
export { unownedAmong } from './transactions/unowned-money.js';
export type { UnreadMoney } from './tills/unread-money.js';
export {
  operationIdOf,
  ownerIdOf,
  readPayerOf,
  type TillTransaction,
  type TransactionChange,
  type TransactionRecord,
  type TransactionSum,
} from './transactions/transaction.record.js';
export {
  MOST_FOUND,
  type TransactionFilter,
  TransactionsStore,
  type UntiedQuery,
} from './transactions/transactions.store.js';
export type { FailureReason } from './values/known-failures.js';
export type { Page, PageRequest } from './values/page.js';
export { phoneHash } from './values/phone-number.js';
