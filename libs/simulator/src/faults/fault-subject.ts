/** The properties of a request or a delivery. A matcher has the properties that must be equal. */
export interface FaultSubject {
  /** The name of the merchant. */
  merchant?: string;
  /** The phone number of the customer, or of the first wallet of a payout: `+254700000001`. */
  phone?: string;
  /** The platform's id of the payment, payout, refund or link. */
  paymentId?: string;
  /** Of requests: the last part of the path, such as `incoming_payments` or `send_money`. */
  resource?: string;
  /** Of deliveries: `callback` or `webhook`. */
  delivery?: string;
  /** Of deliveries: the event type of a webhook, the type of a callback's resource. */
  topic?: string;
}
