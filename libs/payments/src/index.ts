export type { Anomaly, AnomalyExample } from './store/anomalies.store.js';
export type { AnomalyKind } from './store/anomaly.kinds.js';
export type { RouteDecorator } from './door/deliveries.controller.js';
export { DeliveriesService } from './inbox/deliveries.service.js';
export type { DeliveryFilter, DeliveryRecord, DeliverySummary } from './store/deliveries.store.js';
export { signDelivery } from './door/signature.js';
export { EventsService } from './listeners/events.service.js';
export type {
  DeadLetter,
  MissingListener,
  ReplayedLetter,
  StoredEvent,
} from './store/events.store.js';
export {
  OnPaymentEvent,
  type OnPaymentEventOptions,
} from './listeners/on-payment-event.decorator.js';
export type { PaymentsEventName, PaymentsEvents } from './store/payments.events.js';
export { getPaymentsToken, InjectPayments } from './inject-payments.decorator.js';
export type { HostTransaction } from './store/host-transaction.js';
export type { StoredHistoryEntry } from './store/ledger.store.js';
export type { PaymentsEventBase } from './store/new-event.js';
export type { ReviewCause, Via } from './store/operation.js';
export type { OperationFilter } from './store/operations.store.js';
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
export { PauseDecision } from './accounts/pause-decision.dto.js';
export { TillRelease } from './accounts/till-release.dto.js';
export type { Pause, PauseEntry } from './store/pauses.store.js';
export { PaymentsModule } from './payments.module.js';
export { PaymentsAccount } from './payments.account.js';
export type { AccountFilter } from './store/accounts.store.js';
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
} from './accounts/added-account.options.js';
export {
  type PaymentsAccountsModuleOptions,
  PaymentsAccountsSource,
} from './accounts/payments-accounts.source.js';
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
} from './work/payments.settings.js';
export { PaymentsStore } from './store/payments.store.js';
export { PAYMENTS_VERSION } from './payments.version.js';
export {
  ReconciliationService,
  type ReconciliationReport,
  type ReportLine,
} from './round/reconciliation.service.js';
export type { Backlog } from './store/statistics.store.js';
export { SweepsService } from './round/sweeps.service.js';
export { AmountDto } from './platform/amount.dto.js';
export type { Customer } from './platform/resources/customers/customer.resource.js';
export {
  BankAccountRecipient,
  type CreateExternalRecipientDto,
  MobileWalletRecipient,
  PaybillRecipient,
  TillRecipient,
} from './platform/resources/external-recipients/create-external-recipient.dto.js';
export type { ExternalRecipient } from './platform/resources/external-recipients/external-recipient.resource.js';
export { ExternalRecipientsService } from './platform/resources/external-recipients/external-recipients.service.js';
export {
  CreateIncomingPaymentDto,
  SubscriberDto,
} from './platform/resources/incoming-payments/create-incoming-payment.dto.js';
export type { IncomingPayment } from './platform/resources/incoming-payments/incoming-payment.resource.js';
export { IncomingPaymentsService } from './platform/resources/incoming-payments/incoming-payments.service.js';
export { CreateMerchantBankAccountDto } from './platform/resources/merchant-bank-accounts/create-merchant-bank-account.dto.js';
export type { MerchantBankAccount } from './platform/resources/merchant-bank-accounts/merchant-bank-account.resource.js';
export { MerchantBankAccountsService } from './platform/resources/merchant-bank-accounts/merchant-bank-accounts.service.js';
export { CreateMerchantWalletDto } from './platform/resources/merchant-wallets/create-merchant-wallet.dto.js';
export type { MerchantWallet } from './platform/resources/merchant-wallets/merchant-wallet.resource.js';
export { MerchantWalletsService } from './platform/resources/merchant-wallets/merchant-wallets.service.js';
export type { MerchantTransaction } from './platform/resources/merchant-transactions/merchant-transaction.resource.js';
export { CreatePayDto } from './platform/resources/pay/create-pay.dto.js';
export type { Pay } from './platform/resources/pay/pay.resource.js';
export { PayService } from './platform/resources/pay/pay.service.js';
export { BarePaymentLinksService } from './platform/resources/payment-links/bare-payment-links.service.js';
export { CreatePaymentLinkDto } from './platform/resources/payment-links/create-payment-link.dto.js';
export type {
  PaymentLinkDetails,
  PaymentLinkResource,
} from './platform/resources/payment-links/payment-link.resource.js';
export {
  type DaysProgress,
  type Person,
  PersonalDataService,
  type PersonRedaction,
  type RedactPerson,
} from './round/personal-data.service.js';
export type { PersonalRecord } from './store/retention.store.js';
export type { CreatedResource } from './platform/platform.client.js';
export { CreatePollingDto } from './platform/resources/polling/create-polling.dto.js';
export type { Polling } from './platform/resources/polling/polling.resource.js';
export { PollingService } from './platform/resources/polling/polling.service.js';
export { CreateReversalDto } from './platform/resources/reversals/create-reversal.dto.js';
export type {
  Reversal,
  ReversalBulkPayment,
} from './platform/resources/reversals/reversal.resource.js';
export { ReversalsService } from './platform/resources/reversals/reversals.service.js';
export type {
  CreateSendMoneyDto,
  SendMoneyBase,
  SendMoneyToDestinations,
  SweepAllFunds,
} from './platform/resources/send-money/create-send-money.dto.js';
export {
  BankAccountDestination,
  MerchantBankAccountDestination,
  MerchantWalletDestination,
  MobileWalletDestination,
  PaybillDestination,
  type SendMoneyDestination,
  TillDestination,
} from './platform/resources/send-money/send-money-destination.dto.js';
export type {
  SendMoney,
  SentDestination,
} from './platform/resources/send-money/send-money.resource.js';
export { SendMoneyService } from './platform/resources/send-money/send-money.service.js';
export type {
  Settlement,
  SettlementDestination,
  SettlementDisbursement,
} from './platform/resources/settlements/settlement.resource.js';
export type {
  CreateSettlementTransferDto,
  SettlementTransferBase,
  TransferAllFunds,
  TransferAmount,
} from './platform/resources/settlement-transfers/create-settlement-transfer.dto.js';
export type { SettlementTransfer } from './platform/resources/settlement-transfers/settlement-transfer.resource.js';
export { SettlementTransfersService } from './platform/resources/settlement-transfers/settlement-transfers.service.js';
export { CreateSmsNotificationDto } from './platform/resources/sms-notifications/create-sms-notification.dto.js';
export type { SmsNotification } from './platform/resources/sms-notifications/sms-notification.resource.js';
export { SmsNotificationsService } from './platform/resources/sms-notifications/sms-notifications.service.js';
export type { TokenInfo, TokenIntrospection } from './platform/tokens/token.resource.js';
export { TokensService } from './platform/tokens/tokens.service.js';
export type {
  NamedTransaction,
  PaidTransaction,
  Provenance,
  Transaction,
} from './money/transaction.js';
export type {
  Disbursement,
  ShownDestination,
  Transfer,
  TransferBatch,
} from './platform/transfer-batch.resource.js';
export { CreateWebhookSubscriptionDto } from './platform/resources/webhook-subscriptions/create-webhook-subscription.dto.js';
export type { WebhookSubscription } from './platform/resources/webhook-subscriptions/webhook-subscription.resource.js';
export { WebhookSubscriptionsService } from './platform/resources/webhook-subscriptions/webhook-subscriptions.service.js';
export {
  WEBHOOK_TOPICS,
  type SubscriptionScope,
  type WebhookTopic,
} from './money/webhook-topics.js';
export { MemoryStore } from './store/memory/memory.store.js';
export type { TillTransaction } from './money/transaction.record.js';
export type { TransactionFilter } from './store/transactions.store.js';
export {
  type CustomerMessage,
  type FailureExplanation,
  type FailureReason,
  KNOWN_FAILURES,
  type KnownFailure,
  type RetryAdvice,
} from './money/known-failures.js';
export type { Metadata, MetadataValue } from './money/metadata.js';
export type { Amount } from './money/money.js';
export type { Page, PageRequest } from './store/page.js';
