import type { Disbursement } from '../payouts/payout.model.js';
import { isBank, writeDisbursed, type PayoutFormat } from '../payouts/payout.resource.js';
import { writeErrors } from '../server/resource-writer.js';
import type { WireObject } from '../transactions/transaction.resource.js';
import { timestamp } from '../values/timestamp.js';

/** `send_money` writes a payout with one batch per destination. */
export const SEND_MONEY: PayoutFormat = {
  path: '/api/v2/send_money',
  type: 'send_money',
  attributes({ status, createdAt, order, batches }, changes) {
    const { request } = order;
    const destinations = request.destinations as readonly unknown[] | null | undefined;
    return {
      status: changes.status ?? status,
      created_at: timestamp(createdAt),
      source_identifier: request.source_identifier ?? null,
      currency: request.currency,
      destinations: destinations?.length ? destinations : null,
      transfer_batches:
        batches?.map((one) => ({
          status: changes.status ?? one.status,
          amount: writeDisbursed(one, changes),
          disbursements: [
            {
              status: changes.status ?? one.status,
              amount: writeDisbursed(one, changes),
              errors: writeErrors(one.errors, changes),
              destination_type: one.destination.type,
              ...(changes.bareDisbursements ? {} : destinationFields(one)),
            },
          ],
        })) ?? null,
      errors: null,
      metadata: request.metadata ?? {},
    };
  },
};

/** The contract shows only the fields that the disbursement of a wallet repeats. We let the others repeat their fields in the same way. */
function destinationFields({ destination, originatedAt, reference }: Disbursement): WireObject {
  const { nickname = null, favourite = false } = destination.fields;
  return {
    ...destination.fields,
    nickname,
    favourite,
    origination_time: timestamp(originatedAt),
    destination_reference: destination.reference,
    transaction_reference: isBank(destination) ? null : reference,
  };
}
