import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  IdempotencyConflictError,
  IncomingPaymentsService,
  PaymentInFlightError,
  UnknownOutcomeError,
  type PaymentsOptions,
  type PaymentsService,
  type RequestPayment,
} from '@tillkit/payments';
import type { FaultKind, FaultOptions } from '@tillkit/simulator';
import { aRequest, aRequestFrom, aRequestOfAnother, Merchant } from '../support/merchant.js';
import { freePort } from '../support/free.port.js';

const HANDSET = '+254700000014';

describe('A payment that is sent', () => {
  let merchant: Merchant;
  const open = async (payments: PaymentsOptions = {}): Promise<Merchant> =>
    (merchant = await Merchant.open({ payments }));
  const reopen = async (payments: PaymentsOptions): Promise<void> => {
    await merchant.close();
    await open(payments);
  };
  /** The platform does not answer in time. */
  const neverAnswered = async (): Promise<void> => {
    await reopen({ http: { createTimeoutMs: 2_000 } });
    merchant.simulator.faults.once('create-never-answers');
  };
  /** For payments that end only when their time is over. */
  const SHORT = { sending: { sendBeforeMs: 2_000 } };

  beforeEach(() => open());
  afterEach(() => merchant.close());

  const request = (changes: Partial<RequestPayment> = {}): RequestPayment =>
    aRequestFrom(HANDSET, changes);

  describe('with an unknown outcome', () => {
    it.each<[FaultKind, number]>([
      ['create-never-answers', 1],
      ['create-reset-after-commit', 1],
      ['create-reset-before-commit', 0],
      ['create-5xx-after-commit', 1],
      ['create-5xx-before-commit', 0],
      ['create-408', 1],
      ['create-without-location', 1],
    ])('is unknown after the fault %s, and is not sent again', async (fault, charges) => {
      if (fault === 'create-never-answers') await neverAnswered();
      else merchant.simulator.faults.once(fault);
      const payment = await merchant.payments.request(request());
      expect(payment).toMatchObject({ state: 'unknown', platformId: null });
      const again = await merchant.payments.request(
        request({ idempotencyKey: payment.idempotencyKey }),
      );
      expect(again).toMatchObject({ id: payment.id, state: 'unknown' });
      expect(merchant.creates()).toBe(1);
      expect(merchant.simulator.charges()).toHaveLength(charges);
    });

    it('is settled by its callback, which names the payment', async () => {
      await neverAnswered();
      const payment = await merchant.payments.request(aRequest());
      const settled = await merchant.payments.settled(payment.id);
      expect(settled).toMatchObject({
        state: 'succeeded',
        platformId: merchant.simulator.charges()[0]?.paymentId,
      });
    });

    it('is an error of the bare resource, which keeps no record', async () => {
      await neverAnswered();
      const { idempotencyKey: _, ...dto } = request();
      const error: unknown = await merchant.app
        .get(IncomingPaymentsService)
        .create(dto)
        .catch((e: unknown) => e);
      expect(error).toBeInstanceOf(UnknownOutcomeError);
      expect(error).toMatchObject({ code: 'PAYMENTS_UNKNOWN_OUTCOME' });
      expect(merchant.creates()).toBe(1);
    });
  });

  describe('and refused by the platform', () => {
    it('fails as rejected with the words of the platform', async () => {
      const payment = await merchant.payments.request(request({ tillNumber: '999999' }));
      expect(payment).toMatchObject({ state: 'failed', reason: 'rejected' });
      expect(payment.errors.join()).toMatch(/till/i);
      expect((await merchant.received.next('payment.failed')).via).toBe('request');
    });

    it('fails as rejected after a redirect, which is not followed', async () => {
      merchant.simulator.faults.once('create-302');
      const payment = await merchant.payments.request(request());
      expect(payment).toMatchObject({ state: 'failed', reason: 'rejected' });
      expect(payment.errors.join()).toMatch(/redirect/i);
      expect(merchant.simulator.charges()).toHaveLength(0);
    });
  });

  describe('and certainly not processed', () => {
    it('waits for Retry-After after a 429, and is then sent once', async () => {
      merchant.simulator.faults.once('create-429');
      expect(await merchant.payments.request(request())).toMatchObject({ state: 'pending' });
      expect(merchant.simulator.charges()).toHaveLength(1);
    });

    it('fails as not sent when a 429 outlasts the time to send', async () => {
      await reopen(SHORT);
      merchant.simulator.faults.once('create-429', undefined, {
        retryAfter: 60,
      } satisfies FaultOptions);
      expect(await merchant.payments.request(request())).toMatchObject({
        state: 'failed',
        reason: 'not_sent',
      });
      expect(merchant.simulator.charges()).toHaveLength(0);
    });

    it('is sent once more with a new token after a 401', async () => {
      await merchant.payments.request(request());
      merchant.simulator.expireTokens();
      expect(await merchant.payments.request(aRequestFrom('+254700000114'))).toMatchObject({
        state: 'pending',
      });
      expect(merchant.simulator.charges()).toHaveLength(2);
    });

    it('fails as not sent when the platform cannot be reached', async () => {
      await reopen({ ...SHORT, baseUrl: `http://127.0.0.1:${await freePort()}` });
      expect(await merchant.payments.request(request())).toMatchObject({
        state: 'failed',
        reason: 'not_sent',
      });
    });

    it('has its failed attempts to send in its history, the first and the last with the number of attempts', async () => {
      await reopen({ sending: { sendBeforeMs: 4_000 } });
      await merchant.payments.request(aRequestOfAnother());
      await merchant.simulator.stop();
      let payment = await merchant.payments.request(aRequestOfAnother());
      // The first payments may use a connection from before the stop.
      while (payment.state === 'unknown')
        payment = await merchant.payments.request(aRequestOfAnother());
      expect(payment).toMatchObject({ state: 'failed', reason: 'not_sent' });
      const history = await merchant.payments.history(payment.id);
      expect(history.map(({ via, what, detail }) => [via, what, detail])).toEqual([
        ['request', 'state', 'created to requested'],
        ['request', 'attempt', expect.stringMatching(/^attempt 1, 20.*Z: .*ECONNREFUSED/)],
        [
          'request',
          'attempt',
          expect.stringMatching(/^attempts? [2\d to]+(, the last)?, .*ECONNREFUSED/),
        ],
        ['request', 'state', 'requested to failed'],
      ]);
    });

    it('has the failed attempts in its history when a later attempt is accepted', async () => {
      merchant.simulator.faults.once('create-429');
      const payment = await merchant.payments.request(request());
      const history = await merchant.payments.history(payment.id);
      expect(history.map(({ what, detail }) => [what, detail])).toEqual([
        ['state', 'created to requested'],
        ['attempt', expect.stringMatching(/^attempt 1, .*429/)],
        ['state', 'requested to pending'],
      ]);
    });

    it('has the failed attempts to get a token in its history', async () => {
      const baseUrl = `http://127.0.0.1:${await freePort()}`;
      // The background ends a payment too whose time is over, and has made no attempt.
      await reopen({ ...SHORT, baseUrl, reconciliation: false });
      const payment = await merchant.payments.request(request());
      const history = await merchant.payments.history(payment.id);
      expect(history[0]).toMatchObject({
        what: 'attempt',
        detail: expect.stringContaining('ECONNREFUSED'),
      });
      expect(history.at(-1)).toMatchObject({ detail: 'created to failed' });
      expect(history.length).toBeLessThanOrEqual(3);
    });

    it('fails as not sent at once when the credentials are wrong', async () => {
      await reopen({ clientSecret: 'not-the-secret' });
      const payment = await merchant.payments.request(request());
      expect(payment).toMatchObject({ state: 'failed', reason: 'not_sent' });
      expect(payment.errors.join()).toContain('PAYMENTS_CLIENT_SECRET');
    });
  });

  describe.each<FaultKind>([
    'create-foreign-location',
    'create-http-location',
    'create-unversioned-location',
    'create-other-version-location',
  ])('and answered with the fault %s', (fault) => {
    it('keeps its id and is read from the configured origin', async () => {
      merchant.simulator.faults.once(fault);
      const payment = await merchant.payments.request(request());
      expect(payment).toMatchObject({
        state: 'pending',
        platformId: merchant.simulator.charges()[0]?.paymentId,
      });
      await expect(
        merchant.app.get(IncomingPaymentsService).get(payment.platformId as string),
      ).resolves.toBeTruthy();
    });
  });

  describe('more than once', () => {
    it('is the same payment for the same key, however the request is written', async () => {
      const first = await merchant.payments.request(request({ metadata: { a: 1, b: 'x' } }));
      const second = await merchant.payments.request({
        ...request({ metadata: { b: 'x', a: 1 } }),
        idempotencyKey: first.idempotencyKey,
        amount: { currency: 'KES', value: '100' },
        subscriber: { firstName: 'J.', lastName: 'D.', phoneNumber: '0700 000 014' },
      });
      expect(second.id).toBe(first.id);
      expect(merchant.creates()).toBe(1);
    });

    it.each<[string, Partial<RequestPayment>]>([
      ['another amount', { amount: { currency: 'KES', value: '101.00' } }],
      ['another till', { tillNumber: '000123' }],
      ['other metadata', { metadata: { order: 8 } }],
      ['another channel', { paymentChannel: 'Another STK Push' }],
      [
        'another phone',
        { subscriber: { firstName: 'Jane', lastName: 'Doe', phoneNumber: '+254700000114' } },
      ],
    ])('is refused for the same key with %s', async (_, changes) => {
      const { idempotencyKey } = await merchant.payments.request(request());
      const again = merchant.payments.request(request({ idempotencyKey, ...changes }));
      await expect(again).rejects.toThrow(IdempotencyConflictError);
      expect(merchant.creates()).toBe(1);
    });

    it('is refused for another key with the same customer and amount while the first has no outcome', async () => {
      const first = await merchant.payments.request(request());
      await expect(merchant.payments.request(request())).rejects.toThrow(PaymentInFlightError);
      await expect(merchant.payments.request(request())).rejects.toMatchObject({
        inTheWay: [{ id: first.id, idempotencyKey: first.idempotencyKey, state: 'pending' }],
      });
      expect(await merchant.payments.request(request({ besides: [first.id] }))).toMatchObject({
        state: 'pending',
        besides: [first.id],
      });
      await merchant.simulator.idle();
      merchant.simulator.handset(HANDSET).cancel();
      await merchant.received.next('payment.failed');
      expect(merchant.creates()).toBe(2);
    });

    it('prompts the customer once for a hundred simultaneous calls', async () => {
      const same = request();
      const payments = await Promise.all(
        Array.from({ length: 100 }, () => merchant.payments.request(same)),
      );
      expect(new Set(payments.map(({ id }) => id)).size).toBe(1);
      expect(merchant.creates()).toBe(1);
    });
  });

  it('is refused by record() outside of a database transaction, with an error that names request()', async () => {
    const input = {} as Parameters<PaymentsService['record']>[1];
    await expect(merchant.payments.record(aRequest(), input)).rejects.toMatchObject({
      code: 'PAYMENTS_VALIDATION',
      message: expect.stringMatching(/transaction is missing.*use request\(\)/),
    });
  });

  it('is refused by record() when the store has no database', async () => {
    const transaction = { query: async () => undefined };
    await expect(merchant.payments.record(aRequest(), { transaction })).rejects.toMatchObject({
      code: 'PAYMENTS_STORE_UNAVAILABLE',
      message: expect.stringContaining('PostgresStore'),
    });
  });

  it('leaks no secret when its error is inspected', async () => {
    await neverAnswered();
    const { idempotencyKey: _, ...dto } = request();
    const error: unknown = await merchant.app
      .get(IncomingPaymentsService)
      .create(dto)
      .catch((e: unknown) => e);
    const shown = inspect(error, { depth: null, showHidden: true, getters: true });
    expect(shown).not.toContain(merchant.simulator.clientSecret);
    expect(shown).not.toMatch(/Bearer|Authorization|\+254700/i);
  });
});
