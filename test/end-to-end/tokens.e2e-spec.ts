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
import { PLATFORMS } from '../support/platforms.js';

describe.each(PLATFORMS)('tokens on $platform', (platform) => {
  let merchant: Merchant;
  const open = async (
    payments: PaymentsOptions = {},
    simulator: SimulatorOptions = {},
  ): Promise<TokensService> => {
    merchant = await Merchant.open({ platform, payments, simulator });
    return merchant.app.get(TokensService);
  };

  afterEach(() => merchant.close());

  const requests = (path: string): number =>
    merchant.simulator.journal
      .entries()
      .filter((entry) => entry.type === 'request' && entry.url.endsWith(path)).length;

  it('are asked for once by a thousand calls at once', async () => {
    const tokens = await open();
    const got = await Promise.all(Array.from({ length: 1000 }, () => tokens.get()));
    expect(new Set(got).size).toBe(1);
    expect(requests('/oauth/token')).toBe(1);
  });

  it('are renewed before they expire while calls go on', async () => {
    const tokens = await open({}, { tokenLifetime: 1 });
    const first = await tokens.get();
    let latest = first;
    while (latest === first) {
      await new Promise((resolve) => setTimeout(resolve, 20));
      latest = await tokens.get();
      await expect(tokens.introspect(latest)).resolves.toMatchObject({ active: true });
    }
    expect(requests('/oauth/token')).toBe(2);
  });

  it('are renewed once for all calls that were answered 401, each repeated once', async () => {
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
    expect(requests('/polling/nothing')).toBe(100);
  });

  it.each([
    ['token-5xx', 'PAYMENTS_UNAVAILABLE'],
    ['token-nonsense', 'PAYMENTS_UNREADABLE_RESPONSE'],
    ['token-slow', 'PAYMENTS_TIMEOUT'],
  ] as const)(
    'that cannot be had (%s) give every caller one clear error, without a stampede',
    async (fault, code) => {
      const tokens = await open({ http: { tokenTimeoutMs: 100 } });
      merchant.simulator.faults.rate(fault, 1);
      const got = await Promise.allSettled(Array.from({ length: 100 }, () => tokens.get()));
      expect(
        got.map((one) => one.status === 'rejected' && (one.reason as { code: string }).code),
      ).toEqual(Array(100).fill(code));
      await expect(tokens.get()).rejects.toMatchObject({ code });
      expect(requests('/oauth/token')).toBeLessThanOrEqual(4);
    },
  );

  it('that were refused are not asked for in a loop', async () => {
    const tokens = await open({ clientSecret: 'wrong' });
    await expect(tokens.get()).rejects.toThrow(/PAYMENTS_CLIENT_SECRET/);
    expect(requests('/oauth/token')).toBe(1);
  });

  it.each(['token-created-at-missing', 'token-created-at-iso'] as const)(
    'are taken with %s',
    async (fault) => {
      const tokens = await open();
      merchant.simulator.faults.once(fault);
      await expect(tokens.get()).resolves.toBeTruthy();
    },
  );

  it('tell of themselves', async () => {
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

  it('that were revoked are forgotten, and the next call has a new one', async () => {
    const tokens = await open();
    const token = await tokens.get();
    await tokens.revoke();
    expect(await tokens.introspect(token)).toMatchObject({ active: false });
    expect(await tokens.get()).not.toBe(token);
  });

  it('of others are revoked without losing ours', async () => {
    const tokens = await open();
    const token = await tokens.get();
    await tokens.revoke('another');
    expect(await tokens.get()).toBe(token);
  });

  it('are shared by replicas, so that a platform which keeps only the newest has none of them ask in turns', async () => {
    const store = new MemoryStore();
    const mine = await open({ store }, { singleToken: true });
    const { url, clientId, clientSecret } = merchant.simulator;
    const replica = await Merchant.open({
      platform,
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

  it('of another replica that ended with ours are renewed: a payment fails only when a new one is refused', async () => {
    const store = new MemoryStore();
    const mine = await open({ store });
    const { url, clientId, clientSecret } = merchant.simulator;
    const replica = await Merchant.open({
      platform,
      payments: { store, baseUrl: url, clientId, clientSecret },
    });
    try {
      await mine.get();
      await replica.app.get(TokensService).get();
      // The other replica renews it, we do not hear of that, and then both end.
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

  it('need none to be revoked when there is none', async () => {
    const tokens = await open();
    await tokens.revoke();
    expect(requests('/oauth/revoke')).toBe(0);
  });

  it('that expire while a create is under way cost a repeat, not a second prompt', async () => {
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
