/** What an implementation of `PaymentsStore` needs. Applications do not need it. */
export {
  type AccountAttention,
  type AccountClaim,
  type AccountConflict,
  type AccountFilter,
  AccountsStore,
  MOST_COUNTED,
} from '../store/accounts.store.js';
export {
  anomalyKind,
  type AnomalyKind,
  type AnomalySubject,
  anomalySubject,
} from '../store/anomaly-kinds.js';
export {
  AnomaliesStore,
  type Anomaly,
  type AnomalyExample,
  keptExample,
  MOST_EXAMPLES,
} from '../store/anomalies.store.js';
export {
  type ClaimedDelivery,
  DeliveriesStore,
  type DeliveryFilter,
  type DeliveryRecord,
  type DeliveryState,
  type DeliverySummary,
  type StoredDelivery,
} from '../store/deliveries.store.js';
export {
  PENDING_REDACTED_AFTER_MS,
  REDACTED_ERROR,
  withoutPersons,
} from '../store/event-payload-redaction.js';
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
} from '../store/events.store.js';
export type { PaymentsEventName, PaymentsEvents } from '../store/payments.events.js';
export { BareRequestsStore } from '../store/bare-requests.store.js';
export type { HostTransaction } from '../store/host-transaction.js';
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
} from '../store/ledger.store.js';
export type { DeliveryKind, NewDelivery } from '../store/new-delivery.js';
export { eventBuilder, type NewEvent } from '../store/new-event.js';
export {
  FOLLOWED_STATES,
  GUARDED_STATES,
  OPEN_STATES,
  PAID_STATES,
  SETTLED_STATES,
} from '../ledger/operation-states.js';
export { FOR_EVER_MS, isLasting } from '../ledger/operation.guard.js';
export {
  type AskedAgain,
  type NewOperation,
  type Operation,
  type GuardKey,
  type OperationGuard,
  type OperationFields,
  type OperationState,
  recordedFields,
  type SendingMark,
  type Via,
} from '../store/operation.js';
export { REVIEW_CAUSES, type ReviewCause } from '../store/review-cause.js';
export { checkDeliveryFilter, checkOperationFilter } from '../store/list-filters.js';
export { isInReview, isOpen, mayChange } from '../ledger/operation-states.js';
export { storableText } from '../money/storable-text.js';
export { wentBack } from '../money/transaction-reports.js';
export { waitingReviews } from '../operations/reviews.service.js';
export {
  type CandidateQuery,
  type DueClaim,
  MOST_IN_THE_WAY,
  type OperationFilter,
  type OperationInTheWay,
  OperationsStore,
  type RecordOptions,
  type RecordResult,
  type RefusedByGuard,
  type RefusedRecord,
  type UnmatchedQuery,
} from '../store/operations.store.js';
export {
  isPayment,
  moneyLike,
  type NewPayment,
  type Payment,
  type PaymentRecord,
  type PaymentState,
  type Subscriber,
} from '../operations/payments/payment.js';
export { isPaymentLink, type PaymentLinkRecord } from '../operations/payment-links/payment-link.js';
export { isPayout, type PayoutRecord } from '../operations/payouts/payout.js';
export { isRefund, type RefundRecord } from '../operations/refunds/refund.js';
export type { OperationForm } from '../store/operation.form.js';
export {
  formOf,
  payerHashOf,
  type NewOperationRecord,
  type OperationRecord,
} from '../store/operation-forms.js';
export { StoreUnavailableError } from '../payments.errors.js';
export { PaymentsStore } from '../store/payments.store.js';
export {
  type Customer,
  type PersonalRecord,
  type PersonIn,
  type RetentionPolicy,
  type RetentionResult,
  idsOf,
  RetentionStore,
  spellingsOf,
} from '../store/retention.store.js';
export {
  bodyWithoutCustomer,
  hasOtherRecipients,
  isShared,
  mentionsCustomer,
  withoutCustomer,
} from '../store/shared-rows.js';
export { withoutRecipient, type WithoutRecipient } from '../operations/payouts/payout-redaction.js';
export {
  type Backlog,
  type QueueLength,
  type QueueName,
  type RecentChange,
  StatisticsStore,
} from '../store/statistics.store.js';
export { type SweepProgress, SweepsStore, type SweptProgress } from '../store/sweeps.store.js';
export type { BareRequest } from '../store/bare-requests.store.js';
export { type SealedToken, type TokenHolder, TokensStore } from '../store/tokens.store.js';
export type { Transaction } from '../money/transaction.js';
export { HELD_ROW } from '../work/backoff.js';
export type { Claim, ClaimOutcome } from '../work/claim.js';
export { type DueWork, DueWorkStore, type WorkAccounts } from '../store/due-work.store.js';
export {
  type PlannedKind,
  type PlannedWork,
  PlannedWorkStore,
} from '../store/planned-work.store.js';
export { type Pause, type PauseEntry, PausesStore } from '../store/pauses.store.js';
export {
  type Measure,
  type Movement,
  QUARTER_MS,
  quarterOf,
  timeOfClass,
  type TotalChange,
} from '../money/total.js';
export { wordsOf } from '../store/search-words.js';
export { requireOrder, type Total, TotalsStore, type TotalsQuery } from '../store/totals.store.js';
export type { AccountScope } from '../work/account-scope.js';
export { MemoryStore } from '../store/memory/memory.store.js';
export { isSumListed } from '../store/transaction.filter.js';
export { transactionOfStream, transactionStream } from '../tills/observed-changes.js';
export { unownedAmong } from '../ledger/unowned-money.js';
export {
  operationIdOf,
  ownerIdOf,
  readPayerOf,
  type TillTransaction,
  type TransactionChange,
  type TransactionRecord,
  type TransactionSum,
} from '../money/transaction.record.js';
export {
  MOST_FOUND,
  type TransactionFilter,
  TransactionsStore,
  type UntiedQuery,
} from '../store/transactions.store.js';
export type { FailureReason } from '../money/known-failures.js';
export type { Page, PageRequest } from '../store/page.js';
export { phoneHash } from '../money/phone-number.js';
export { SafeLogger } from '../work/safe-logger.js';
