/** The types of what services take and return, for signatures of an application. The root has the services, inputs, events and errors. */
export type { Anomaly, AnomalyExample } from './store/anomalies.store.js';
export type { AnomalyKind } from './store/anomaly-kinds.js';
export type { RouteDecorator } from './door/deliveries.controller.js';
export type { DeliveryFilter, DeliveryRecord, DeliverySummary } from './store/deliveries.store.js';
export type { MissingListener, ReplayedLetter, StoredEvent } from './store/events.store.js';
export type { StoredHistoryEntry } from './store/ledger.store.js';
export type { PaymentsEventBase } from './store/new-event.js';
export type { Via } from './store/operation.js';
export type { ReviewCause } from './store/review-cause.js';
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
export type { PayoutResolution } from './operations/payouts/payout-resolution.js';
export type { PayoutPreview } from './operations/payouts/payouts.service.js';
export type {
  DecidedReviews,
  ReviewsDecision,
  ReviewSelection,
  WaitingReviews,
} from './operations/reviews.service.js';
export type { RefundState } from './operations/refunds/refund.js';
export type { RefundResolution } from './operations/refunds/refund-resolution.js';
export type { RefundedMoney, RefundPreview } from './operations/refunds/refunds.service.js';
export type {
  RefundBase,
  RefundOfPayment,
  RefundOfTransaction,
} from './operations/refunds/request-refund.dto.js';
export type { NotRefundableReason, PlatformAnswer } from './payments.errors.js';
export type { PaymentsModuleExtras } from './payments.module-definition.js';
export type { Pause, PauseEntry } from './store/pauses.store.js';
export type { AccountFilter } from './store/accounts.store.js';
export type { ListedAccount } from './payments-accounts.js';
export type { PaymentsAccountsOptions } from './accounts/added-account.options.js';
export type {
  ApiVersion,
  ApiVersions,
  DeliveryOptions,
  HttpOptions,
  ListenerOptions,
  PayoutLimits,
  PayoutOptions,
  ReconciliationOptions,
  RetentionOptions,
  SendingOptions,
} from './work/payments.settings.js';
export type { ReportLine } from './round/reconciliation.service.js';
export type { Backlog } from './store/statistics.store.js';
export type { Customer } from './platform/resources/customers/customer.resource.js';
export type { ExternalRecipient } from './platform/resources/external-recipients/external-recipient.resource.js';
export type { MerchantBankAccount } from './platform/resources/merchant-bank-accounts/merchant-bank-account.resource.js';
export type { MerchantWallet } from './platform/resources/merchant-wallets/merchant-wallet.resource.js';
export type { MerchantTransaction } from './platform/resources/merchant-transactions/merchant-transaction.resource.js';
export type { Pay } from './platform/resources/pay/pay.resource.js';
export type {
  PaymentLinkDetails,
  PaymentLinkResource,
} from './platform/resources/payment-links/payment-link.resource.js';
export type {
  DaysProgress,
  Person,
  PersonRedaction,
  RedactPerson,
} from './round/personal-data.service.js';
export type { PersonalRecord } from './store/retention.store.js';
export type { CreatedResource } from './platform/platform-client.js';
export type { Polling } from './platform/resources/polling/polling.resource.js';
export type {
  Reversal,
  ReversalBulkPayment,
} from './platform/resources/reversals/reversal.resource.js';
export type {
  SendMoneyBase,
  SendMoneyToDestinations,
  SweepAllFunds,
} from './platform/resources/send-money/create-send-money.dto.js';
export type { SendMoneyDestination } from './platform/resources/send-money/send-money-destination.dto.js';
export type {
  SendMoney,
  SentDestination,
} from './platform/resources/send-money/send-money.resource.js';
export type {
  Settlement,
  SettlementDestination,
  SettlementDisbursement,
} from './platform/resources/settlements/settlement.resource.js';
export type {
  SettlementTransferBase,
  TransferAllFunds,
  TransferAmount,
} from './platform/resources/settlement-transfers/create-settlement-transfer.dto.js';
export type { SettlementTransfer } from './platform/resources/settlement-transfers/settlement-transfer.resource.js';
export type { SmsNotification } from './platform/resources/sms-notifications/sms-notification.resource.js';
export type { TokenInfo, TokenIntrospection } from './platform/tokens/token.resource.js';
export type { NamedTransaction, PaidTransaction, Provenance } from './money/transaction.js';
export type {
  Disbursement,
  ShownDestination,
  Transfer,
  TransferBatch,
} from './platform/transfer-batch.resource.js';
export type { WebhookSubscription } from './platform/resources/webhook-subscriptions/webhook-subscription.resource.js';
export type { SubscriptionScope } from './money/webhook-topics.js';
export type { TillTransaction } from './money/transaction.record.js';
export type { TransactionFilter } from './store/transactions.store.js';
export type { CustomerMessage, KnownFailure, RetryAdvice } from './money/known-failures.js';
export type { MetadataValue } from './money/metadata.js';
export type { PageRequest } from './store/page.js';
