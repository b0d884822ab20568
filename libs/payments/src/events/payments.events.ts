import { DELIVERY_EVENTS, type DeliveryEvents } from '../deliveries/deliveries.events.js';
import { PAYMENT_EVENTS, type PaymentEvents } from '../operations/payments/payments.events.js';
import { TILL_EVENTS, type TillEvents } from '../tills/tills.events.js';

/** The payload of each event, by name: `PaymentsEvents['payment.succeeded']`. @publicApi */
export interface PaymentsEvents extends PaymentEvents, TillEvents, DeliveryEvents {}

/** The name of an event: `payment.succeeded`. @publicApi */
export type PaymentsEventName = keyof PaymentsEvents;

/** The names of all events. */
export const EVENT_NAMES: readonly PaymentsEventName[] = [
  ...PAYMENT_EVENTS,
  ...TILL_EVENTS,
  ...DELIVERY_EVENTS,
];
