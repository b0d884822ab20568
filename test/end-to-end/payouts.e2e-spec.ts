import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { RequestPayout } from '@tillkit/payments';
import { anomaliesOf } from '../support/anomalies.js';
import { confirmFailure } from '../support/confirmed-failures.js';
import { aPayout, aWallet, Merchant, type MerchantOptions } from '../support/merchant.js';
import { until } from '../support/until.js';

const KES = 'KES';

describe('A payout', () => {
  let merchant: Merchant;
  const open = async (payments: MerchantOptions['payments'] = {}): Promise<void> => {
    await merchant?.close();
    merchant = await Merchant.open({
      payments: { reconciliation: { scheduleMs: [20], intervalMs: 10 }, ...payments },
      simulator: { openingBalances: { '514459': 10_000 } },
    });
  };
  /** Returns the money that really left the till, in cents. */
  const leftTheTill = (): number => 1_000_000 - merchant.simulator.balance('till:514459');
  const sent = (): number => merchant.simulator.payouts().length;

  beforeEach(() => open());
  afterEach(() => merchant.close());

  it('pays each type of destination once, and emits payout.succeeded once', async () => {
    const { simulator } = merchant;
    const [account] = simulator.merchantAccounts();
    const payout = await merchant.payouts.request(
      aPayout({
        destinations: [
          aWallet('+254700000001', '1000.00'),
          {
            type: 'bank_account',
            bankBranchRef: 'branch',
            accountName: 'Flour Ltd',
            accountNumber: '1',
            amount: '200',
            description: 'flour',
          },
          { type: 'till', tillNumber: '000124', amount: '10', description: 'goods' },
          {
            type: 'paybill',
            paybillNumber: '1',
            paybillAccountNumber: '2',
            amount: '10.50',
            description: 'power',
          },
          { type: 'merchant_bank_account', reference: account?.reference ?? '', amount: '5' },
        ],
        metadata: { invoice: 7 },
      }),
    );
    expect(payout).toMatchObject({ state: 'pending', amount: { currency: KES, value: '1225.50' } });
    const { payout: paid } = await merchant.received.next('payout.succeeded');
    expect(paid.destinations.map(({ state }) => state)).toEqual(Array(5).fill('paid'));
    expect(paid.metadata).toEqual({ invoice: 7 });
    await simulator.idle();
    expect(merchant.received.named('payout.succeeded')).toHaveLength(1);
    expect(leftTheTill()).toBe(122_550);
    expect(simulator.handset('+254700000001').inbox()).not.toHaveLength(0);
  });

  it('is partially succeeded when some destinations were not paid, and says which', async () => {
    const { id } = await merchant.payouts.request(
      aPayout({
        destinations: [
          aWallet('+254700000061', '100'),
          aWallet('+254700000062', '50'),
          aWallet('+254700000161', '25'),
        ],
      }),
    );
    await confirmFailure(merchant.simulator, merchant.payouts, id);
    const { payout } = await merchant.received.next('payout.partially-succeeded');
    expect(payout).toMatchObject({ id, state: 'partially_succeeded' });
    expect(payout.destinations).toMatchObject([
      { state: 'paid', transactionReference: expect.any(String) },
      { state: 'failed', errors: [expect.any(String)] },
      { state: 'paid' },
    ]);
    expect(leftTheTill()).toBe(12_500);
  });

  it('fails only after a later read says again that nobody was paid', async () => {
    const { id } = await merchant.payouts.request(
      aPayout({ destinations: [aWallet('+254700000062')] }),
    );
    await confirmFailure(merchant.simulator, merchant.payouts, id);
    const { reason, errors, via } = await merchant.received.next('payout.failed');
    expect(via).toBe('status');
    expect(reason).toBe('unknown');
    expect(errors).not.toHaveLength(0);
    expect(await merchant.payouts.find(id)).toMatchObject({ state: 'failed' });
    expect(leftTheTill()).toBe(0);
  });

  it('fails for lack of funds, and the till keeps its money', async () => {
    const { id } = await merchant.payouts.request(
      aPayout({ destinations: [aWallet(undefined, '20000')] }),
    );
    await confirmFailure(merchant.simulator, merchant.payouts, id);
    const { reason } = await merchant.received.next('payout.failed');
    expect(reason).toBe('insufficient_funds');
    expect(leftTheTill()).toBe(0);
  });

  it('needs review when the platform says Transferred and names errors', async () => {
    const { id } = await merchant.payouts.request(
      aPayout({ destinations: [aWallet('+254700000063')] }),
    );
    const { cause } = await merchant.received.next('payout.needs_review');
    expect(cause).toBe('success_with_errors');
    const by = { by: 'jane', note: 'on the statement' };
    expect(await merchant.payouts.resolve(id, { state: 'succeeded', ...by })).toMatchObject({
      state: 'succeeded',
      destinations: [{ state: 'paid' }],
    });
    const { via } = await merchant.received.next('payout.succeeded');
    expect(via).toBe('review');
  });

  it('stays open while the platform uses a word that nobody knows', async () => {
    const { id } = await merchant.payouts.request(
      aPayout({ destinations: [aWallet('+254700000067')] }),
    );
    await merchant.simulator.idle();
    await expect(merchant.payouts.settled(id, { timeoutMs: 200 })).rejects.toMatchObject({
      code: 'PAYMENTS_SETTLE_TIMEOUT',
      state: 'pending',
    });
    await until(async () =>
      (await anomaliesOf(merchant.store)).some(({ what }) => what === 'unknown status Settling'),
    );
  });

  it('is found by reading when its callbacks never come', async () => {
    await merchant.payouts.request(aPayout({ destinations: [aWallet('+254700000070')] }));
    const { via } = await merchant.received.next('payout.succeeded');
    expect(via).toBe('status');
  });

  it('is sent once for one idempotency key, however often it is asked for', async () => {
    const request = aPayout();
    const payouts = await Promise.all(
      Array.from({ length: 5 }, () => merchant.payouts.request(request)),
    );
    expect(new Set(payouts.map(({ id }) => id)).size).toBe(1);
    await merchant.received.next('payout.succeeded');
    expect(await merchant.payouts.request(request)).toMatchObject({ state: 'succeeded' });
    expect(sent()).toBe(1);
    const other = { ...request, destinations: [aWallet(undefined, '101')] } as RequestPayout;
    await expect(merchant.payouts.request(other)).rejects.toMatchObject({
      code: 'PAYMENTS_IDEMPOTENCY_CONFLICT',
    });
  });

  it('refuses the same destination and amount under another key while it is open, also beside other destinations', async () => {
    const first = await merchant.payouts.request(
      aPayout({ destinations: [aWallet('+254700000064')] }),
    );
    const again = aPayout({
      destinations: [aWallet('+254700000001', '7'), aWallet('0700 000 064', '100')],
    });
    await expect(merchant.payouts.request(again)).rejects.toMatchObject({
      code: 'PAYMENTS_PAYOUT_IN_FLIGHT',
      inTheWay: [{ id: first.id, idempotencyKey: first.idempotencyKey, state: 'pending' }],
    });
    expect(sent()).toBe(1);
    expect(await merchant.payouts.findByIdempotencyKey(again.idempotencyKey)).toBeNull();
    const beside = await merchant.payouts.request({ ...again, besides: [first.id] });
    expect(beside).toMatchObject({ state: 'pending', besides: [first.id] });
  });

  it.each([
    ['with an empty list of destinations', []],
    ['without destinations', undefined],
    ['with null as destinations', null],
  ])('%s would send all funds, so it is refused and nothing is sent', async (_, destinations) => {
    const request = { ...aPayout(), destinations } as unknown as RequestPayout;
    await expect(merchant.payouts.request(request)).rejects.toMatchObject({
      code: 'PAYMENTS_VALIDATION',
      problems: [{ field: 'destinations', problem: expect.stringContaining('ALL funds') }],
    });
    expect(sent()).toBe(0);
    expect(await merchant.payouts.findByIdempotencyKey(request.idempotencyKey)).toBeNull();
  });

  it('never sweeps all funds, also not when the request says so', async () => {
    const request = { idempotencyKey: 'k', currency: KES, sweepAllFunds: true };
    await expect(
      merchant.payouts.request(request as unknown as RequestPayout),
    ).rejects.toMatchObject({ problems: [{ field: 'sweepAllFunds' }] });
    expect(sent()).toBe(0);
  });

  it('of unknown outcome is never sent again, and settles by its callback', async () => {
    merchant.simulator.faults.once('create-reset-after-commit', { resource: 'send_money' });
    const request = aPayout();
    const { state } = await merchant.payouts.request(request);
    expect(state).toBe('unknown');
    await merchant.received.next('payout.succeeded');
    await merchant.payouts.request(request);
    expect(sent()).toBe(1);
  });

  it('of unknown outcome without any evidence ends in review, and blocks the same payout until a person decides', async () => {
    await open({
      reconciliation: { scheduleMs: [20], intervalMs: 10, reviewAfterMs: 200 },
    });
    merchant.simulator.faults.once('create-reset-before-commit', { resource: 'send_money' });
    const { id } = await merchant.payouts.request(aPayout());
    const { cause } = await merchant.received.next('payout.needs_review');
    expect(cause).toBe('no_evidence');
    await expect(merchant.payouts.request(aPayout())).rejects.toMatchObject({ inTheWay: [{ id }] });
    await merchant.payouts.resolve(id, { state: 'failed', by: 'jane', note: 'not sent' });
    expect((await merchant.received.next('payout.failed')).via).toBe('review');
    expect(await merchant.payouts.request(aPayout())).toMatchObject({ state: 'pending' });
  });

  it('above the limit for one payout, or for a day, is refused before anything is recorded', async () => {
    await open({ payouts: { limits: { KES: { perPayout: '500', perDay: '800' } } } });
    let people = 0;
    const request = (amount: string): RequestPayout =>
      aPayout({ destinations: [aWallet(`+25470000${(people += 100)}1`.padEnd(13, '1'), amount)] });
    const refused = { code: 'PAYMENTS_LIMIT_EXCEEDED' };
    await expect(merchant.payouts.request(request('500.01'))).rejects.toMatchObject(refused);
    const results = await Promise.allSettled(
      Array.from({ length: 4 }, () => merchant.payouts.request(request('300'))),
    );
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
    const foreign = { ...request('1'), currency: 'UGX' };
    await expect(merchant.payouts.request(foreign)).rejects.toBeDefined();
    expect(sent()).toBe(2);
  });

  it('that needs approval is sent only when another person approves it', async () => {
    await open({ payouts: { limits: { KES: { approveFrom: '100' } } } });
    const request = aPayout({ requestedBy: 'Jane' });
    await expect(merchant.payouts.request(aPayout())).rejects.toMatchObject({
      problems: [{ field: 'requestedBy' }],
    });
    const { id, state, awaitsApproval } = await merchant.payouts.request(request);
    expect({ state, awaitsApproval }).toEqual({ state: 'created', awaitsApproval: true });
    await merchant.payouts.request(request);
    await expect(merchant.payouts.approve(id, { by: ' jane ' })).rejects.toMatchObject({
      code: 'PAYMENTS_NOT_APPROVABLE',
    });
    expect(sent()).toBe(0);
    const approvals = await Promise.allSettled([
      merchant.payouts.approve(id, { by: 'Peter' }),
      merchant.payouts.approve(id, { by: 'Mary' }),
    ]);
    expect(approvals.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    await merchant.received.next('payout.succeeded');
    expect(sent()).toBe(1);
    const history = (await merchant.payouts.history(id)).map(({ detail }) => detail);
    expect(history.filter((detail) => detail.startsWith('approved by'))).toHaveLength(1);
  });

  it('that is declined fails, and nothing is sent', async () => {
    await open({ payouts: { limits: { KES: { approveFrom: '0' } } } });
    const { id } = await merchant.payouts.request(aPayout({ requestedBy: 'Jane' }));
    await merchant.payouts.decline(id, { by: 'Peter', note: 'wrong amount' });
    const { reason } = await merchant.received.next('payout.failed');
    expect(reason).toBe('declined');
    await expect(merchant.payouts.approve(id, { by: 'Mary' })).rejects.toMatchObject({
      code: 'PAYMENTS_NOT_APPROVABLE',
    });
    expect(sent()).toBe(0);
  });
});
