import { randomUUID } from 'node:crypto';
import { recordedFields } from '../store/operation.js';
import type { NewPayout, PayoutRecord } from '../operations/payouts/payout.js';
import { readEnvelope } from '../platform/wire-value.js';
import type { SendMoneyDestination } from '../platform/resources/create-send-money.dto.js';
import { readResource } from '../platform/resource-table.js';
import { SEND_MONEY, type SendMoney } from '../platform/resources/send-money.service.js';
import { fromMinorUnits, sumInMinorUnits } from '../money/money.js';

export function aWallet(amount = '100', phoneNumber = '+254700000001'): SendMoneyDestination {
  return { type: 'mobile_wallet', phoneNumber, network: 'Safaricom', amount, description: 'pay' };
}

export function aTill(amount = '100', tillNumber = '000124'): SendMoneyDestination {
  return { type: 'till', tillNumber, amount, description: 'pay' };
}

/** Returns a payout to be recorded. */
export function aNewPayout(recipients: readonly SendMoneyDestination[] = [aWallet()]): NewPayout {
  const minor = sumInMinorUnits(recipients, 'KES') ?? 0n;
  return {
    id: randomUUID(),
    account: 'default',
    kind: 'payout',
    idempotencyKey: randomUUID(),
    amount: { currency: 'KES', value: fromMinorUnits(minor, 'KES') },
    amountMinor: String(minor),
    tills: [],
    besides: [],
    inBackground: false,
    sourceIdentifier: null,
    transfers: recipients.map(({ type, amount }) => ({ type, amount })),
    recipients,
    metadata: null,
    requestedBy: null,
    needsApproval: false,
  };
}

/** Returns a payout as a store keeps it, in the state `pending`. */
export function aPayoutRecord(
  recipients?: readonly SendMoneyDestination[],
  changes: Partial<PayoutRecord> = {},
): PayoutRecord {
  return {
    ...aNewPayout(recipients),
    ...recordedFields(0, 0),
    state: 'pending',
    platformId: 'platform-1',
    sentAt: new Date(0),
    ...changes,
  } as PayoutRecord;
}

type Wire = Record<string, unknown>;

/** Returns a disbursement as the platform writes it, to the wallet of `aWallet`. */
export function aDisbursement(status: string | null, changes: Wire = {}): Wire {
  const to = { destination_type: 'mobile_wallet', phone_number: '254700000001' };
  return { status, amount: '100.0', errors: null, ...to, transaction_reference: null, ...changes };
}

/** Returns a payout as the platform shows it, each disbursement in a batch of its own. */
export function aSendMoney(disbursements: readonly Wire[] | null, changes: Wire = {}): SendMoney {
  const batches = disbursements?.map((one) => ({ status: one['status'], disbursements: [one] }));
  const attributes = { status: 'Processed', transfer_batches: batches ?? null, ...changes };
  const data = { id: 'platform-1', type: 'send_money', attributes };
  return readResource(SEND_MONEY, readEnvelope({ data })!);
}
