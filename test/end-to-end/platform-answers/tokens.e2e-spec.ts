import { describe, expect, it } from '@jest/globals';
import { MemoryStore, TokensService } from '@tillkit/payments';
import type { SealedToken, TokenHolder } from '@tillkit/payments/internal/store';
import { scripted } from '../../support/scripted.merchant.js';
import { json, TOKEN } from '../../support/scripted.platform.js';

describe('The answer to a token request', () => {
  // The application only sends here: both HTTP adapters would show the same.
  const { platform, open } = scripted();

  const holder = (): TokenHolder => ({
    account: 'default',
    application: platform.application,
  });

  it.each([
    ['that is no object', [1], /not a JSON object/],
    [
      'with another kind of token',
      { access_token: 'x', token_type: 'mac', expires_in: 5 },
      /token_type/,
    ],
    ['with a lifetime of 0 s', { access_token: 'x', expires_in: 0 }, /expires_in/],
  ])('%s is an error that says what is wrong', async (_, body, words) => {
    platform.on(TOKEN, json(200, body));
    const { app } = await open();
    await expect(app.get(TokensService).get()).rejects.toThrow(words);
  });

  it('that another replica gets is used by this replica as well', async () => {
    const store = new MemoryStore();
    const merchant = await open({ store });
    await merchant.app.get(TokensService).get();
    const shared = (await store.tokens.read(holder())) as SealedToken;
    await merchant.close();
    await store.tokens.clear(holder());
    await store.tokens.claimRenewal(holder(), 'another replica', 60_000);

    const { app } = await open({ store });
    const got = app.get(TokensService).get();
    await new Promise((resolve) => setTimeout(resolve, 120));
    await store.tokens.save(holder(), 'another replica', shared);
    expect(await got).toBe('a-token');
    expect(platform.count(TOKEN)).toBe(1);
  });

  it('that asks to wait is obeyed', async () => {
    platform.on(TOKEN, json(429, {}, { 'retry-after': '60' }));
    const { app } = await open();
    const tokens = app.get(TokensService);
    await expect(tokens.get()).rejects.toMatchObject({ code: 'PAYMENTS_RATE_LIMITED' });
    // This is longer than the time for which the error of any other failure is kept.
    await new Promise((resolve) => setTimeout(resolve, 1_200));
    await expect(tokens.get()).rejects.toMatchObject({ code: 'PAYMENTS_CIRCUIT_OPEN' });
    expect(platform.count(TOKEN)).toBe(1);
  });

  it.each<[string, string, (tokens: TokensService) => Promise<unknown>]>([
    ['info of a token', 'GET /oauth/token/info', (tokens) => tokens.info()],
    ['introspection of a token', 'POST /oauth/introspect', (tokens) => tokens.introspect('x')],
    ['revocation of a token', 'POST /oauth/revoke', (tokens) => tokens.revoke('x')],
  ])('that asks to wait, for the %s, holds back the next such request', async (_, route, ask) => {
    platform.on(route, json(429, {}, { 'retry-after': '60' }));
    const { app } = await open();
    await expect(ask(app.get(TokensService))).rejects.toMatchObject({
      code: 'PAYMENTS_RATE_LIMITED',
    });
    await expect(ask(app.get(TokensService))).rejects.toMatchObject({
      code: 'PAYMENTS_CIRCUIT_OPEN',
    });
    expect(platform.count(route)).toBe(1);
  });

  it('that another replica never gets is one clear error', async () => {
    const store = new MemoryStore();
    await store.tokens.claimRenewal(holder(), 'another replica', 60_000);
    const { app } = await open({ store, http: { readTimeoutMs: 30 } });
    await expect(app.get(TokensService).get()).rejects.toThrow(
      /Another replica did not finish its renewal/,
    );
    expect(platform.count(TOKEN)).toBe(0);
  });
});
