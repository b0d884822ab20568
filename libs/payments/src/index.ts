export { PaymentsAccount, PaymentsModule } from './payments.module.js';
export type { PaymentsModuleExtras } from './payments.module-definition.js';
export type {
  DeliveryOptions,
  HttpOptions,
  ListenerOptions,
  PaymentsOptions,
  ReconciliationOptions,
  RetentionOptions,
  SendingOptions,
} from './payments.options.js';
export { PAYMENTS_VERSION } from './payments.version.js';
export { getPaymentsToken, InjectPayments } from './inject-payments.decorator.js';

export { PaymentsService } from './ledger/payments.service.js';
export { RequestPayment } from './ledger/request-payment.dto.js';
export type { ReconciliationReport, ReportLine } from './ledger/reconciliation.report.js';
export type { Resolution } from './ledger/review.js';
export type {
  FailureReason,
  Payment,
  PaymentState,
  ReviewCause,
  Subscriber,
  Via,
} from './ledger/payment.js';
export type { TillTransaction } from './ledger/till-transaction.js';
export {
  PaymentsStore,
  type DeadLetter,
  type DeliveryRecord,
  type HostTransaction,
  type StoredHistoryEntry,
  type UnheardListener,
} from './ledger/payments.store.js';
export { MemoryStore } from './ledger/memory/memory.store.js';

export { OnPaymentEvent, type OnPaymentEventOptions } from './events/on-payment-event.decorator.js';
export { EventDispatcher } from './events/event.dispatcher.js';
export type {
  PaymentsEventBase,
  PaymentsEventName,
  PaymentsEvents,
} from './ledger/ledger.events.js';
export { Inbox } from './inbox/inbox.js';
export { SweepSchedule } from './reconciliation/sweep.schedule.js';

export { IncomingPaymentsService } from './resources/incoming-payments/incoming-payments.service.js';
export {
  AmountDto,
  CreateIncomingPaymentDto,
  SubscriberDto,
} from './resources/incoming-payments/create-incoming-payment.dto.js';
export type { IncomingPayment } from './resources/incoming-payments/incoming-payment.resource.js';
export { PollingService } from './resources/polling/polling.service.js';
export { CreatePollingDto } from './resources/polling/create-polling.dto.js';
export type { Polling } from './resources/polling/polling.resource.js';
export { SmsNotificationsService } from './resources/sms-notifications/sms-notifications.service.js';
export { CreateSmsNotificationDto } from './resources/sms-notifications/create-sms-notification.dto.js';
export type { SmsNotification } from './resources/sms-notifications/sms-notification.resource.js';
export { TokensService } from './resources/tokens/tokens.service.js';
export type { TokenInfo, TokenIntrospection } from './resources/tokens/token.resource.js';
export { WebhookSubscriptionsService } from './resources/webhook-subscriptions/webhook-subscriptions.service.js';
export { CreateWebhookSubscriptionDto } from './resources/webhook-subscriptions/create-webhook-subscription.dto.js';
export type { WebhookSubscription } from './resources/webhook-subscriptions/webhook-subscription.resource.js';
export type { CreatedResource } from './resources/platform.client.js';
export type { Transaction } from './resources/transaction.resource.js';
export type { Amount } from './values/money.js';
export type { Metadata, MetadataValue } from './values/metadata.js';
export type { CountryCode } from './values/phone-number.js';

export { signDelivery } from './callbacks/signature.js';
export type { RouteDecorator } from './callbacks/callbacks.controller.js';

export {
  PaymentsError,
  PaymentsConfigurationError,
  PaymentsValidationError,
  PlatformError,
  PlatformRejectedError,
  PlatformUnauthorizedError,
  PlatformRedirectError,
  PlatformRateLimitedError,
  PlatformUnavailableError,
  PlatformUnreachableError,
  PlatformTimeoutError,
  PlatformAnswerTooLargeError,
  PlatformResponseError,
  UnknownOutcomeError,
  CircuitOpenError,
  IdempotencyConflictError,
  PaymentInFlightError,
  PaymentNotFoundError,
  PaymentNotResolvableError,
  SettleTimeoutError,
  StoreUnavailableError,
  PaymentOutcomeUnknownError,
  type PaymentsErrorCode,
  type FieldProblem,
  type PlatformAnswer,
} from './payments.errors.js';
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
