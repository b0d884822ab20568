import { afterEach, describe, expect, it } from '@jest/globals';
import {
  IncomingPaymentsService,
  PlatformRedirectError,
  PollingService,
  TokensService,
} from '@tillkit/payments';
import { CERTIFICATE } from '../../libs/simulator/src/testing/certificate.fixture.js';
import { aRequestFrom, Merchant } from '../support/merchant.js';
import { PLATFORMS } from '../support/platforms.js';

describe.each(PLATFORMS)('the way to the platform on $platform', (platform) => {
  let merchant: Merchant;

  afterEach(() => merchant.close());

  it('is HTTPS, with a private authority where one is set', async () => {
    merchant = await Merchant.open({
      platform,
      simulator: { tls: CERTIFICATE },
      payments: { http: { ca: CERTIFICATE.cert } },
    });
    expect(merchant.simulator.url).toMatch(/^https:/);
    expect(await merchant.payments.request(aRequestFrom('+254700000014'))).toMatchObject({
      state: 'pending',
    });
  });

  it('is closed to a certificate that nobody trusts: nothing is sent', async () => {
    merchant = await Merchant.open({
      platform,
      simulator: { tls: CERTIFICATE },
      payments: { sending: { sendBeforeMs: 300 } },
    });
    const payment = await merchant.payments.request(aRequestFrom('+254700000014'));
    expect(payment).toMatchObject({ state: 'failed', reason: 'not_sent' });
    expect(merchant.simulator.charges()).toHaveLength(0);
  });

  it('follows no redirect of plain HTTP, and carries no secret to it', async () => {
    merchant = await Merchant.open({ platform, simulator: { tls: CERTIFICATE } });
    const { redirectUrl } = merchant.simulator;
    const plain = await Merchant.open({ platform, payments: { baseUrl: redirectUrl as string } });
    const refused = plain.app.get(TokensService).get();
    await expect(refused).rejects.toThrow(PlatformRedirectError);
    await expect(refused).rejects.toThrow(/https: origin of the platform/);
    expect(await plain.payments.request(aRequestFrom('+254700000014'))).toMatchObject({
      state: 'failed',
      reason: 'not_sent',
    });
    await plain.close();
  });

  it("names the host's own product before ours", async () => {
    merchant = await Merchant.open({ platform, payments: { userAgent: 'my-shop/1.4.0' } });
    await merchant.payments.request(aRequestFrom('+254700000014'));
    const entry = merchant.simulator.journal
      .entries()
      .find((one) => one.type === 'request' && one.url.endsWith('/incoming_payments'));
    expect(entry?.type === 'request' && entry.headers['user-agent']).toMatch(
      /^my-shop\/1\.4\.0 \(tillkit-payments\/[\d.]+; node\/[\d.]+\)$/,
    );
  });

  it.each(['read-slow', 'read-drip'] as const)(
    'ends a read at its deadline (%s)',
    async (fault) => {
      merchant = await Merchant.open({ platform, payments: { http: { readTimeoutMs: 100 } } });
      const { platformId } = await merchant.payments.request(aRequestFrom('+254700000014'));
      merchant.simulator.faults.rate(fault, 1);
      const read = merchant.app.get(IncomingPaymentsService).get(platformId as string);
      await expect(read).rejects.toMatchObject({ code: 'PAYMENTS_TIMEOUT' });
    },
  );

  it('takes no answer larger than the limit', async () => {
    merchant = await Merchant.open({ platform, payments: { http: { maxResponseBytes: 200 } } });
    await merchant.simulator.payTill({
      tillNumber: '514459',
      phoneNumber: '+254700000001',
      amount: 5,
    });
    for (let n = 0; n < 10; n += 1) {
      await merchant.simulator.payTill({
        tillNumber: '514459',
        phoneNumber: '+254700000001',
        amount: 5,
      });
    }
    const service = merchant.app.get(PollingService);
    const now = Date.now();
    const { id } = await service.create({
      fromTime: new Date(now - 60_000).toISOString(),
      toTime: new Date(now + 60_000).toISOString(),
    });
    await merchant.simulator.idle();
    await expect(service.get(id)).rejects.toThrow(/larger than the limit/);
  });
});
