import {
  writeAmount,
  writeErrors,
  type ContentChanges,
  type ResourceFormat,
} from '../server/resource-writer.js';
import type { WireObject } from '../transactions/transaction.resource.js';
import { timestamp } from '../values/timestamp.js';
import type { Reversal } from './reversal.record.js';

export const REVERSAL: ResourceFormat<Reversal> = {
  path: '/api/v2/reversals',
  type: 'reversal',
  faults: ['unknown-status', 'number-amounts', 'string-errors'],
  callbackUrlOf: ({ request }) => request._links.callback_url,
  identityOf: ({ id, transaction }) => ({ phone: transaction.phoneNumber, paymentId: id }),
  attributes(reversal, changes) {
    const { request, status, createdAt, errors } = reversal;
    return {
      status: changes.status ?? status,
      created_at: timestamp(createdAt),
      transaction_reference: request.transaction_reference,
      reason: request.reason,
      // The platform leaves the field out while the payment is scheduled.
      ...(status !== 'Scheduled' && { reversal_bulk_payment: bulkPayment(reversal, changes) }),
      errors: writeErrors(errors, changes),
      metadata: request.metadata ?? {},
    };
  },
};

function bulkPayment(
  { bulkPayment: payment, transaction }: Reversal,
  changes: ContentChanges,
): WireObject | null {
  return (
    payment && {
      amount: writeAmount(transaction.amount, changes),
      status: changes.status ?? payment.status,
      origination_time: timestamp(payment.originatedAt),
      transaction_reference: payment.reference,
    }
  );
}
