/** The properties of a request or a delivery. A matcher has the properties that must be equal. */
export interface FaultSubject {
  /** The customer's phone number, `+254700000001`. */
  phone?: string;
  /** The platform's id of the payment. */
  paymentId?: string;
  /** Of requests: `incoming_payments`, `polling`, `transaction_sms_notifications` or `webhook_subscriptions`. */
  resource?: string;
  /** Of deliveries: `callback` or `webhook`. */
  delivery?: string;
  /** Of deliveries: the event type of a webhook, the type of a callback's resource. */
  topic?: string;
}
