import { afterEach, describe, expect, it } from '@jest/globals';
import {
  IncomingPaymentsService,
  MemoryStore,
  PollingService,
  TokensService,
  type PaymentsOptions,
} from '@tillkit/payments';
import type { SimulatorOptions } from '@tillkit/simulator';
import { aRequestFrom, Merchant } from '../support/merchant.js';
import { requestsTo } from '../support/platform.requests.js';

describe('Tokens', () => {
  let merchant: Merchant;
  const open = async (
    payments: PaymentsOptions = {},
    simulator: SimulatorOptions = {},
  ): Promise<TokensService> => {
    merchant = await Merchant.open({ payments, simulator });
    return merchant.app.get(TokensService);
  };

  afterEach(() => merchant.close());

  const requests = (path: string): number => requestsTo(merchant.simulator, path).length;

  it('are requested once for a thousand simultaneous calls', async () => {
    const tokens = await open();
    const got = await Promise.all(Array.from({ length: 1000 }, () => tokens.get()));
    expect(new Set(got).size).toBe(1);
    expect(requests('/oauth/token')).toBe(1);
  });

  it('are renewed before they expire while calls continue', async () => {
    // A token is renewed a fifth of its life before its end, which is more than a slow machine needs for one request.
    const tokens = await open({}, { tokenLifetime: 15 });
    const first = await tokens.get();
    let latest = first;
    while (latest === first) {
      await new Promise((resolve) => setTimeout(resolve, 20));
      latest = await tokens.get();
      await expect(tokens.introspect(latest)).resolves.toMatchObject({ active: true });
    }
    expect(requests('/oauth/token')).toBe(2);
  });

  it('are renewed once for all calls that were answered 401, and each call is repeated once', async () => {
    const tokens = await open();
    await tokens.get();
    merchant.simulator.expireTokens();
    const reads = await Promise.allSettled(
      Array.from({ length: 50 }, () => merchant.app.get(PollingService).get('nothing')),
    );
    expect(
      reads.every(
        (read) => read.status === 'rejected' && (read.reason as { status: number }).status === 404,
      ),
    ).toBe(true);
    expect(requests('/oauth/token')).toBe(2);
    expect(requests('/api/v2/polling/nothing')).toBe(100);
  });

  it.each([
    ['token-5xx', 'PAYMENTS_UNAVAILABLE'],
    ['token-nonsense', 'PAYMENTS_UNREADABLE_RESPONSE'],
    ['token-slow', 'PAYMENTS_TIMEOUT'],
  ] as const)(
    'that the platform does not give because of the fault %s are one clear error for every caller, without a thundering herd',
    async (fault, code) => {
      const tokens = await open({
        http: { readTimeoutMs: fault === 'token-slow' ? 1_000 : 30_000 },
      });
      merchant.simulator.faults.rate(fault, 1);
      const got = await Promise.allSettled(Array.from({ length: 100 }, () => tokens.get()));
      expect(
        got.map((one) => one.status === 'rejected' && (one.reason as { code: string }).code),
      ).toEqual(Array(100).fill(code));
      await expect(tokens.get()).rejects.toMatchObject({ code });
      expect(requests('/oauth/token')).toBeLessThanOrEqual(4);
    },
  );

  it('that were refused are not requested again', async () => {
    const tokens = await open({ clientSecret: 'wrong' });
    await expect(tokens.get()).rejects.toThrow(/PAYMENTS_CLIENT_SECRET/);
    expect(requests('/oauth/token')).toBe(1);
  });

  it.each(['token-created-at-missing', 'token-created-at-iso'] as const)(
    'are accepted with the fault %s',
    async (fault) => {
      const tokens = await open();
      merchant.simulator.faults.once(fault);
      await expect(tokens.get()).resolves.toBeTruthy();
    },
  );

  it('can be inspected by token info and by introspection', async () => {
    const tokens = await open();
    const token = await tokens.get();
    expect(await tokens.info()).toMatchObject({
      resourceOwnerId: null,
      scope: [],
      applicationUid: merchant.simulator.clientId,
    });
    expect(await tokens.introspect()).toMatchObject({
      active: true,
      clientId: merchant.simulator.clientId,
      tokenType: 'Bearer',
      scope: '',
    });
    expect((await tokens.introspect(token)).expiresAt).toBeInstanceOf(Date);
    expect(await tokens.introspect('another')).toMatchObject({ active: false, expiresAt: null });
  });

  it('that were revoked are not used again, and the next call gets a new one', async () => {
    const tokens = await open();
    const token = await tokens.get();
    await tokens.revoke();
    expect(await tokens.introspect(token)).toMatchObject({ active: false });
    expect(await tokens.get()).not.toBe(token);
  });

  it('of others can be revoked without the loss of ours', async () => {
    const tokens = await open();
    const token = await tokens.get();
    await tokens.revoke('another');
    expect(await tokens.get()).toBe(token);
  });

  it('are shared by replicas, so that they do not replace each other on a platform that keeps only the newest', async () => {
    const store = new MemoryStore();
    const mine = await open({ store }, { singleToken: true });
    const { url, clientId, clientSecret } = merchant.simulator;
    const replica = await Merchant.open({
      payments: { store, baseUrl: url, clientId, clientSecret },
    });
    const theirs = replica.app.get(TokensService);
    for (let round = 0; round < 5; round += 1) {
      await Promise.all([mine.info(), theirs.info(), mine.info(), theirs.info()]);
    }
    expect(requests('/oauth/token')).toBe(1);
    merchant.simulator.expireTokens();
    for (let round = 0; round < 5; round += 1) await Promise.all([mine.info(), theirs.info()]);
    expect(requests('/oauth/token')).toBe(2);
    expect(await theirs.get()).toBe(await mine.get());
    await replica.close();
  });

  it('are renewed for a payment when ours and the one of another replica have expired', async () => {
    const store = new MemoryStore();
    const mine = await open({ store });
    const { url, clientId, clientSecret } = merchant.simulator;
    const replica = await Merchant.open({
      payments: { store, baseUrl: url, clientId, clientSecret },
    });
    try {
      await mine.get();
      await replica.app.get(TokensService).get();
      // The other replica renews the token without our knowledge, and then both tokens expire.
      merchant.simulator.expireTokens();
      await replica.app.get(TokensService).info();
      merchant.simulator.expireTokens();
      const payment = await merchant.payments.request(aRequestFrom('+254700000014'));
      expect(payment).toMatchObject({ state: 'pending', reason: null });
      expect(merchant.simulator.charges()).toHaveLength(1);
      expect(requests('/oauth/token')).toBe(3);
    } finally {
      await replica.close();
    }
  });

  it('cause no request when there is none to revoke', async () => {
    const tokens = await open();
    await tokens.revoke();
    expect(requests('/oauth/revoke')).toBe(0);
  });

  it('that expire while a create is under way cause one repetition and no second prompt', async () => {
    await open();
    merchant.simulator.faults.once('token-expires-mid-flight');
    const payment = await merchant.payments.request(aRequestFrom('+254700000014'));
    expect(payment.state).toBe('pending');
    expect(merchant.simulator.charges()).toHaveLength(1);
    await expect(
      merchant.app.get(IncomingPaymentsService).get(payment.platformId as string),
    ).resolves.toBeTruthy();
  });
});
