import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { PaymentsValidationError, SweepSchedule } from '@tillkit/payments';
import { deliverSigned, webhookBody } from '../support/deliver.js';
import { aRequest, Merchant } from '../support/merchant.js';
import { PLATFORMS, type Platform } from '../support/platforms.js';

const [platform] = PLATFORMS as [Platform, Platform];
const MINUTE = 60_000;
const PAYER = '+254700000077';

describe('the report that compares us with the platform', () => {
  let merchant: Merchant;
  let now: number;

  beforeEach(async () => {
    now = Date.now();
    merchant = await Merchant.open({
      platform,
      payments: {
        reconciliation: { sweepEveryMs: 0, requestsPerSecond: 1_000 },
      },
    });
  });

  afterEach(() => merchant.close());

  const window = (changes: object = {}): { from: Date; to: Date } => ({
    from: new Date(now - 10 * MINUTE),
    to: new Date(now + 10 * MINUTE),
    ...changes,
  });

  const pay = (changes: object = {}) =>
    merchant.simulator.payTill({
      tillNumber: '514459',
      phoneNumber: PAYER,
      amount: 50,
      silent: true,
      ...changes,
    });

  const tell = async (resource: Record<string, unknown>): Promise<void> => {
    await deliverSigned(
      merchant.payments.webhookUrl(),
      webhookBody(resource),
      merchant.simulator.apiKey,
    );
    await merchant.heard.next(
      'till.transaction.received',
      ({ transaction }) => transaction.reference === resource['reference'],
    );
  };

  it('shows nothing where nothing happened', async () => {
    expect(await merchant.payments.reconcile(window())).toEqual({
      from: window().from.toISOString(),
      to: window().to.toISOString(),
      matched: [],
      missingHere: [],
      missingThere: [],
      different: [],
    });
  });

  it('matches the money of a payment, and names the payment', async () => {
    const { id } = await merchant.payments.request(aRequest());
    const { transaction } = await merchant.heard.next('payment.succeeded');
    const report = await merchant.payments.reconcile(window());
    expect(report.matched).toMatchObject([
      {
        reference: transaction.reference,
        tillNumber: '514459',
        amountHere: '100.0',
        amountThere: '100.0',
        currency: 'KES',
        paymentId: id,
        difference: null,
      },
    ]);
    expect(report).toMatchObject({ missingHere: [], missingThere: [], different: [] });
  });

  it('shows what the platform lists and we do not know, and tells nobody of it', async () => {
    const { reference } = await pay();
    const { missingHere, matched } = await merchant.payments.reconcile(window());
    expect(missingHere).toMatchObject([
      { reference, amountHere: null, amountThere: '50.0', paymentId: null, difference: null },
    ]);
    expect(matched).toEqual([]);
    expect(merchant.heard.events).toEqual([]);
    expect(await merchant.payments.findTransaction({ reference, tillNumber: '514459' })).toBeNull();
  });

  it('shows what we know and the platform does not list', async () => {
    await tell({ reference: 'ONLY-HERE', amount: '70.0' });
    const { missingThere, missingHere } = await merchant.payments.reconcile(window());
    expect(missingThere).toMatchObject([
      { reference: 'ONLY-HERE', amountHere: '70.0', amountThere: null, difference: null },
    ]);
    expect(missingHere).toEqual([]);
  });

  it('shows both amounts where they differ, and the currency where that does', async () => {
    const { reference } = await pay();
    await tell({ reference, amount: '51.0', currency: 'UGX' });
    const { different } = await merchant.payments.reconcile(window());
    expect(different).toMatchObject([
      { reference, amountHere: '51.0', amountThere: '50.0', difference: 'amount, currency' },
    ]);
  });

  it('shows what the platform reversed and we do not know to be', async () => {
    const { reference } = await pay({ originatedAt: now - 5_000 });
    await merchant.app.get(SweepSchedule).sweep();
    await merchant.simulator.reverse(reference);
    const { different } = await merchant.payments.reconcile(window());
    expect(different).toMatchObject([{ reference, difference: 'reversed there, not here' }]);
  });

  it('shows what we know to be reversed and the platform does not list as that', async () => {
    const { reference } = await pay({ originatedAt: now - 5_000 });
    await merchant.app.get(SweepSchedule).sweep();
    await deliverSigned(
      merchant.payments.webhookUrl(),
      webhookBody(
        { reference, amount: '50.0', status: 'Reversed' },
        { topic: 'buygoods_transaction_reversed' },
      ),
      merchant.simulator.apiKey,
    );
    let known = await merchant.payments.findTransaction({ reference, tillNumber: '514459' });
    while (!known?.reversed) {
      await new Promise((resolve) => setTimeout(resolve, 5));
      known = await merchant.payments.findTransaction({ reference, tillNumber: '514459' });
    }
    const { different } = await merchant.payments.reconcile(window());
    expect(different).toMatchObject([{ reference, difference: 'reversed here, not there' }]);
  });

  it('says of money that we know at another time that we do', async () => {
    const { reference } = await pay({ originatedAt: now - 5 * MINUTE });
    const earlier = new Date(now - 60 * MINUTE).toISOString();
    await tell({ reference, amount: '50.0', origination_time: earlier });
    const { missingHere, missingThere } = await merchant.payments.reconcile(window());
    expect(missingHere).toMatchObject([
      { reference, amountHere: '50.0', difference: 'we know it at another time' },
    ]);
    expect(missingThere).toEqual([]);
  });

  it('is of its window only, also where that is longer than a day', async () => {
    await pay({ reference: 'LATE', originatedAt: now - 5 * MINUTE });
    await pay({ reference: 'EARLY', originatedAt: now - 40 * 60 * MINUTE });
    await pay({ reference: 'BEFORE', originatedAt: now - 60 * 60 * MINUTE });
    const from = new Date(now - 50 * 60 * MINUTE);
    const { missingHere } = await merchant.payments.reconcile(window({ from }));
    expect(missingHere.map(({ reference }) => reference).toSorted()).toEqual(['EARLY', 'LATE']);
  });

  it('is whole where we know more than one page of money', async () => {
    const count = 210;
    await Promise.all(
      Array.from({ length: count }, (_, n) =>
        pay({ reference: `R${n}`, originatedAt: now - 5_000 }),
      ),
    );
    await merchant.app.get(SweepSchedule).sweep();
    const { matched, missingHere, missingThere } = await merchant.payments.reconcile(window());
    expect(matched).toHaveLength(count);
    expect([...missingHere, ...missingThere]).toEqual([]);
  });

  it.each([
    ['empty', () => window({ to: window().from })],
    ['reversed', () => window({ to: new Date(0) })],
    ['no time at all', () => window({ from: new Date('never') })],
  ])('of a window that is %s is refused before anything is asked', async (_, wrong) => {
    await expect(merchant.payments.reconcile(wrong())).rejects.toThrow(PaymentsValidationError);
    expect(
      merchant.simulator.journal
        .entries()
        .filter((entry) => entry.type === 'request' && entry.url.endsWith('/polling')),
    ).toEqual([]);
  });

  it('is an error, not half a report, when the platform cannot be read', async () => {
    merchant.simulator.faults.once('create-5xx-before-commit', { resource: 'polling' });
    await expect(merchant.payments.reconcile(window())).rejects.toMatchObject({
      code: 'PAYMENTS_UNKNOWN_OUTCOME',
    });
  });
});
