import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { Logger } from '@nestjs/common';
import { ExpressAdapter } from '@nestjs/platform-express';
import { afterEach, describe, expect, it } from '@jest/globals';
import { MemoryStore, signDelivery } from '@tillkit/payments';
import express, { type RequestHandler } from 'express';
import { altered } from '../support/altered.store.js';
import { deliver, deliverSigned, webhookBody } from '../support/deliver.js';
import { Merchant } from '../support/merchant.js';
import { PLATFORMS } from '../support/platforms.js';

const KEY = 'an-api-key';

describe('A host whose own Express application parses bodies before us', () => {
  let merchant: Merchant;
  const errors: string[] = [];

  /** The documentation of Express shows this way to keep the bytes of a body. */
  const keepBytes: RequestHandler = express.json({
    limit: '1mb',
    verify: (request, _, bytes) => Object.assign(request, { rawBody: bytes }),
  });

  /** Opens a host that brings an Express application of its own. */
  const open = async (...before: RequestHandler[]): Promise<string> => {
    const server = express();
    for (const handler of before) server.use(handler);
    merchant = await Merchant.open({
      payments: { apiKeys: [KEY] },
      create: (module) => module.createNestApplication(new ExpressAdapter(server)),
    });
    const ignore = (): void => undefined;
    Logger.overrideLogger({
      log: ignore,
      warn: ignore,
      debug: ignore,
      error: (line: unknown) => errors.push(String(line)),
    });
    return merchant.webhookUrl;
  };

  afterEach(async () => {
    Logger.overrideLogger(false);
    errors.length = 0;
    await merchant.close();
  });

  it('has its deliveries verified by the bytes that it keeps', async () => {
    const webhooks = await open(keepBytes);
    expect(await deliverSigned(webhooks, webhookBody(), KEY)).toMatchObject({ status: 200 });
    await merchant.received.next('till.transaction.received');
    expect(await deliverSigned(webhooks, webhookBody(), 'another')).toMatchObject({ status: 401 });
  });

  it('has its deliveries refused when it keeps no bytes, with a log that says what to do', async () => {
    const webhooks = await open(express.json());
    const answer = await deliverSigned(webhooks, webhookBody(), KEY);
    expect(answer).toMatchObject({
      status: 415,
      type: expect.stringContaining('application/problem+json'),
    });
    expect(JSON.parse(answer.text)).toEqual({
      type: 'about:blank',
      title: 'Unsupported Media Type',
      status: 415,
    });
    expect(errors.join('\n')).toMatch(/app\.use\(express\.json\(\)\).*rawBody: true/);
    expect(merchant.received.events).toEqual([]);
  });

  it('has a webhook over 64 kB refused also when it keeps the bytes', async () => {
    const webhooks = await open(keepBytes);
    const large = webhookBody({ system: 'x'.repeat(65 * 1024) });
    expect(await deliverSigned(webhooks, large, KEY)).toMatchObject({ status: 413 });
  });

  it('has a compressed webhook refused also when it keeps the bytes', async () => {
    const webhooks = await open(keepBytes);
    const body = webhookBody();
    const answer = await deliver(webhooks, gzipSync(body), {
      'content-encoding': 'gzip',
      'x-kopokopo-signature': signDelivery(body, KEY),
    });
    expect(answer.status).toBe(415);
  });
});

describe.each(PLATFORMS)('A delivery on $platform', (platform) => {
  let merchant: Merchant;

  afterEach(() => merchant.close());

  it('that ends before its body does not disturb the next delivery', async () => {
    merchant = await Merchant.open({ platform, payments: { apiKeys: [KEY] } });
    const webhooks = merchant.webhookUrl;
    const { port, pathname } = new URL(webhooks);
    const socket = connect(Number(port), '127.0.0.1');
    await new Promise<void>((resolve) => {
      socket.write(
        `POST ${pathname} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n{"topic"`,
        () => resolve(),
      );
    });
    await new Promise(setImmediate);
    socket.destroy();
    expect(await deliverSigned(webhooks, webhookBody(), KEY)).toMatchObject({ status: 200 });
    await merchant.received.next('till.transaction.received');
    expect(merchant.received.events).toHaveLength(1);
  });

  it('is accepted with a query string', async () => {
    merchant = await Merchant.open({ platform, payments: { apiKeys: [KEY] } });
    const url = `${merchant.webhookUrl}?from=platform`;
    expect(await deliverSigned(url, webhookBody(), KEY)).toMatchObject({ status: 200 });
  });

  it('is answered 503 without details when the store throws any error', async () => {
    const store = altered(new MemoryStore(), {
      deliveries: { store: () => () => Promise.reject(new Error('full')) },
    });
    merchant = await Merchant.open({
      platform,
      payments: { apiKeys: [KEY], store },
    });
    const answer = await deliverSigned(merchant.webhookUrl, webhookBody(), KEY);
    expect(answer).toMatchObject({ status: 503, retryAfter: '10' });
    expect(answer.text).not.toContain('full');
  });

  it('is answered 503 when the store does not answer in time', async () => {
    const store = altered(new MemoryStore(), {
      deliveries: { store: () => () => new Promise(() => undefined) },
    });
    merchant = await Merchant.open({
      platform,
      payments: {
        apiKeys: [KEY],
        store,
      },
      speed: 250,
    });
    const answer = await deliverSigned(merchant.webhookUrl, webhookBody(), KEY);
    expect(answer).toMatchObject({ status: 503, retryAfter: '10' });
  });
});
