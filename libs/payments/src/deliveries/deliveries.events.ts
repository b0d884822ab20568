import { eventBuilder, type PaymentsEventBase } from '../ledger/new-event.js';
import type { IncomingPayment } from '../resources/incoming-payments/incoming-payment.resource.js';
import type { Polling } from '../resources/polling/polling.resource.js';
import type { SmsNotification } from '../resources/sms-notifications/sms-notification.resource.js';

/** Results of the bare resources, and deliveries that this version does not understand. @publicApi */
export interface DeliveryEvents {
  /** The result of `IncomingPaymentsService.create()`: read its status, because it may be `Failed`. */
  'incoming-payment.completed': PaymentsEventBase & { readonly incomingPayment: IncomingPayment };
  /** The result of `PollingService.create()`. */
  'polling.completed': PaymentsEventBase & { readonly polling: Polling };
  /** The result of `SmsNotificationsService.create()`. */
  'sms-notification.completed': PaymentsEventBase & { readonly smsNotification: SmsNotification };
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
  'delivery.unrecognised',
];

export const deliveryEvent = eventBuilder<DeliveryEvents>();
