/** The types of what services take and return, for signatures of an application. The root has the services, inputs, events and errors. */
export type { Anomaly, AnomalyExample, AnomalyKind } from './store/anomalies.store.js';
export type { DeliveryFilter, DeliveryRecord, DeliverySummary } from './store/deliveries.store.js';
export type {
  DeadLetter,
  MissingListener,
  ReplayedLetter,
  StoredEvent,
} from './store/events.store.js';
export type { StoredHistoryEntry } from './store/ledger.store.js';
export type { PaymentsEventBase } from './store/new-event.js';
export type { OperationFacts, Via, ReviewCause } from './store/operation.js';
export type { OperationFilter, OperationInTheWay } from './store/operations.store.js';
export type { OperationNote, Resolution } from './ledger/resolution.js';
export type { PaymentLinkState } from './operations/payment-links/payment-link.js';
export type { PaymentLinkPreview } from './operations/payment-links/payment-links.service.js';
export type {
  PaymentFailureReason,
  PaymentState,
  Subscriber,
} from './operations/payments/payment.js';
export type {
  DestinationState,
  PayoutDestination,
  PayoutState,
} from './operations/payouts/payout.js';
export type { PayoutResolution } from './operations/payouts/payout-decision.js';
export type { PayoutPreview } from './operations/payouts/payouts.service.js';
export type {
  DecidedReviews,
  ReviewsDecision,
  ReviewSelection,
  WaitingReviews,
} from './operations/reviews.service.js';
export type {
  RefundState,
  RefundBase,
  RefundOfPayment,
  RefundOfTransaction,
} from './operations/refunds/refund.js';
export type { RefundResolution } from './operations/refunds/refund.kind.js';
export type { RefundedMoney, RefundPreview } from './operations/refunds/refunds.service.js';
export type { NotRefundableReason } from './operation.errors.js';
export type { PlatformAnswer } from './platform.errors.js';
export type {
  AccountOptions,
  PaymentsModuleExtras,
  RouteDecorator,
  PaymentsAccountsOptions,
} from './accounts/account.options.js';
export type { Pause, PauseEntry } from './store/pauses.store.js';
export type { AccountFilter } from './store/accounts.store.js';
export type { ListedAccount } from './payments-accounts.js';
export type {
  ApiVersion,
  ApiVersions,
  DeliveryOptions,
  HttpOptions,
  TlsOptions,
  ListenerOptions,
  PayoutLimits,
  PayoutOptions,
  ReconciliationOptions,
  RetentionOptions,
  SendingOptions,
} from './accounts/payments.settings.js';
export type { ReportLine } from './round/reconciliation.service.js';
export type { Backlog } from './store/statistics.store.js';
export type { Page } from './store/transactions.store.js';
export type { FailureExplanation, FailureReason } from './money/known-failures.js';
export type { PaymentsAccountsModuleOptions } from './accounts/added-accounts.js';
export type { Customer } from './platform/resources/customer.resource.js';
export type { ExternalRecipient } from './platform/resources/external-recipients.service.js';
export type { MerchantBankAccount } from './platform/resources/merchant-bank-accounts.service.js';
export type { MerchantWallet } from './platform/resources/merchant-wallets.service.js';
export type { MerchantTransaction } from './platform/resources/merchant-transaction.resource.js';
export type { Pay } from './platform/resources/pay.service.js';
export type {
  PaymentLinkDetails,
  PaymentLinkResource,
} from './platform/resources/bare-payment-links.service.js';
export type { DaysProgress, Person, PersonRedaction, RedactPerson } from './round/retention.js';
export type { PersonalRecord } from './store/retention.store.js';
export type { CreatedResource } from './platform/platform-client.js';
export type { Polling } from './platform/resources/polling.service.js';
export type { Reversal, ReversalBulkPayment } from './platform/resources/reversals.service.js';
export type {
  SendMoneyBase,
  SendMoneyToDestinations,
  SweepAllFunds,
  SendMoneyDestination,
} from './platform/resources/create-send-money.dto.js';
export type { SendMoney, SentDestination } from './platform/resources/send-money.service.js';
export type {
  Settlement,
  SettlementDestination,
  SettlementDisbursement,
} from './platform/resources/settlement.resource.js';
export type {
  SettlementTransferBase,
  TransferAllFunds,
  TransferAmount,
  SettlementTransfer,
} from './platform/resources/settlement-transfers.service.js';
export type { SmsNotification } from './platform/resources/sms-notifications.service.js';
export type { TokenInfo, TokenIntrospection } from './platform/tokens/token-vault.js';
export type {
  NamedTransaction,
  PaidTransaction,
  Provenance,
  TillTransaction,
} from './money/transaction.js';
export type {
  Disbursement,
  ShownDestination,
  Transfer,
  TransferBatch,
} from './platform/transfer-batch.resource.js';
export type { WebhookSubscription } from './platform/resources/webhook-subscriptions.service.js';
export type { SubscriptionScope } from './money/webhook-topics.js';
export type { TransactionFilter, PageRequest } from './store/transactions.store.js';
export type { CustomerMessage, KnownFailure, RetryAdvice } from './money/known-failures.js';
export type { MetadataValue } from './money/values.js';
export type { HostDatabase } from './store/host-transaction.js';
