import { beforeEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import type { NewOperationRecord, OperationRecord } from './operation-forms.js';
import { readEnvelope } from '../platform/wire-value.js';
import { MemoryStore } from '../memory/memory.store.js';
import { aLedger, keyOf, type LedgerUnderTest } from '../testing/ledger.fixture.js';
import { aRefundRecord } from '../testing/operations.fixture.js';
import { aDisbursement, aNewPayout, aWallet } from '../testing/payouts.fixture.js';

Logger.overrideLogger(false);

describe('The reference of a transfer', () => {
  let store: MemoryStore;
  let under: LedgerUnderTest;

  beforeEach(() => {
    store = new MemoryStore();
    under = aLedger(store);
  });

  const sent = async (operation: NewOperationRecord): Promise<OperationRecord> => {
    await store.operations.record(operation, { sendBeforeMs: 60_000 });
    const set = { state: 'pending', sentAt: new Date() } as const;
    return (await under.ledger.change(keyOf(operation.id), () => ({
      via: 'request',
      set: { ...set, state: 'requested' },
    }))) as OperationRecord;
  };
  const aPayout = (recipients = [aWallet()]): Promise<OperationRecord> =>
    sent(aNewPayout(recipients));
  const aRefund = (reference: string): Promise<OperationRecord> => {
    const { version: _, ...refund } = aRefundRecord({ reference });
    return sent({
      ...refund,
      id: `refund-${reference}`,
      idempotencyKey: reference,
      tills: [],
    } as never);
  };

  const shows = async (
    operation: OperationRecord,
    type: string,
    attributes: object,
  ): Promise<OperationRecord> => {
    const data = { id: `platform-${operation.id}`, type, attributes };
    const shown = under.kinds.kind(operation).show(readEnvelope({ data })!);
    await under.evidence.apply(operation as never, shown, 'status');
    return (await under.ledger.find(operation)) as OperationRecord;
  };
  const pays = (payout: OperationRecord, ...references: string[]): Promise<OperationRecord> =>
    shows(payout, 'send_money', {
      status: 'Processed',
      currency: 'KES',
      transfer_batches: references.map((reference) => ({
        status: 'Transferred',
        disbursements: [aDisbursement('Transferred', { transaction_reference: reference })],
      })),
    });
  const sendsBack = (refund: OperationRecord, reference: string): Promise<OperationRecord> =>
    shows(refund, 'reversal', {
      status: 'Processed',
      reversal_bulk_payment: { status: 'Transferred', transaction_reference: reference },
    });

  it.each<[string, () => Promise<OperationRecord>, () => Promise<OperationRecord>]>([
    [
      'two payouts',
      async () => pays(await aPayout(), 'OUT1'),
      async () => pays(await aPayout(), ' OUT1 '),
    ],
    [
      'two refunds',
      async () => sendsBack(await aRefund('ONE'), 'OUT1'),
      async () => sendsBack(await aRefund('TWO'), 'OUT1'),
    ],
    [
      'a payout and a refund',
      async () => pays(await aPayout(), 'OUT1'),
      async () => sendsBack(await aRefund('ONE'), 'OUT1'),
    ],
  ])('that the platform shows for %s belongs to the first one', async (_, first, second) => {
    const owner = await first();
    expect(owner).toMatchObject({ state: 'succeeded' });
    const other = await second();
    expect(other).toMatchObject({
      state: 'needs_review',
      cause: 'transaction_of_another_payment',
      causeDetail: `transfer OUT1 already belongs to operation ${owner.id}`,
    });
    expect(JSON.stringify((other as { outcome?: unknown }).outcome)).not.toContain('OUT1');
  });

  it('that two refunds show sends back the money of the first one only', async () => {
    await sendsBack(await aRefund('ONE'), 'OUT1');
    await sendsBack(await aRefund('TWO'), 'OUT1');
    const find = (reference: string) => store.transactions.find('default', reference);
    expect((await find('ONE'))?.sums).toMatchObject([{ reversal: { status: 'Reversed' } }]);
    expect(await find('TWO')).toBeNull();
  });

  it('that belongs to another payout is no proof that all were paid, also where nobody is named', async () => {
    for (const reference of ['OUT1', 'OUT2']) await pays(await aPayout(), reference);
    const payout = await aPayout([aWallet(), aWallet('100', '+254700000002')]);
    const nameless = (reference: string) =>
      aDisbursement('Transferred', {
        transaction_reference: reference,
        phone_number: null,
        destination_type: null,
      });
    const disbursements = [nameless('OUT1'), nameless('OUT2')];
    const batch = { status: 'Transferred', disbursements };
    const attributes = { status: 'Processed', currency: 'KES', transfer_batches: [batch] };
    expect(await shows(payout, 'send_money', attributes)).toMatchObject({ state: 'needs_review' });
  });

  it('of one destination does not pay another one in a later result', async () => {
    const payout = await aPayout([aWallet(), aWallet('100', '+254700000002')]);
    const first = await pays(payout, 'OUT1');
    const disbursements = [
      aDisbursement('Transferred', {
        transaction_reference: 'OUT1',
        phone_number: '254700000002',
      }),
    ];
    const batch = { status: 'Transferred', disbursements };
    const attributes = { status: 'Processed', currency: 'KES', transfer_batches: [batch] };
    expect(await shows(first, 'send_money', attributes)).toMatchObject({
      state: 'needs_review',
      outcome: [{ state: 'paid' }, { state: 'open' }],
    });
  });

  it('pays one of two equal destinations, and a person is asked', async () => {
    const payout = await pays(await aPayout([aWallet(), aWallet()]), 'OUT1', 'OUT1');
    expect(payout).toMatchObject({
      state: 'needs_review',
      cause: 'unmatched_results',
      outcome: [{ state: 'paid', transactionReference: 'OUT1' }, { state: 'open' }],
    });
  });

  it('is shown again, by the same operation, and changes nothing', async () => {
    const payout = await aPayout([aWallet(), aWallet('50')]);
    const first = await pays(payout, 'OUT1');
    expect((await pays(first, 'OUT1')).version).toBe(first.version);
  });
});
