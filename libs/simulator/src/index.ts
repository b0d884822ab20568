export { Simulator } from './simulator.js';
export type { Owned } from './simulated-platform.model.js';
export {
  DEFAULT_TIMINGS,
  INSTANT_TIMINGS,
  type SimulatorOptions,
  type SimulatorTimings,
} from './simulator.options.js';
export {
  CannotListenError,
  InsufficientFundsError,
  InvalidInputError,
  InvalidOptionError,
  NoPromptError,
  NotKnownError,
  SimulatorError,
  UnknownFaultError,
  UnknownPayoutScenarioError,
  UnknownScenarioError,
} from './simulator.errors.js';
export type { AccountKind, AccountName } from './balances/account-name.js';
export type { Balance, Booking, BookingReason } from './balances/books.service.js';
export type { SimulatedClock } from './clock/clock.service.js';
export type { Deliveries } from './deliveries/deliveries.service.js';
export type { Corruption } from './deliveries/delivery-corruption.service.js';
export type { Delivery, DeliveryAttempt, DeliveryState } from './deliveries/delivery.record.js';
export { SIGNATURE_HEADER } from './deliveries/delivery-signature.service.js';
export type { Faults, FaultSetting } from './faults/faults.service.js';
export type { FaultSubject } from './faults/fault-subject.js';
export {
  FAULTS,
  type FaultDescription,
  type FaultKind,
  type FaultOptions,
  type FaultTarget,
} from './faults/faults.constants.js';
export {
  HANDSET_PIN,
  type Handset,
  type InboxMessage,
  type Prompt,
  type PromptAnswer,
} from './handsets/handset.model.js';
export type { Charge, IncomingPaymentStatus } from './incoming-payments/incoming-payment.record.js';
export type {
  AttemptEntry,
  NoteEntry,
  JournalEntry,
  JournalHeaders,
  RequestEntry,
} from './journal/journal-entry.js';
export type { ExternalRecipient } from './external-recipients/external-recipients.service.js';
export type { RecipientType } from './external-recipients/recipient-fields.js';
export type { MerchantOptions } from './merchants/merchant.options.js';
export type { NextApiKey, SimulatedMerchant } from './merchants/merchant.model.js';
export type { Merchants } from './merchants/merchants.service.js';
export type {
  MerchantAccount,
  MerchantAccountType,
} from './merchant-accounts/merchant-accounts.service.js';
export type { LinkPayer } from './payment-links/payment-links.service.js';
export type { PaymentLink, PaymentLinkState } from './payment-links/payment-link.record.js';
export type { DestinationType } from './payouts/destination.model.js';
export type {
  Payout,
  PayoutDestination,
  PayoutResource,
  PayoutStatus,
} from './payouts/payout.model.js';
export {
  PAYOUT_SCENARIOS,
  type PayoutOutcome,
  type PayoutScenarioDescription,
  type PayoutScenarioName,
} from './payouts/payout-scenarios.constants.js';
export type { Journal } from './journal/journal.service.js';
export type { Refund, RefundStatus } from './reversals/reversal.record.js';
export {
  SCENARIOS,
  type ScenarioDescription,
  type ScenarioName,
} from './scenarios/scenarios.constants.js';
export type { WireObject } from './transactions/transaction.resource.js';
export type { TillPayment } from './transactions/till-payments.service.js';
export type { Transaction } from './transactions/transactions.store.js';
export {
  EVENT_TYPES,
  type EventType,
  type EventTypeDescription,
} from './webhook-events/event-types.constants.js';
export type { WebhookSubscription } from './webhook-subscriptions/webhook-subscriptions.service.js';
