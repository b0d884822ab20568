import {
  paymentTransactionResource,
  type WireObject,
} from '../transactions/transaction.resource.js';
import { timestampWithMilliseconds } from '../values/timestamp.js';
import type { IncomingPayment } from './incoming-payments.store.js';

/** How faults change the resource. */
export interface IncomingPaymentChanges {
  readonly status?: string;
  readonly unknownField?: boolean;
  readonly numberAmounts?: boolean;
  readonly stringErrors?: boolean;
}

/** The resource of a payment, as in its GET and its callback. */
export function incomingPaymentResource(
  payment: IncomingPayment,
  self: string,
  changes: IncomingPaymentChanges = {},
): WireObject {
  const { request, result, errors } = payment;
  return {
    data: {
      id: payment.id,
      type: 'incoming_payment',
      attributes: {
        initiation_time: timestampWithMilliseconds(payment.initiatedAt),
        status: changes.status ?? payment.status,
        event: {
          type: 'Incoming Payment Request',
          resource: result && paymentTransactionResource(result, changes.numberAmounts),
          errors: changes.stringErrors && errors ? errors.join(', ') : errors,
        },
        metadata: request.metadata ?? {},
        ...(changes.unknownField ? { risk_score: { value: 7, model: 'none' } } : {}),
        _links: { callback_url: request._links.callback_url, self },
      },
    },
  };
}
