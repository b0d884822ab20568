import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { PaymentsValidationError, SweepsService } from '@tillkit/payments';
import { deliverSigned, webhookBody } from '../support/deliver.js';
import { aRequest, Merchant } from '../support/merchant.js';
import { requestsTo } from '../support/platform.requests.js';

const MINUTE = 60_000;
const PAYER = '+254700000077';

describe('The reconciliation report', () => {
  let merchant: Merchant;
  let now: number;

  beforeEach(async () => {
    now = Date.now();
    merchant = await Merchant.open({
      // The report compares the store with what it reads from the platform: the HTTP adapter plays no part.
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

  const deliverTransaction = async (resource: Record<string, unknown>): Promise<void> => {
    await deliverSigned(merchant.webhookUrl, webhookBody(resource), merchant.simulator.apiKey);
    await merchant.received.next(
      'till.transaction.received',
      ({ transaction }) => transaction.reference === resource['reference'],
    );
  };

  it('is empty when no money moved', async () => {
    expect(await merchant.reconciliation.report(window())).toEqual({
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
    const { transaction } = await merchant.received.next('payment.succeeded');
    const report = await merchant.reconciliation.report(window());
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

  it('shows money that only the platform knows, and emits no event for it', async () => {
    const { reference } = await pay();
    const { missingHere, matched } = await merchant.reconciliation.report(window());
    expect(missingHere).toMatchObject([
      { reference, amountHere: null, amountThere: '50.0', paymentId: null, difference: null },
    ]);
    expect(matched).toEqual([]);
    expect(merchant.received.events).toEqual([]);
    expect(await merchant.payments.findTransaction({ reference, tillNumber: '514459' })).toBeNull();
  });

  it('shows money that only we know', async () => {
    await deliverTransaction({ reference: 'ONLY-HERE', amount: '70.0' });
    const { missingThere, missingHere } = await merchant.reconciliation.report(window());
    expect(missingThere).toMatchObject([
      { reference: 'ONLY-HERE', amountHere: '70.0', amountThere: null, difference: null },
    ]);
    expect(missingHere).toEqual([]);
  });

  it('shows both amounts when they differ, and says when the currencies differ', async () => {
    const { reference } = await pay();
    await deliverTransaction({ reference, amount: '51.0', currency: 'UGX' });
    const { different } = await merchant.reconciliation.report(window());
    expect(different).toMatchObject([
      { reference, amountHere: '51.0', amountThere: '50.0', difference: 'amount, currency' },
    ]);
  });

  it('shows a reversal that only the platform knows', async () => {
    const { reference } = await pay({ originatedAt: now - 5_000 });
    await merchant.app.get(SweepsService).sweep();
    await merchant.simulator.reverse(reference);
    const { different } = await merchant.reconciliation.report(window());
    expect(different).toMatchObject([{ reference, difference: 'reversed there, not here' }]);
  });

  it('shows a reversal that only we know', async () => {
    const { reference } = await pay({ originatedAt: now - 5_000 });
    await merchant.app.get(SweepsService).sweep();
    await deliverSigned(
      merchant.webhookUrl,
      webhookBody(
        { reference, amount: '50.0', status: 'Reversed' },
        { topic: 'buygoods_transaction_reversed' },
      ),
      merchant.simulator.apiKey,
    );
    let existing = await merchant.payments.findTransaction({ reference, tillNumber: '514459' });
    while (!existing?.reversed) {
      await new Promise((resolve) => setTimeout(resolve, 5));
      existing = await merchant.payments.findTransaction({ reference, tillNumber: '514459' });
    }
    const { different } = await merchant.reconciliation.report(window());
    expect(different).toMatchObject([{ reference, difference: 'reversed here, not there' }]);
  });

  it('says when we know the money at a time outside of the window', async () => {
    const { reference } = await pay({ originatedAt: now - 5 * MINUTE });
    const earlier = new Date(now - 60 * MINUTE).toISOString();
    await deliverTransaction({ reference, amount: '50.0', origination_time: earlier });
    const { missingHere, missingThere } = await merchant.reconciliation.report(window());
    expect(missingHere).toMatchObject([
      { reference, amountHere: '50.0', difference: 'we know it at another time' },
    ]);
    expect(missingThere).toEqual([]);
  });

  it('covers exactly its window, also when the window is longer than a day', async () => {
    await pay({ reference: 'LATE', originatedAt: now - 5 * MINUTE });
    await pay({ reference: 'EARLY', originatedAt: now - 40 * 60 * MINUTE });
    await pay({ reference: 'BEFORE', originatedAt: now - 60 * 60 * MINUTE });
    const from = new Date(now - 50 * 60 * MINUTE);
    const { missingHere } = await merchant.reconciliation.report(window({ from }));
    expect(missingHere.map(({ reference }) => reference).toSorted()).toEqual(['EARLY', 'LATE']);
  });

  it('is complete when we know more than one page of money', async () => {
    const count = 210;
    await Promise.all(
      Array.from({ length: count }, (_, n) =>
        pay({ reference: `R${n}`, originatedAt: now - 5_000 }),
      ),
    );
    await merchant.app.get(SweepsService).sweep();
    const { matched, missingHere, missingThere } = await merchant.reconciliation.report(window());
    expect(matched).toHaveLength(count);
    expect([...missingHere, ...missingThere]).toEqual([]);
  });

  it.each([
    ['empty', () => window({ to: window().from })],
    ['reversed', () => window({ to: new Date(0) })],
    ['not a valid time', () => window({ from: new Date('never') })],
  ])('is refused before any request when its window is %s', async (_, wrong) => {
    await expect(merchant.reconciliation.report(wrong())).rejects.toThrow(PaymentsValidationError);
    expect(requestsTo(merchant.simulator, '/polling')).toEqual([]);
  });

  it('is an error, not half a report, when the platform cannot be read', async () => {
    merchant.simulator.faults.once('create-5xx-before-commit', { resource: 'polling' });
    await expect(merchant.reconciliation.report(window())).rejects.toMatchObject({
      code: 'PAYMENTS_UNKNOWN_OUTCOME',
    });
  });
});
