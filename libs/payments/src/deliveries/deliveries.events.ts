import { eventBuilder, type PaymentsEventBase } from '../ledger/new-event.js';
import type { IncomingPayment } from '../resources/incoming-payments/incoming-payment.resource.js';
import type { Pay } from '../resources/pay/pay.resource.js';
import type { PaymentLinkResource } from '../resources/payment-links/payment-link.resource.js';
import type { Polling } from '../resources/polling/polling.resource.js';
import type { Reversal } from '../resources/reversals/reversal.resource.js';
import type { SendMoney } from '../resources/send-money/send-money.resource.js';
import type { SettlementTransfer } from '../resources/settlement-transfers/settlement-transfer.resource.js';
import type { SmsNotification } from '../resources/sms-notifications/sms-notification.resource.js';

/** Results of the bare resources, and deliveries that this version does not understand. @publicApi */
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
  'delivery.unrecognised',
];

export const deliveryEvent = eventBuilder<DeliveryEvents>();
