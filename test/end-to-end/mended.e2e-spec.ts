import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from '@jest/globals';
import { ExpressAdapter } from '@nestjs/platform-express';
import { MemoryStore, SweepSchedule, PollingService, TokensService } from '@tillkit/payments';
import express from 'express';
import { deliverSigned, webhookBody } from '../support/deliver.js';
import { aRequest, aRequestFrom, Merchant } from '../support/merchant.js';
import { PLATFORMS, type Platform } from '../support/platforms.js';

const [platform] = PLATFORMS as [Platform, Platform];
const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

async function stub(answer: (route: string, response: ServerResponse) => void): Promise<Server> {
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      if (request.url === '/oauth/token') {
        response.writeHead(200).end('{"access_token":"t","token_type":"bearer","expires_in":3600}');
      } else answer(`${request.method} ${request.url}`, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}
const urlOf = (server: Server): string =>
  `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

describe('faults that were found, and are mended', () => {
  let merchant: Merchant;
  let server: Server | undefined;
  afterEach(async () => {
    await merchant.close();
    server?.closeAllConnections();
    server?.close();
    server = undefined;
  });

  it.each([
    '/api/v2/incoming_payments',
    'https://p.example/api/v2/incoming_payments/',
    '/api/v2/incoming_payments/%2e%2e',
    '/api/v2/incoming_payments/..',
  ])('a Location without an id (%s) leaves the payment unknown', async (location) => {
    server = await stub((_, response) => response.writeHead(201, { location }).end());
    merchant = await Merchant.open({
      platform,
      payments: { baseUrl: urlOf(server), reconciliation: false },
    });
    expect(await merchant.payments.request(aRequest())).toMatchObject({
      state: 'unknown',
      platformId: null,
    });
  });

  it('an id that belongs to another payment leaves the second one unknown', async () => {
    server = await stub((_, response) =>
      response.writeHead(201, { location: '/api/v2/incoming_payments/one' }).end(),
    );
    merchant = await Merchant.open({
      platform,
      payments: { baseUrl: urlOf(server), reconciliation: false },
    });
    await merchant.payments.request(aRequest());
    expect(await merchant.payments.request(aRequestFrom('+254700000002'))).toMatchObject({
      state: 'unknown',
      platformId: null,
    });
  });

  it('a wild Retry-After does not keep a payment from review', async () => {
    server = await stub((route, response) => {
      if (route.startsWith('POST'))
        response.writeHead(201, { location: '/api/v2/incoming_payments/one' }).end();
      else response.writeHead(503, { 'retry-after': '999999999' }).end();
    });
    merchant = await Merchant.open({
      platform,
      payments: {
        baseUrl: urlOf(server),
        reconciliation: { scheduleMs: [20], intervalMs: 10, reviewAfterMs: 300, sweepEveryMs: 0 },
      },
    });
    const { id } = await merchant.payments.request(aRequest());
    expect(await merchant.payments.settled(id, { timeoutMs: 3000 })).toMatchObject({
      state: 'needs_review',
    });
  });

  it('a webhook over 64 kB is refused also where the host kept its bytes', async () => {
    merchant = await Merchant.open({
      platform,
      create: (module) => {
        const app = express();
        app.use(
          express.json({
            limit: '1mb',
            verify: (request, _, bytes) => Object.assign(request, { rawBody: bytes }),
          }),
        );
        return module.createNestApplication(new ExpressAdapter(app));
      },
    });
    const large = webhookBody({ system: 'x'.repeat(65 * 1024) });
    expect(
      await deliverSigned(merchant.payments.webhookUrl(), large, merchant.simulator.apiKey),
    ).toMatchObject({ status: 413 });
  });
  it('a compressed webhook is refused also where the host kept its bytes', async () => {
    merchant = await Merchant.open({
      platform,
      create: (module) => {
        const app = express();
        app.use(
          express.json({
            limit: '1mb',
            verify: (request, _, bytes) => Object.assign(request, { rawBody: bytes }),
          }),
        );
        return module.createNestApplication(new ExpressAdapter(app));
      },
    });
    const { signDelivery } = await import('@tillkit/payments');
    const { deliver } = await import('../support/deliver.js');
    const body = webhookBody();
    const answer = await deliver(merchant.payments.webhookUrl(), gzipSync(body), {
      'content-encoding': 'gzip',
      'x-kopokopo-signature': signDelivery(body, merchant.simulator.apiKey),
    });
    expect(answer.status).toBe(415);
  });

  it('the watermark moves over no window that was not read, when the application closes in between', async () => {
    let close: (() => void) | null = null;
    class Store extends MemoryStore {
      override async saveSweep(...args: Parameters<MemoryStore['saveSweep']>) {
        const saved = await super.saveSweep(...args);
        close?.();
        await sleep(50);
        return saved;
      }
    }
    const store = new Store();
    const start = new Date(Date.now() - 100 * 3_600_000);
    await store.sweepProgress('default', start);
    merchant = await Merchant.open({
      platform,
      payments: { store, reconciliation: { sweepEveryMs: 0, requestsPerSecond: 1000 } },
    });
    close = () => void merchant.app.close();
    await merchant.app.get(SweepSchedule).sweep();
    const { watermark } = await store.sweepProgress('default', new Date());
    expect(watermark.getTime()).toBeLessThan(start.getTime() + 25 * 3_600_000);
  });

  it('money found by a sweep names its payment, which is read first', async () => {
    merchant = await Merchant.open({
      platform,
      payments: { reconciliation: { sweepEveryMs: 0, requestsPerSecond: 1000 } },
    });
    const { id } = await merchant.payments.request(aRequestFrom('+254700000015'));
    await merchant.simulator.idle();
    while (merchant.heard.named('till.transaction.received').length === 0) {
      await merchant.app.get(SweepSchedule).sweep();
      await sleep(20);
    }
    expect((await merchant.heard.next('till.transaction.received')).paymentId).toBe(id);
  });

  it('a polling result is told when it is ready, not before', async () => {
    merchant = await Merchant.open({ platform });
    const { id } = await merchant.app.get(PollingService).create({
      fromTime: new Date(Date.now() - 1000).toISOString(),
      toTime: new Date().toISOString(),
      callbackUrl: `${merchant.url}/payments/callbacks/polling/bare-1`,
    });
    await merchant.heard.next('polling.completed').catch(() => undefined);
    const other = JSON.stringify({
      data: {
        id: 'two',
        type: 'polling',
        attributes: {
          status: 'Pending',
          transactions: [],
          _links: { callback_url: `${merchant.url}/payments/callbacks/polling/bare-2` },
        },
      },
    });
    await deliverSigned(
      `${merchant.url}/payments/callbacks/polling/bare-2`,
      other,
      merchant.simulator.apiKey,
    );
    await deliverSigned(
      merchant.payments.webhookUrl(),
      webhookBody({ reference: 'LAST' }),
      merchant.simulator.apiKey,
    );
    await merchant.heard.next('till.transaction.received');
    await sleep(100);
    expect(merchant.heard.named('polling.completed').map(({ polling }) => polling.id)).toEqual([
      id,
    ]);
  });

  it('waiting for a payment when the application closes ends in a typed error', async () => {
    merchant = await Merchant.open({ platform });
    const { id } = await merchant.payments.request(aRequestFrom('+254700000014'));
    const settled = merchant.payments.settled(id).catch((error: unknown) => error);
    await sleep(20);
    await merchant.app.close();
    const error = await settled;
    expect(error).toMatchObject({ code: expect.stringMatching(/^PAYMENTS_/) });
  });

  it('closing does not wait for a token of another replica', async () => {
    const store = new MemoryStore();
    await store.claimTokenRenewal('default', 'peer', 600_000);
    merchant = await Merchant.open({
      platform,
      payments: { store, http: { tokenTimeoutMs: 1_000 } },
    });
    let ended = false;
    const got = merchant.app
      .get(TokensService)
      .get()
      .catch(() => undefined)
      .then(() => {
        ended = true;
      });
    await sleep(20);
    await merchant.app.close();
    await sleep(200);
    expect(ended).toBe(true);
    await got;
  });
  it('closing lets a create that is under way have its answer', async () => {
    let asked = 0;
    server = await stub((_, response) => {
      asked += 1;
      setTimeout(
        () => response.writeHead(201, { location: '/api/v2/incoming_payments/one' }).end(),
        300,
      );
    });
    merchant = await Merchant.open({
      platform,
      payments: { baseUrl: urlOf(server), reconciliation: false },
    });
    const requested = merchant.payments.request(aRequest());
    while (asked === 0) await sleep(5);
    await merchant.app.close();
    expect(await requested).toMatchObject({ state: 'pending', platformId: 'one' });
  });
  it('a 429 while the application closes is not asked again', async () => {
    let asked = 0;
    server = await stub((_, response) => {
      asked += 1;
      setTimeout(() => response.writeHead(429, { 'retry-after': '1' }).end('{}'), 50);
    });
    merchant = await Merchant.open({
      platform,
      payments: { baseUrl: urlOf(server), reconciliation: false },
    });
    const requested = merchant.payments.request(aRequest());
    while (asked === 0) await sleep(5);
    await merchant.app.close();
    expect(await requested).toMatchObject({ state: 'failed', reason: 'not_sent' });
    expect(asked).toBe(1);
  });
});
