export { DeliveriesService } from './inbox/deliveries.service.js';
export { signDelivery } from './door/signature.js';
export { EventsService } from './listeners/events.service.js';
export type { DeadLetter } from './store/events.store.js';
export {
  OnPaymentEvent,
  type OnPaymentEventOptions,
} from './listeners/on-payment-event.decorator.js';
export type { PaymentsEventName, PaymentsEvents } from './store/payments.events.js';
export { getPaymentsToken, InjectPayments } from './inject-payments.decorator.js';
export type { HostTransaction } from './store/host-transaction.js';
export type { PaymentLink } from './operations/payment-links/payment-link.js';
export { PaymentLinksService } from './operations/payment-links/payment-links.service.js';
export { RequestPaymentLink } from './operations/payment-links/request-payment-link.dto.js';
export type { Payment } from './operations/payments/payment.js';
export { PaymentsService } from './operations/payments/payments.service.js';
export { RequestPayment } from './operations/payments/request-payment.dto.js';
export type { Payout } from './operations/payouts/payout.js';
export { PayoutsService } from './operations/payouts/payouts.service.js';
export type { RequestPayout } from './operations/payouts/request-payout.dto.js';
export { ReviewsService } from './operations/reviews.service.js';
export type { Refund } from './operations/refunds/refund.js';
export { RefundsService } from './operations/refunds/refunds.service.js';
export type { RequestRefund } from './operations/refunds/request-refund.dto.js';
export {
  AlreadyPaidError,
  CircuitOpenError,
  type FieldProblem,
  IdempotencyConflictError,
  NotRefundableError,
  OperationNotCancellableError,
  OperationNotFoundError,
  OperationNotResolvableError,
  OperationOutcomeUnknownError,
  OperationInTheWayError,
  PaymentInFlightError,
  PaymentsConfigurationError,
  PaymentsError,
  type PaymentsErrorCode,
  PaymentsValidationError,
  PayoutInFlightError,
  PayoutLimitError,
  PayoutNotApprovableError,
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
export { PauseDecision } from './accounts/pause-decision.dto.js';
export { TillRelease } from './accounts/till-release.dto.js';
export { PaymentsModule } from './payments.module.js';
export { PaymentsAccount } from './payments-account.js';
export { PaymentsAccounts } from './payments-accounts.js';
export {
  AccountNotFoundError,
  AccountRemovedError,
  AccountUnavailableError,
  SendingPausedError,
} from './payments-account-errors.js';
export type {
  AddedAccountOptions,
  LoadedAccountOptions,
} from './accounts/added-account.options.js';
export {
  type PaymentsAccountsModuleOptions,
  PaymentsAccountsSource,
} from './accounts/payments-accounts-source.js';
export type { PaymentsOptions } from './payments.options.js';
export { PaymentsStore } from './store/payments.store.js';
export { PAYMENTS_VERSION } from './payments-version.js';
export {
  ReconciliationService,
  type ReconciliationReport,
} from './round/reconciliation.service.js';
export { SweepsService } from './round/sweeps.service.js';
export { AmountDto } from './platform/amount.dto.js';
export {
  BankAccountRecipient,
  type CreateExternalRecipientDto,
  MobileWalletRecipient,
  PaybillRecipient,
  TillRecipient,
} from './platform/resources/external-recipients/create-external-recipient.dto.js';
export { ExternalRecipientsService } from './platform/resources/external-recipients/external-recipients.service.js';
export {
  CreateIncomingPaymentDto,
  SubscriberDto,
} from './platform/resources/incoming-payments/create-incoming-payment.dto.js';
export type { IncomingPayment } from './platform/resources/incoming-payments/incoming-payment.resource.js';
export { IncomingPaymentsService } from './platform/resources/incoming-payments/incoming-payments.service.js';
export { CreateMerchantBankAccountDto } from './platform/resources/merchant-bank-accounts/create-merchant-bank-account.dto.js';
export { MerchantBankAccountsService } from './platform/resources/merchant-bank-accounts/merchant-bank-accounts.service.js';
export { CreateMerchantWalletDto } from './platform/resources/merchant-wallets/create-merchant-wallet.dto.js';
export { MerchantWalletsService } from './platform/resources/merchant-wallets/merchant-wallets.service.js';
export { CreatePayDto } from './platform/resources/pay/create-pay.dto.js';
export { PayService } from './platform/resources/pay/pay.service.js';
export { BarePaymentLinksService } from './platform/resources/payment-links/bare-payment-links.service.js';
export { CreatePaymentLinkDto } from './platform/resources/payment-links/create-payment-link.dto.js';
export { PersonalDataService } from './round/personal-data.service.js';
export { CreatePollingDto } from './platform/resources/polling/create-polling.dto.js';
export { PollingService } from './platform/resources/polling/polling.service.js';
export { CreateReversalDto } from './platform/resources/reversals/create-reversal.dto.js';
export { ReversalsService } from './platform/resources/reversals/reversals.service.js';
export type { CreateSendMoneyDto } from './platform/resources/send-money/create-send-money.dto.js';
export {
  BankAccountDestination,
  MerchantBankAccountDestination,
  MerchantWalletDestination,
  MobileWalletDestination,
  PaybillDestination,
  TillDestination,
} from './platform/resources/send-money/send-money-destination.dto.js';
export { SendMoneyService } from './platform/resources/send-money/send-money.service.js';
export type { CreateSettlementTransferDto } from './platform/resources/settlement-transfers/create-settlement-transfer.dto.js';
export { SettlementTransfersService } from './platform/resources/settlement-transfers/settlement-transfers.service.js';
export { CreateSmsNotificationDto } from './platform/resources/sms-notifications/create-sms-notification.dto.js';
export { SmsNotificationsService } from './platform/resources/sms-notifications/sms-notifications.service.js';
export { TokensService } from './platform/tokens/tokens.service.js';
export type { Transaction } from './money/transaction.js';
export { CreateWebhookSubscriptionDto } from './platform/resources/webhook-subscriptions/create-webhook-subscription.dto.js';
export { WebhookSubscriptionsService } from './platform/resources/webhook-subscriptions/webhook-subscriptions.service.js';
export { WEBHOOK_TOPICS, type WebhookTopic } from './money/webhook-topics.js';
export { MemoryStore } from './store/memory/memory.store.js';
export {
  type FailureExplanation,
  type FailureReason,
  KNOWN_FAILURES,
} from './money/known-failures.js';
export type { Metadata } from './money/metadata.js';
export type { Amount } from './money/money.js';
export type { Page } from './store/page.js';
