import type { PayoutChanges } from '../payouts/payout.model.js';
import type { WireObject } from '../transactions/transaction.resource.js';
import { amountText } from '../values/amount.js';
import { timestamp } from '../values/timestamp.js';
import type { Reversal } from './reversals.store.js';

export const REVERSALS_PATH = '/api/v2/reversals';

/** The resource of a reversal, as in its GET and its callback. */
export function reversalResource(
  reversal: Reversal,
  self: string,
  changes: PayoutChanges & { unknownField: boolean },
): WireObject {
  const { id, request, status, createdAt, errors } = reversal;
  return {
    data: {
      id,
      type: 'reversal',
      attributes: {
        status: changes.status ?? status,
        created_at: timestamp(createdAt),
        transaction_reference: request.transaction_reference,
        reason: request.reason,
        // The platform leaves the field out while the payment is scheduled.
        ...(status === 'Scheduled'
          ? {}
          : { reversal_bulk_payment: bulkPayment(reversal, changes) }),
        errors: changes.stringErrors && errors ? errors.join(', ') : errors,
        metadata: request.metadata ?? {},
        ...(changes.unknownField ? { risk_score: { value: 7, model: 'none' } } : {}),
        _links: { callback_url: request._links.callback_url, self },
      },
    },
  };
}

function bulkPayment(
  { bulkPayment: payment, transaction }: Reversal,
  { status, numberAmounts }: PayoutChanges,
): WireObject | null {
  return (
    payment && {
      amount: numberAmounts ? transaction.amount : amountText(transaction.amount),
      status: status ?? payment.status,
      origination_time: timestamp(payment.originatedAt),
      transaction_reference: payment.reference,
    }
  );
}
