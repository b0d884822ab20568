import { describe, expect, it } from '@jest/globals';
import { Injectable } from '@nestjs/common';
import {
  MemoryStore,
  OnPaymentEvent,
  TokensService,
  type Payment,
  type PaymentsOptions,
} from '@tillkit/payments';
import { aRequest, aRequestFrom, type Merchant } from '../support/merchant.js';
import { freePort } from '../support/free.port.js';
import { PLATFORMS } from '../support/platforms.js';
import { scripted } from '../support/scripted.merchant.js';
import { CREATE, created, json } from '../support/scripted.platform.js';

const HANDSET = '+254700000014';
const POLL = 'POST /api/v2/polling';

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

@Injectable()
class Retries {
  failed: () => Promise<void> = () => Promise.resolve();
  isCalled = false;

  @OnPaymentEvent('payment.failed')
  async hear(): Promise<void> {
    if (this.isCalled) return;
    this.isCalled = true;
    await this.failed();
  }
}

describe.each(PLATFORMS)('The shutdown of an application on $platform', (platform) => {
  const { platform: remote, open: openAt } = scripted();

  const open = (payments: PaymentsOptions = {}): Promise<Merchant> =>
    openAt({ sending: {}, ...payments }, { platform, providers: [Retries] });

  /** Waits until the platform has received a request to a route. */
  const asked = async (route: string): Promise<void> => {
    while (remote.count(route) === 0) await sleep(5);
  };

  it('waits for the answer to a create that is under way', async () => {
    remote.on(CREATE, (request, response) => {
      setTimeout(() => created('one')(request, response), 300);
    });
    const { payments, app } = await open();
    const requested = payments.request(aRequest());
    await asked(CREATE);
    await app.close();
    expect(await requested).toMatchObject({ state: 'pending', platformId: 'one' });
  });

  it('waits for the answer to a create that a listener begins meanwhile without awaiting it', async () => {
    remote.on(CREATE, json(400, {}));
    const { payments, app } = await open();
    const second = new Promise<Payment>((resolve) => {
      app.get(Retries).failed = async () => {
        remote.on(CREATE, (request, response) => {
          setTimeout(() => created('two')(request, response), 1_000);
        });
        // The application closes meanwhile.
        await sleep(500);
        void payments.request(aRequest()).then(resolve);
        while (remote.count(CREATE) < 2) await sleep(5);
      };
    });
    await payments.request(aRequestFrom('+254700000009')).catch(() => undefined);
    while (!app.get(Retries).isCalled) await sleep(5);
    await app.close();
    expect(await second).toMatchObject({ state: 'pending', platformId: 'two' });
  });

  it('ends the repetition of a create that was answered 429', async () => {
    remote.on(CREATE, (request, response) => {
      setTimeout(() => json(429, {}, { 'retry-after': '30' })(request, response), 50);
    });
    const { payments, app } = await open();
    const requested = payments.request(aRequest());
    await asked(CREATE);
    await app.close();
    expect(await requested).toMatchObject({ state: 'failed', reason: 'not_sent' });
    expect(remote.count(CREATE)).toBe(1);
  });

  it('leaves a payment unsent for the next start while the platform cannot be reached', async () => {
    const { payments, app } = await open({
      baseUrl: `http://127.0.0.1:${await freePort()}`,
      sending: { sendBeforeMs: 60_000 },
    });
    const requested = payments.request(aRequest());
    await sleep(50);
    await app.close();
    expect(await requested).toMatchObject({ state: 'created' });
  });

  it('does not wait for the token that another replica gets', async () => {
    const store = new MemoryStore();
    await store.tokens.claimRenewal(
      { account: 'default', application: remote.application },
      'another replica',
      600_000,
    );
    const { app } = await open({ store, http: { readTimeoutMs: 1_000 } });
    let hasEnded = false;
    const got = app
      .get(TokensService)
      .get()
      .catch(() => undefined)
      .then(() => {
        hasEnded = true;
      });
    await sleep(20);
    await app.close();
    await sleep(200);
    expect(hasEnded).toBe(true);
    await got;
  });

  it('ends the reading of a window with a typed error', async () => {
    remote.on(POLL, json(201, {}, { location: '/api/v2/polling/one' }));
    const { reconciliation, app } = await open();
    const window = { from: new Date(Date.now() - 60_000), to: new Date() };
    const report = reconciliation.report(window).catch((error: unknown) => error);
    await asked(POLL);
    await app.close();
    expect(await report).toMatchObject({ code: expect.stringMatching(/^PAYMENTS_/) });
  });

  it('ends the wait for the outcome of a payment with a typed error', async () => {
    remote.on(CREATE, created('one'));
    const { payments, app } = await open();
    const { id } = await payments.request(aRequestFrom(HANDSET));
    const settled = payments.settled(id).catch((error: unknown) => error);
    await sleep(20);
    await app.close();
    expect(await settled).toMatchObject({ code: expect.stringMatching(/^PAYMENTS_/) });
  });
});
