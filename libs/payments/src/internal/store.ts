/** An implementation of `PaymentsStore` needs these. Applications do not need them. */
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
  type DeliveryKind,
  type NewDelivery,
} from '../store/deliveries.store.js';
export { PENDING_REDACTED_AFTER_MS, REDACTED_ERROR, withoutPersons } from '../store/redaction.js';
export {
  type DeadLetter,
  type DeadLetterFilter,
  type ReplayedLetter,
  EventsStore,
  type EventSummary,
  type ListenerCall,
  type ListenerCallState,
  type MissingListener,
  type RegisteredListener,
  type StoredEvent,
  type WantedCalls,
} from '../store/events.store.js';
export type { PaymentsEventName, PaymentsEvents } from '../payments.events.js';
export { BareRequestsStore, type BareRequest } from '../store/bare-requests.store.js';
export type { HostDatabase, HostTransaction } from '../store/host-transaction.js';
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
export { eventBuilder, type NewEvent } from '../store/new-event.js';
export {
  FOLLOWED_STATES,
  GUARDED_STATES,
  OPEN_STATES,
  PAID_STATES,
  SETTLED_STATES,
  isInReview,
  isOpen,
  mayChange,
} from '../ledger/operation-states.js';
export { FOR_EVER_MS, isLasting } from '../ledger/operation.kind.js';
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
  REVIEW_CAUSES,
  type ReviewCause,
  type OperationForm,
} from '../store/operation.js';
export { checkDeliveryFilter, checkOperationFilter } from '../ledger/list-filters.js';
export { misspeltVariables, unreadFile } from '../accounts/environment-variables.js';
export { rawTextProblem, storableText } from '../money/values.js';
export { wentBack } from '../money/transaction-sameness.js';
export { waitingReviews } from '../operations/reviews.service.js';
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
export {
  formOf,
  payerHashOf,
  type NewOperationRecord,
  type OperationRecord,
} from '../operations/operation-forms.js';
export { StoreUnavailableError } from '../payments.errors.js';
export { PaymentsStore } from '../payments.store.js';
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
  requireOrder,
  type Total,
  TotalsStore,
  type TotalsQuery,
} from '../store/statistics.store.js';
export {
  type SweepProgress,
  SweepsStore,
  type SweptProgress,
  type DueWork,
  DueWorkStore,
  type WorkAccounts,
  type PlannedKind,
  type PlannedWork,
  PlannedWorkStore,
} from '../store/due-work.store.js';
export { type SealedToken, type TokenHolder, TokensStore } from '../store/tokens.store.js';
export {
  type Transaction,
  operationIdOf,
  ownerIdOf,
  readPayerOf,
  type TillTransaction,
  type TransactionChange,
  type TransactionRecord,
  type TransactionSum,
} from '../money/transaction.js';
export type { Claim, ClaimOutcome, AccountScope } from '../store/claim.js';
export { type Pause, type PauseEntry, PausesStore } from '../store/pauses.store.js';
export {
  type Measure,
  type Movement,
  QUARTER_MS,
  quarterOf,
  timeOfClass,
  type TotalChange,
} from '../money/total.js';
export {
  wordsOf,
  isSumListed,
  MOST_FOUND,
  type TransactionFilter,
  TransactionsStore,
  type UntiedQuery,
  type Page,
  type PageRequest,
} from '../store/transactions.store.js';
export { MemoryStore } from '../memory/memory.store.js';
export { transactionOfStream, transactionStream } from '../tills/observed-changes.js';
export { unownedAmong } from '../ledger/transaction-changes.js';
export type { FailureReason } from '../money/known-failures.js';
export { phoneHash } from '../money/phone-number.js';
export { type BaseWithSource, sourceProblem, type WithSource } from '../runtime/async-options.js';
export { SafeLogger } from '../runtime/logging.js';
