export { DeliveriesService } from './inbox/deliveries.service.js';
export { signDelivery } from './door/signature.js';
export { EventsService } from './listeners/events.service.js';
export {
  OnPaymentEvent,
  type OnPaymentEventOptions,
} from './listeners/on-payment-event.decorator.js';
export type { PaymentsEventName, PaymentsEvents } from './payments.events.js';
export { getPaymentsToken, InjectPayments, PaymentsAccount } from './payments-account.js';
export type { HostTransaction } from './store/host-transaction.js';
export { type PaymentLink, RequestPaymentLink } from './operations/payment-links/payment-link.js';
export { PaymentLinksService } from './operations/payment-links/payment-links.service.js';
export { type Payment, RequestPayment } from './operations/payments/payment.js';
export { PaymentsService } from './operations/payments/payments.service.js';
export type { Payout, RequestPayout } from './operations/payouts/payout.js';
export { PayoutsService } from './operations/payouts/payouts.service.js';
export { ReviewsService } from './operations/reviews.service.js';
export type { Refund, RequestRefund } from './operations/refunds/refund.js';
export { RefundsService } from './operations/refunds/refunds.service.js';
export {
  AlreadyPaidError,
  IdempotencyConflictError,
  NotRefundableError,
  OperationNotCancellableError,
  OperationNotFoundError,
  OperationNotResolvableError,
  OperationInTheWayError,
  PaymentInFlightError,
  PayoutInFlightError,
  PayoutLimitError,
  PayoutNotApprovableError,
  SettleTimeoutError,
} from './operation.errors.js';
export {
  CircuitOpenError,
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
  InterceptedRequestError,
  UnknownOutcomeError,
} from './platform.errors.js';
export {
  type FieldProblem,
  OperationOutcomeUnknownError,
  PaymentsConfigurationError,
  PaymentsError,
  type PaymentsErrorCode,
  PaymentsValidationError,
  StoreUnavailableError,
} from './payments.errors.js';
export { PauseDecision, TillRelease } from './accounts/account-decisions.dto.js';
export { PaymentsModule } from './payments.module.js';
export { PaymentsAccounts } from './payments-accounts.js';
export {
  AccountNotFoundError,
  AccountRemovedError,
  AccountUnavailableError,
  SendingPausedError,
} from './account.errors.js';
export type { AddedAccountOptions, LoadedAccountOptions } from './accounts/account.options.js';
export { PaymentsAccountsSource } from './accounts/added-accounts.js';
export type { PaymentsOptions } from './payments.options.js';
export { PaymentsStore } from './payments.store.js';
export { PAYMENTS_VERSION } from './payments-version.js';
export {
  ReconciliationService,
  type ReconciliationReport,
} from './round/reconciliation.service.js';
export { SweepsService } from './round/sweeps.service.js';
export { AmountDto } from './platform/input.dto.js';
export {
  BankAccountRecipient,
  type CreateExternalRecipientDto,
  MobileWalletRecipient,
  PaybillRecipient,
  TillRecipient,
  ExternalRecipientsService,
} from './platform/resources/external-recipients.service.js';
export {
  CreateIncomingPaymentDto,
  SubscriberDto,
  IncomingPaymentsService,
  type IncomingPayment,
} from './platform/resources/incoming-payments.service.js';
export {
  CreateMerchantBankAccountDto,
  MerchantBankAccountsService,
} from './platform/resources/merchant-bank-accounts.service.js';
export {
  CreateMerchantWalletDto,
  MerchantWalletsService,
} from './platform/resources/merchant-wallets.service.js';
export { CreatePayDto, PayService } from './platform/resources/pay.service.js';
export {
  BarePaymentLinksService,
  CreatePaymentLinkDto,
} from './platform/resources/bare-payment-links.service.js';
export { PersonalDataService } from './round/retention.js';
export { CreatePollingDto, PollingService } from './platform/resources/polling.service.js';
export { CreateReversalDto, ReversalsService } from './platform/resources/reversals.service.js';
export {
  type CreateSendMoneyDto,
  BankAccountDestination,
  MerchantBankAccountDestination,
  MerchantWalletDestination,
  MobileWalletDestination,
  PaybillDestination,
  TillDestination,
} from './platform/resources/create-send-money.dto.js';
export { SendMoneyService } from './platform/resources/send-money.service.js';
export {
  type CreateSettlementTransferDto,
  SettlementTransfersService,
} from './platform/resources/settlement-transfers.service.js';
export {
  CreateSmsNotificationDto,
  SmsNotificationsService,
} from './platform/resources/sms-notifications.service.js';
export { PaymentsHttpService } from './platform/http/payments-http.service.js';
export { TokensService } from './platform/tokens/tokens.service.js';
export type { Transaction } from './money/transaction.js';
export {
  CreateWebhookSubscriptionDto,
  WebhookSubscriptionsService,
} from './platform/resources/webhook-subscriptions.service.js';
export { WEBHOOK_TOPICS, type WebhookTopic } from './money/webhook-topics.js';
export { MemoryStore } from './memory/memory.store.js';
export { KNOWN_FAILURES } from './money/known-failures.js';
export type { Metadata } from './money/values.js';
export type { Amount } from './money/money.js';
