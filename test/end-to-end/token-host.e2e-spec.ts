import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { PollingService, TokensService } from '@tillkit/payments';
import { INSTANT_TIMINGS, Simulator } from '@tillkit/simulator';
import { aRequest, Merchant } from '../support/merchant.js';
import { RecordingProxy } from '../support/recording.proxy.js';

describe('A token host of its own', () => {
  let simulator: Simulator;
  let api: RecordingProxy;
  let tokens: RecordingProxy;
  let merchant: Merchant;

  beforeEach(async () => {
    simulator = await Simulator.start({ timings: INSTANT_TIMINGS, seed: 1 });
    api = await RecordingProxy.open(simulator.url);
    tokens = await RecordingProxy.open(simulator.url);
    merchant = await Merchant.open({
      payments: {
        baseUrl: api.url,
        tokenBaseUrl: tokens.url,
        clientId: simulator.clientId,
        clientSecret: simulator.clientSecret,
        apiKeys: [simulator.apiKey],
      },
    });
  });

  afterEach(async () => {
    await Promise.all([merchant.close(), simulator.stop()]);
    await Promise.all([api.close(), tokens.close()]);
  });

  it('gets every OAuth call and no other call, and the platform gets no OAuth call', async () => {
    await merchant.payments.request(aRequest());
    await merchant.received.next('payment.succeeded');
    const service = merchant.app.get(TokensService);
    await service.info();
    await service.introspect();
    await merchant.app.get(PollingService).create({
      fromTime: '2026-01-01T00:00:00+03:00',
      toTime: '2026-01-02T00:00:00+03:00',
    });
    await service.revoke();
    const paths = tokens.requests.map(({ path }) => path);
    expect(new Set(paths)).toEqual(
      new Set(['/oauth/token', '/oauth/token/info', '/oauth/introspect', '/oauth/revoke']),
    );
    expect(api.requests.map(({ path }) => path)).toEqual(
      expect.arrayContaining(['/api/v2/incoming_payments', '/api/v2/polling']),
    );
    expect(api.requests.filter(({ path }) => path.startsWith('/oauth'))).toEqual([]);
  });

  it('is the only one that gets the client secret, while the platform gets the token', async () => {
    await merchant.payments.request(aRequest());
    await merchant.received.next('payment.succeeded');
    const token = await merchant.app.get(TokensService).get();
    expect(tokens.requests.some(({ body }) => body.includes(simulator.clientSecret))).toBe(true);
    expect(JSON.stringify(api.requests)).not.toContain(simulator.clientSecret);
    // The first request only reads the clock, and needs no token.
    expect(new Set(api.requests.slice(1).map(({ authorization }) => authorization))).toEqual(
      new Set([`Bearer ${token}`]),
    );
  });

  it('that does not answer leaves a payment unsent, and the platform is asked nothing', async () => {
    const { url: tokenBaseUrl } = tokens;
    await tokens.close();
    await merchant.close();
    merchant = await Merchant.open({
      payments: {
        baseUrl: api.url,
        tokenBaseUrl,
        sending: { sendBeforeMs: 200 },
        reconciliation: false,
      },
    });
    const payment = await merchant.payments.request(aRequest());
    expect(payment).toMatchObject({ state: 'failed', reason: 'not_sent' });
    expect(api.requests).toEqual([]);
  });
});
