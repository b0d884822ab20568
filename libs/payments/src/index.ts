export type { Anomaly, AnomalyExample } from './anomalies/anomalies.store.js';
export type { AnomalyKind } from './anomalies/anomaly.kinds.js';
export type { RouteDecorator } from './deliveries/deliveries.controller.js';
export { DeliveriesService } from './deliveries/deliveries.service.js';
export type {
  DeliveryFilter,
  DeliveryRecord,
  DeliverySummary,
} from './deliveries/deliveries.store.js';
export { signDelivery } from './deliveries/signature.js';
export { EventsService } from './events/events.service.js';
export type {
  DeadLetter,
  MissingListener,
  ReplayedLetter,
  StoredEvent,
} from './events/events.store.js';
export { OnPaymentEvent, type OnPaymentEventOptions } from './events/on-payment-event.decorator.js';
export type { PaymentsEventName, PaymentsEvents } from './events/payments.events.js';
export { getPaymentsToken, InjectPayments } from './inject-payments.decorator.js';
export type { HostTransaction } from './ledger/host-transaction.js';
export type { StoredHistoryEntry } from './ledger/ledger.store.js';
export type { PaymentsEventBase } from './ledger/new-event.js';
export type { ReviewCause, Via } from './ledger/operation.js';
export type { OperationFilter } from './ledger/operations.store.js';
export type { OperationNote, Resolution } from './ledger/resolution.js';
export type { PaymentLink, PaymentLinkState } from './operations/payment-links/payment-link.js';
export {
  type PaymentLinkPreview,
  PaymentLinksService,
} from './operations/payment-links/payment-links.service.js';
export { RequestPaymentLink } from './operations/payment-links/request-payment-link.dto.js';
export type {
  Payment,
  PaymentFailureReason,
  PaymentState,
  Subscriber,
} from './operations/payments/payment.js';
export { PaymentsService } from './operations/payments/payments.service.js';
export { RequestPayment } from './operations/payments/request-payment.dto.js';
export type {
  DestinationState,
  Payout,
  PayoutDestination,
  PayoutState,
} from './operations/payouts/payout.js';
export type { PayoutResolution } from './operations/payouts/payout.resolution.js';
export { type PayoutPreview, PayoutsService } from './operations/payouts/payouts.service.js';
export type { RequestPayout } from './operations/payouts/request-payout.dto.js';
export type { Refund, RefundState } from './operations/refunds/refund.js';
export {
  type RefundedMoney,
  type RefundPreview,
  type RefundResolution,
  RefundsService,
} from './operations/refunds/refunds.service.js';
export type {
  RefundBase,
  RefundOfPayment,
  RefundOfTransaction,
  RequestRefund,
} from './operations/refunds/request-refund.dto.js';
export {
  CircuitOpenError,
  type FieldProblem,
  IdempotencyConflictError,
  NotRefundableError,
  type NotRefundableReason,
  OperationNotCancellableError,
  OperationNotFoundError,
  OperationNotResolvableError,
  OperationOutcomeUnknownError,
  PaymentInFlightError,
  PaymentsConfigurationError,
  PaymentsError,
  type PaymentsErrorCode,
  PaymentsValidationError,
  PayoutInFlightError,
  PayoutLimitError,
  PayoutNotApprovableError,
  type PlatformAnswer,
  PlatformAnswerTooLargeError,
  PlatformError,
  PlatformRateLimitedError,
  PlatformRedirectError,
  PlatformRejectedError,
  PlatformResponseError,
  PlatformTimeoutError,
  PlatformUnauthorizedError,
  PlatformUnavailableError,
  PlatformUnreachableError,
  SettleTimeoutError,
  StoreUnavailableError,
  UnknownOutcomeError,
} from './payments.errors.js';
export type { PaymentsModuleExtras } from './payments.module-definition.js';
export { PauseDecision } from './pause-decision.dto.js';
export { TillRelease } from './till-release.dto.js';
export type { Pause, PauseEntry } from './runtime/pauses.store.js';
export { PaymentsModule } from './payments.module.js';
export { PaymentsAccount } from './payments.account.js';
export type { AccountFilter } from './accounts/accounts.store.js';
export { type ListedAccount, PaymentsAccounts } from './payments.accounts.js';
export {
  AccountNotFoundError,
  AccountRemovedError,
  AccountUnavailableError,
  SendingPausedError,
} from './payments.account-errors.js';
export type {
  AddedAccountOptions,
  LoadedAccountOptions,
  PaymentsAccountsOptions,
} from './added-accounts/added-account.options.js';
export {
  type PaymentsAccountsModuleOptions,
  PaymentsAccountsSource,
} from './added-accounts/payments-accounts.source.js';
export type { PaymentsOptions } from './payments.options.js';
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
} from './payments.settings.js';
export { PaymentsStore } from './payments.store.js';
export { PAYMENTS_VERSION } from './payments.version.js';
export {
  ReconciliationService,
  type ReconciliationReport,
  type ReportLine,
} from './reconciliation/reconciliation.service.js';
export type { Backlog } from './reconciliation/statistics.store.js';
export { SweepsService } from './reconciliation/sweeps.service.js';
export { AmountDto } from './resources/amount.dto.js';
export type { Customer } from './resources/customers/customer.resource.js';
export {
  BankAccountRecipient,
  type CreateExternalRecipientDto,
  MobileWalletRecipient,
  PaybillRecipient,
  TillRecipient,
} from './resources/external-recipients/create-external-recipient.dto.js';
export type { ExternalRecipient } from './resources/external-recipients/external-recipient.resource.js';
export { ExternalRecipientsService } from './resources/external-recipients/external-recipients.service.js';
export {
  CreateIncomingPaymentDto,
  SubscriberDto,
} from './resources/incoming-payments/create-incoming-payment.dto.js';
export type { IncomingPayment } from './resources/incoming-payments/incoming-payment.resource.js';
export { IncomingPaymentsService } from './resources/incoming-payments/incoming-payments.service.js';
export { CreateMerchantBankAccountDto } from './resources/merchant-bank-accounts/create-merchant-bank-account.dto.js';
export type { MerchantBankAccount } from './resources/merchant-bank-accounts/merchant-bank-account.resource.js';
export { MerchantBankAccountsService } from './resources/merchant-bank-accounts/merchant-bank-accounts.service.js';
export { CreateMerchantWalletDto } from './resources/merchant-wallets/create-merchant-wallet.dto.js';
export type { MerchantWallet } from './resources/merchant-wallets/merchant-wallet.resource.js';
export { MerchantWalletsService } from './resources/merchant-wallets/merchant-wallets.service.js';
export type { MerchantTransaction } from './resources/merchant-transactions/merchant-transaction.resource.js';
export { CreatePayDto } from './resources/pay/create-pay.dto.js';
export type { Pay } from './resources/pay/pay.resource.js';
export { PayService } from './resources/pay/pay.service.js';
export { BarePaymentLinksService } from './resources/payment-links/bare-payment-links.service.js';
export { CreatePaymentLinkDto } from './resources/payment-links/create-payment-link.dto.js';
export type {
  PaymentLinkDetails,
  PaymentLinkResource,
} from './resources/payment-links/payment-link.resource.js';
export {
  type DaysProgress,
  type Person,
  PersonalDataService,
  type PersonRedaction,
  type RedactPerson,
} from './retention/personal-data.service.js';
export type { PersonalRecord } from './retention/retention.store.js';
export type { CreatedResource } from './resources/platform.client.js';
export { CreatePollingDto } from './resources/polling/create-polling.dto.js';
export type { Polling } from './resources/polling/polling.resource.js';
export { PollingService } from './resources/polling/polling.service.js';
export { CreateReversalDto } from './resources/reversals/create-reversal.dto.js';
export type { Reversal, ReversalBulkPayment } from './resources/reversals/reversal.resource.js';
export { ReversalsService } from './resources/reversals/reversals.service.js';
export type {
  CreateSendMoneyDto,
  SendMoneyBase,
  SendMoneyToDestinations,
  SweepAllFunds,
} from './resources/send-money/create-send-money.dto.js';
export {
  BankAccountDestination,
  MerchantBankAccountDestination,
  MerchantWalletDestination,
  MobileWalletDestination,
  PaybillDestination,
  type SendMoneyDestination,
  TillDestination,
} from './resources/send-money/send-money-destination.dto.js';
export type { SendMoney, SentDestination } from './resources/send-money/send-money.resource.js';
export { SendMoneyService } from './resources/send-money/send-money.service.js';
export type {
  Settlement,
  SettlementDestination,
  SettlementDisbursement,
} from './resources/settlements/settlement.resource.js';
export type {
  CreateSettlementTransferDto,
  SettlementTransferBase,
  TransferAllFunds,
  TransferAmount,
} from './resources/settlement-transfers/create-settlement-transfer.dto.js';
export type { SettlementTransfer } from './resources/settlement-transfers/settlement-transfer.resource.js';
export { SettlementTransfersService } from './resources/settlement-transfers/settlement-transfers.service.js';
export { CreateSmsNotificationDto } from './resources/sms-notifications/create-sms-notification.dto.js';
export type { SmsNotification } from './resources/sms-notifications/sms-notification.resource.js';
export { SmsNotificationsService } from './resources/sms-notifications/sms-notifications.service.js';
export type { TokenInfo, TokenIntrospection } from './resources/tokens/token.resource.js';
export { TokensService } from './resources/tokens/tokens.service.js';
export type {
  NamedTransaction,
  PaidTransaction,
  Provenance,
  Transaction,
} from './resources/transaction.resource.js';
export type {
  Disbursement,
  ShownDestination,
  Transfer,
  TransferBatch,
} from './resources/transfer-batch.resource.js';
export { CreateWebhookSubscriptionDto } from './resources/webhook-subscriptions/create-webhook-subscription.dto.js';
export type { WebhookSubscription } from './resources/webhook-subscriptions/webhook-subscription.resource.js';
export { WebhookSubscriptionsService } from './resources/webhook-subscriptions/webhook-subscriptions.service.js';
export {
  WEBHOOK_TOPICS,
  type SubscriptionScope,
  type WebhookTopic,
} from './resources/webhook-topics.js';
export { MemoryStore } from './stores/memory/memory.store.js';
export type { TillTransaction } from './transactions/transaction.record.js';
export type { TransactionFilter } from './transactions/transactions.store.js';
export {
  type CustomerMessage,
  type FailureExplanation,
  type FailureReason,
  KNOWN_FAILURES,
  type KnownFailure,
  type RetryAdvice,
} from './values/known-failures.js';
export type { Metadata, MetadataValue } from './values/metadata.js';
export type { Amount } from './values/money.js';
export type { Page, PageRequest } from './values/page.js';
