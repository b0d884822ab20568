import type { WireObject } from '../transactions/transaction.resource.js';
import { timestamp } from '../values/timestamp.js';
import type { DestinationType } from './destination.model.js';
import type { PayoutChanges, PayoutRequest } from './payout.model.js';
import { isBank, writeAmount } from './payout.values.js';

/** Version 1 does not tell own accounts from those of others. */
const LEGACY_TITLES: Readonly<Record<DestinationType, string>> = {
  mobile_wallet: 'Mobile Wallet',
  bank_account: 'Bank Account',
  till: 'Till',
  paybill: 'Paybill',
  merchant_wallet: 'Mobile Wallet',
  merchant_bank_account: 'Bank Account',
};

/** `transfer_batches` of version 1: a batch has no amount, and a disbursement no errors. */
export function legacyBatches(
  { batches }: PayoutRequest,
  changes: PayoutChanges,
): WireObject[] | null {
  if (!batches) return null;
  return [
    {
      status: changes.status ?? batches[0]!.status,
      disbursements: batches.map((one) => ({
        amount: writeAmount(one, changes),
        status: changes.status ?? one.status,
        destination_type: LEGACY_TITLES[one.destination.type],
        origination_time: timestamp(one.originatedAt),
        destination_reference: one.destination.reference,
        transaction_reference: isBank(one.destination) ? null : one.reference,
      })),
    },
  ];
}
