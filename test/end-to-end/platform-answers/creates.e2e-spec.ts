import { describe, expect, it } from '@jest/globals';
import { MemoryStore, StoreUnavailableError } from '@tillkit/payments';
import { altered } from '../../support/altered.store.js';
import { aRequest, aRequestFrom } from '../../support/merchant.js';
import { scripted } from '../../support/scripted.merchant.js';
import { CREATE, created, json, TOKEN, token } from '../../support/scripted.platform.js';

const CREATED = json(201, {}, { location: '/api/v2/incoming_payments/one' });

describe('The answer to a create', () => {
  // The application only sends here: both HTTP adapters would show the same.
  const { platform, open } = scripted();

  it.each([405, 409, 410, 418, 500])(
    'leaves the payment unknown with status %i, because it may have prompted the customer',
    async (status) => {
      platform.on(CREATE, json(status, {}));
      const { payments } = await open();
      expect(await payments.request(aRequest())).toMatchObject({ state: 'unknown' });
      expect(platform.count(CREATE)).toBe(1);
    },
  );

  it.each([
    'http://[',
    '',
    '/api/v2/incoming_payments',
    'https://p.example/api/v2/incoming_payments/',
    '/api/v2/incoming_payments/one%2ftwo',
    '/api/v2/incoming_payments/%2e%2e',
    '/api/v2/incoming_payments/..',
  ])('leaves the payment unknown when its Location has no id (%j)', async (location) => {
    platform.on(CREATE, json(201, {}, { location }));
    const { payments } = await open();
    expect(await payments.request(aRequest())).toMatchObject({
      state: 'unknown',
      platformId: null,
    });
  });

  it.each([400, 403, 404, 422])(
    'fails the payment as rejected with status %i and the words of the platform',
    async (status) => {
      platform.on(CREATE, json(status, { error_message: 'No such till' }));
      const { payments } = await open();
      expect(await payments.request(aRequest())).toMatchObject({
        state: 'failed',
        reason: 'rejected',
        errors: [expect.stringContaining('No such till')],
      });
    },
  );

  it('fails the payment as not sent when it is 401 until its time is over', async () => {
    platform.on(CREATE, json(401, {}));
    const { payments } = await open({ sending: { sendBeforeMs: 3_000 } });
    expect(await payments.request(aRequest())).toMatchObject({
      state: 'failed',
      reason: 'not_sent',
    });
    expect(platform.count(CREATE)).toBeGreaterThanOrEqual(2);
  });

  it('is repeated after a second 401, because a new token may be known only later', async () => {
    platform.on(CREATE, json(401, {}), json(401, {}), json(401, {}), CREATED);
    const { payments } = await open({ sending: { sendBeforeMs: 20_000 } });
    expect(await payments.request(aRequest())).toMatchObject({ state: 'pending' });
  });

  it('fails the payment as not sent when it is 401 and the next token is unusable', async () => {
    platform.on(CREATE, json(401, {}));
    platform.on(TOKEN, token(), json(200, { access_token: 'a\ntoken', expires_in: 60 }));
    const { payments } = await open({ sending: { sendBeforeMs: 3_000 } });
    const payment = await payments.request(aRequest());
    expect(payment).toMatchObject({ state: 'failed', reason: 'not_sent' });
    expect(payment.errors.join()).toContain('access_token cannot be used');
  });

  it('fails the payment as not sent when it is 401 and the next token comes too late', async () => {
    platform.on(CREATE, json(401, {}));
    platform.on(TOKEN, token(), (request, response) => {
      setTimeout(() => token({ access_token: 'another' })(request, response), 2_500);
    });
    const { payments } = await open({ sending: { sendBeforeMs: 1_500 } });
    const payment = await payments.request(aRequest());
    expect(payment).toMatchObject({ state: 'failed', reason: 'not_sent' });
    expect(payment.errors.join()).toContain('the time to send it was over');
    expect(platform.count(CREATE)).toBe(1);
  });

  it('lets the create be repeated when it is 429 without Retry-After, because nobody was prompted', async () => {
    platform.on(CREATE, json(429, {}), created('one'));
    const { payments } = await open({ sending: { sendBeforeMs: 20_000 } });
    expect(await payments.request(aRequest())).toMatchObject({
      state: 'pending',
      platformId: 'one',
    });
    expect(platform.count(CREATE)).toBe(2);
  });

  it('leaves the second payment unknown when its id belongs to another payment', async () => {
    platform.on(CREATE, created('one'));
    const { payments } = await open();
    await payments.request(aRequest());
    expect(await payments.request(aRequestFrom('+254700000002'))).toMatchObject({
      state: 'unknown',
      platformId: null,
    });
  });

  it('causes no requests in the background when it is a refusal', async () => {
    platform.on(CREATE, json(422, {}));
    const reconciliation = { scheduleMs: [1], intervalMs: 1 };
    const { payments, received } = await open({ reconciliation });
    await payments.request(aRequestFrom('+254700000002'));
    await received.next('payment.failed');
    const reads = platform.asked.filter((route) =>
      route.startsWith('GET /api/v2/incoming_payments/'),
    );
    expect(reads).toEqual([]);
  });

  describe('while the store is unavailable', () => {
    /** A store that is unavailable the first times that the answer of the platform is committed. */
    class InterruptedStore {
      failures = 2;

      readonly store = altered(new MemoryStore(), {
        ledger: {
          commit: (commit) => async (change) => {
            const isAnswer = Boolean(change.operation?.set.platformId);
            if (isAnswer && this.failures > 0) {
              this.failures -= 1;
              throw new StoreUnavailableError('no connection');
            }
            return commit(change);
          },
        },
      });
    }

    it('is recorded as soon as the store is available again', async () => {
      platform.on(CREATE, created('one'));
      const { payments } = await open({ store: new InterruptedStore().store });
      expect(await payments.request(aRequest())).toMatchObject({
        state: 'pending',
        platformId: 'one',
      });
      expect(platform.count(CREATE)).toBe(1);
    });

    it('is abandoned when the application closes, and the payment stays requested', async () => {
      platform.on(CREATE, created('one'));
      const interrupted = new InterruptedStore();
      interrupted.failures = 1_000;
      const { payments, app } = await open({ store: interrupted.store });
      const input = aRequest();
      const requested = payments.request(input).catch((error: unknown) => error);
      while (interrupted.failures > 999) await new Promise((resolve) => setTimeout(resolve, 5));
      await app.close();
      expect(await requested).toBeInstanceOf(StoreUnavailableError);
      expect(await payments.findByIdempotencyKey(input.idempotencyKey)).toMatchObject({
        state: 'requested',
      });
    });
  });
});
