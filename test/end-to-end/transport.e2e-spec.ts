import { createServer, type AddressInfo, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { IncomingPaymentsService, PlatformRedirectError, TokensService } from '@tillkit/payments';
import { CERTIFICATE } from '../../libs/simulator/src/testing/certificate.fixture.js';
import { aRequest, aRequestFrom, aRequestOfAnother, Merchant } from '../support/merchant.js';
import {
  CREATE,
  created,
  json,
  ScriptedPlatform,
  type Handler,
} from '../support/scripted.platform.js';

describe('The connection to the platform', () => {
  let merchant: Merchant;

  afterEach(() => merchant.close());

  it('uses HTTPS, with a private certificate authority when one is set', async () => {
    merchant = await Merchant.open({
      simulator: { tls: CERTIFICATE },
      payments: { http: { tls: { ca: CERTIFICATE.cert } } },
    });
    expect(merchant.simulator.url).toMatch(/^https:/);
    expect(await merchant.payments.request(aRequestFrom('+254700000014'))).toMatchObject({
      state: 'pending',
    });
  });

  it('sends nothing when the certificate is not trusted', async () => {
    merchant = await Merchant.open({
      simulator: { tls: CERTIFICATE },
      payments: { sending: { sendBeforeMs: 300 } },
    });
    const payment = await merchant.payments.request(aRequestFrom('+254700000014'));
    expect(payment).toMatchObject({ state: 'failed', reason: 'not_sent' });
    expect(merchant.simulator.charges()).toHaveLength(0);
  });

  it('follows no redirect of plain HTTP, and sends no secret to it', async () => {
    merchant = await Merchant.open({ simulator: { tls: CERTIFICATE } });
    const { redirectUrl } = merchant.simulator;
    const plain = await Merchant.open({ payments: { baseUrl: redirectUrl as string } });
    const refused = plain.app.get(TokensService).get();
    await expect(refused).rejects.toThrow(PlatformRedirectError);
    await expect(refused).rejects.toThrow(/https: origin of the platform/);
    expect(await plain.payments.request(aRequestFrom('+254700000014'))).toMatchObject({
      state: 'failed',
      reason: 'not_sent',
    });
    await plain.close();
  });

  it("names the host's own product before ours in the User-Agent header", async () => {
    merchant = await Merchant.open({ payments: { userAgent: 'my-shop/1.4.0' } });
    await merchant.payments.request(aRequestFrom('+254700000014'));
    expect(merchant.lastPost('/incoming_payments').headers['user-agent']).toMatch(
      /^my-shop\/1\.4\.0 \(tillkit-payments\/[\d.]+; node\/[\d.]+\)$/,
    );
  });

  it('counts a payment as not sent when it breaks while TLS is set up', async () => {
    const server = createServer((socket: Socket) => socket.destroy());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    merchant = await Merchant.open({
      payments: { baseUrl: `https://127.0.0.1:${port}`, sending: { sendBeforeMs: 500 } },
    });
    expect(await merchant.payments.request(aRequest())).toMatchObject({
      state: 'failed',
      reason: 'not_sent',
    });
    await new Promise((resolve) => server.close(resolve));
  });

  it.each(['read-slow', 'read-drip'] as const)(
    'ends a read at its deadline with the fault %s',
    async (fault) => {
      merchant = await Merchant.open({ payments: { http: { readTimeoutMs: 1_500 } } });
      const { platformId } = await merchant.payments.request(aRequestFrom('+254700000014'));
      merchant.simulator.faults.rate(fault, 1);
      const read = merchant.app.get(IncomingPaymentsService).get(platformId as string);
      await expect(read).rejects.toMatchObject({ code: 'PAYMENTS_TIMEOUT' });
    },
  );

  it.each([421, 503])(
    'is not used again after a %s, because its address may not be that of the platform any more',
    async (status) => {
      const platform = await ScriptedPlatform.open();
      const ports: unknown[] = [];
      const seen =
        (answer: Handler): Handler =>
        (request, response) => {
          ports.push(request.socket.remotePort);
          answer(request, response);
        };
      platform.on(CREATE, seen(created('one')), seen(json(status, {})), seen(created('two')));
      merchant = await Merchant.open({ payments: platform.settings });
      for (let index = 0; index < 3; index += 1)
        await merchant.payments.request(aRequestOfAnother());
      expect(ports[1]).toBe(ports[0]);
      expect(ports[2]).not.toBe(ports[1]);
      await platform.close();
    },
  );
});
