import {
  paymentTransactionResource,
  type WireObject,
} from '../transactions/transaction.resource.js';
import { timestampWithMilliseconds } from '../values/timestamp.value.js';
import type { IncomingPayment } from './incoming-payments.store.js';

/** What a fault changes in the telling. */
export interface IncomingPaymentDistortion {
  readonly status?: string;
  readonly unknownField?: boolean;
  readonly numberAmounts?: boolean;
  readonly stringErrors?: boolean;
}

/** A payment as its GET and its callback contain it. */
export function incomingPaymentResource(
  payment: IncomingPayment,
  self: string,
  distortion: IncomingPaymentDistortion = {},
): WireObject {
  const { request, result, errors } = payment;
  return {
    data: {
      id: payment.id,
      type: 'incoming_payment',
      attributes: {
        initiation_time: timestampWithMilliseconds(payment.initiatedAt),
        status: distortion.status ?? payment.status,
        event: {
          type: 'Incoming Payment Request',
          resource: result && paymentTransactionResource(result, distortion.numberAmounts),
          errors: distortion.stringErrors && errors ? errors.join(', ') : errors,
        },
        metadata: request.metadata ?? {},
        ...(distortion.unknownField ? { risk_score: { value: 7, model: 'none' } } : {}),
        _links: { callback_url: request._links.callback_url, self },
      },
    },
  };
}
