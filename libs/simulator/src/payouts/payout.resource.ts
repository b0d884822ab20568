import {
  writeAmount,
  type ContentChanges,
  type ResourceFormat,
} from '../server/resource-writer.js';
import type { WireObject } from '../transactions/transaction.resource.js';
import { majorUnits, OWN_CURRENCY } from '../values/amount.js';
import { timestamp } from '../values/timestamp.js';
import type { Destination, DestinationType } from './destination.model.js';
import type { Disbursement, PayoutRequest } from './payout.model.js';

/** Writes a payout in one version of the API. */
export type PayoutFormat = Pick<ResourceFormat<PayoutRequest>, 'path' | 'type' | 'attributes'>;

/** Returns the resource of a request that sends money out, with the parts that all versions share. */
export function payoutFormat(format: PayoutFormat): ResourceFormat<PayoutRequest> {
  return {
    ...format,
    faults: ['unknown-status', 'number-amounts', 'string-errors', 'bare-disbursements'],
    callbackUrlOf: ({ order }) => order.callbackUrl,
    identityOf({ id, disbursements }) {
      const phone = disbursements.find(({ destination }) => destination.phone)?.destination.phone;
      return { paymentId: id, ...(phone ? { phone } : {}) };
    },
  };
}

/** Returns the amount of a disbursement; 0 for a sweep that is not scheduled yet. */
export function writeDisbursed({ amount }: Disbursement, changes: ContentChanges) {
  return writeAmount(majorUnits(amount ?? 0, OWN_CURRENCY), changes);
}

/** True when the money goes to a bank. The platform never shows the reference of such a transfer. */
export function isBank({ type }: Destination): boolean {
  return type === 'bank_account' || type === 'merchant_bank_account';
}

/** Version 1 does not distinguish own accounts from those of others. */
const LEGACY_TITLES: Readonly<Record<DestinationType, string>> = {
  mobile_wallet: 'Mobile Wallet',
  bank_account: 'Bank Account',
  till: 'Till',
  paybill: 'Paybill',
  merchant_wallet: 'Mobile Wallet',
  merchant_bank_account: 'Bank Account',
};

/** Writes `transfer_batches` of version 1. A batch has no amount, and a disbursement has no errors. */
export function legacyBatches({ batches }: PayoutRequest, changes: ContentChanges): WireObject[] {
  if (!batches) return [];
  return [
    {
      status: changes.status ?? batches[0]!.status,
      disbursements: batches.map((one) => ({
        amount: writeDisbursed(one, changes),
        status: changes.status ?? one.status,
        destination_type: LEGACY_TITLES[one.destination.type],
        origination_time: timestamp(one.originatedAt),
        destination_reference: one.destination.reference,
        transaction_reference: isBank(one.destination) ? null : one.reference,
      })),
    },
  ];
}
