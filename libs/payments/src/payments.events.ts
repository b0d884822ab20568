import { DELIVERY_EVENTS, type DeliveryEvents } from './inbox/deliveries.service.js';
import { PAYMENT_EVENTS, type PaymentEvents } from './operations/payments/payment.js';
import {
  PAYMENT_LINK_EVENTS,
  type PaymentLinkEvents,
} from './operations/payment-links/payment-link.js';
import { PAYOUT_EVENTS, type PayoutEvents } from './operations/payouts/payout.js';
import { REFUND_EVENTS, type RefundEvents } from './operations/refunds/refund.js';
import { TILL_EVENTS, type TillEvents } from './tills/tills.events.js';

/** The payload of each event, by name: `PaymentsEvents['payment.succeeded']`. @publicApi */
export interface PaymentsEvents
  extends
    PaymentEvents,
    PayoutEvents,
    RefundEvents,
    PaymentLinkEvents,
    TillEvents,
    DeliveryEvents {}

/** The name of an event: `payment.succeeded`. @publicApi */
export type PaymentsEventName = keyof PaymentsEvents;

export const EVENT_NAMES: readonly PaymentsEventName[] = [
  ...PAYMENT_EVENTS,
  ...PAYOUT_EVENTS,
  ...REFUND_EVENTS,
  ...PAYMENT_LINK_EVENTS,
  ...TILL_EVENTS,
  ...DELIVERY_EVENTS,
];
