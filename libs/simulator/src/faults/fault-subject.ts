/** The properties of a request or a delivery. A matcher has the properties that must be equal. */
export interface FaultSubject {
  /** The name of the merchant. */
  merchant?: string;
  /** The phone number of the customer, or of the first wallet of a payout: `+254700000001`. */
  phone?: string;
  /** The platform's id of the payment, payout, refund or link. */
  paymentId?: string;
  /** The last part of the path of a request, such as `incoming_payments` or `send_money`. */
  resource?: string;
  /** The kind of a delivery: `callback` or `webhook`. */
  delivery?: string;
  /** The topic of a delivery: the event type of a webhook, or the type of a callback's resource. */
  topic?: string;
}
