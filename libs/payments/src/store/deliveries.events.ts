import { eventBuilder, type PaymentsEventBase } from './new-event.js';
import type { Customer } from '../platform/resources/customers/customer.resource.js';
import type { IncomingPayment } from '../platform/resources/incoming-payments/incoming-payment.resource.js';
import type { MerchantTransaction } from '../platform/resources/merchant-transactions/merchant-transaction.resource.js';
import type { Pay } from '../platform/resources/pay/pay.resource.js';
import type { PaymentLinkResource } from '../platform/resources/payment-links/payment-link.resource.js';
import type { Polling } from '../platform/resources/polling/polling.resource.js';
import type { Reversal } from '../platform/resources/reversals/reversal.resource.js';
import type { SendMoney } from '../platform/resources/send-money/send-money.resource.js';
import type { Settlement } from '../platform/resources/settlements/settlement.resource.js';
import type { SettlementTransfer } from '../platform/resources/settlement-transfers/settlement-transfer.resource.js';
import type { SmsNotification } from '../platform/resources/sms-notifications/sms-notification.resource.js';

/** Results of the bare resources, webhooks that report no money at a till, and deliveries that this version does not understand. @publicApi */
export interface DeliveryEvents {
  /** The result of `IncomingPaymentsService.create()`: read its status, because it may be `Failed`. */
  'incoming-payment.completed': PaymentsEventBase & { readonly incomingPayment: IncomingPayment };
  /** The result of `PollingService.create()`. */
  'polling.completed': PaymentsEventBase & { readonly polling: Polling };
  /** The result of `SmsNotificationsService.create()`. */
  'sms-notification.completed': PaymentsEventBase & { readonly smsNotification: SmsNotification };
  /** The result of `SendMoneyService.create()`: every disbursement is `Transferred` or `Cancelled`. Read which. */
  'send-money.completed': PaymentsEventBase & { readonly sendMoney: SendMoney };
  /** The result of `ReversalsService.create()`: the bulk payment is `Transferred` or `Cancelled`. Read which. */
  'reversal.completed': PaymentsEventBase & { readonly reversal: Reversal };
  /** The result of `BarePaymentLinksService.create()`: the link was paid, cancelled or has expired. Read which. */
  'bare-payment-link.completed': PaymentsEventBase & { readonly paymentLink: PaymentLinkResource };
  /** The result of `SettlementTransfersService.create()`: every disbursement is `Transferred` or `Cancelled`. Read which. */
  'settlement-transfer.completed': PaymentsEventBase & {
    readonly settlementTransfer: SettlementTransfer;
  };
  /** The result of `PayService.create()`: every disbursement is `Transferred` or `Cancelled`. Read which. */
  'pay.completed': PaymentsEventBase & { readonly pay: Pay };
  /** Somebody became a customer of the company. Once for each customer. Needs a subscription to `customer_created`. */
  'customer.created': PaymentsEventBase & {
    readonly customer: Customer;
    /** Id of the webhook event; null when the webhook has none. */
    readonly webhookEventId: string | null;
  };
  /**
   * Money was transferred to an account of the company. Once for each settlement. Needs a subscription to
   * `settlement_transfer_completed`.
   */
  'settlement.completed': PaymentsEventBase & {
    readonly settlement: Settlement;
    /** Id of the webhook event; null when the webhook has none. */
    readonly webhookEventId: string | null;
  };
  /** Another merchant of the platform has paid. Once for each transaction. Needs a subscription to `m2m_transaction_received`. */
  'merchant-transaction.received': PaymentsEventBase & {
    readonly merchantTransaction: MerchantTransaction;
    /** Id of the webhook event; null when the webhook has none. */
    readonly webhookEventId: string | null;
  };
  /** A verified delivery is stored but not understood. `Inbox.find(deliveryId)` reads it. */
  'delivery.unrecognised': PaymentsEventBase & {
    readonly deliveryId: string;
    /** Topic or type as the platform wrote it; null when the delivery has none. */
    readonly topic: string | null;
  };
}

export const DELIVERY_EVENTS: readonly (keyof DeliveryEvents)[] = [
  'incoming-payment.completed',
  'polling.completed',
  'sms-notification.completed',
  'send-money.completed',
  'reversal.completed',
  'bare-payment-link.completed',
  'settlement-transfer.completed',
  'pay.completed',
  'customer.created',
  'settlement.completed',
  'merchant-transaction.received',
  'delivery.unrecognised',
];

export const deliveryEvent = eventBuilder<DeliveryEvents>();
