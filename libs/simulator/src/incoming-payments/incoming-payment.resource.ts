import { writeErrors, type ResourceFormat } from '../server/resource-writer.js';
import { paymentTransactionResource } from '../transactions/transaction.resource.js';
import { timestampWithMilliseconds } from '../values/timestamp.js';
import type { IncomingPayment } from './incoming-payment.record.js';

export const INCOMING_PAYMENT: ResourceFormat<IncomingPayment> = {
  path: '/api/v2/incoming_payments',
  type: 'incoming_payment',
  faults: ['unknown-status', 'number-amounts', 'string-errors'],
  callbackUrlOf: ({ request }) => request._links.callback_url,
  identityOf: ({ id, request }) => ({ phone: request.subscriber.phone_number, paymentId: id }),
  attributes: ({ initiatedAt, status, request, result, errors }, changes) => ({
    initiation_time: timestampWithMilliseconds(initiatedAt),
    status: changes.status ?? status,
    event: {
      type: 'Incoming Payment Request',
      resource: result && paymentTransactionResource(result, changes.numberAmounts),
      errors: writeErrors(errors, changes),
    },
    metadata: request.metadata ?? {},
  }),
};
