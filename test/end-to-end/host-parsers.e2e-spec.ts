import { connect } from 'node:net';
import { Logger } from '@nestjs/common';
import { ExpressAdapter } from '@nestjs/platform-express';
import { afterEach, describe, expect, it } from '@jest/globals';
import { MemoryStore } from '@tillkit/payments';
import express, { type RequestHandler } from 'express';
import { deliverSigned, webhookBody } from '../support/deliver.js';
import { Merchant } from '../support/merchant.js';
import { PLATFORMS, type Platform } from '../support/platforms.js';

const KEY = 'an-api-key';
const [onExpress] = PLATFORMS as [Platform, Platform];

describe('a host whose Express application parses before us', () => {
  let merchant: Merchant;
  const errors: string[] = [];

  /** Our routes as they are when the host brings an Express application of its own. */
  const open = async (...before: RequestHandler[]): Promise<string> => {
    const server = express();
    for (const handler of before) server.use(handler);
    merchant = await Merchant.open({
      platform: onExpress,
      payments: { apiKeys: [KEY] },
      create: (module) => module.createNestApplication(new ExpressAdapter(server)),
    });
    const ignore = (): void => undefined;
    Logger.overrideLogger({
      log: ignore,
      warn: ignore,
      debug: ignore,
      error: (line: string) => errors.push(line),
    });
    return merchant.payments.webhookUrl();
  };

  afterEach(async () => {
    Logger.overrideLogger(false);
    errors.length = 0;
    await merchant.close();
  });

  it('and keeps the bytes has its deliveries taken by those', async () => {
    const keep: RequestHandler = express.json({
      verify: (request, _, bytes) => Object.assign(request, { rawBody: bytes }),
    });
    const webhooks = await open(keep);
    expect(await deliverSigned(webhooks, webhookBody(), KEY)).toMatchObject({ status: 200 });
    await merchant.heard.next('till.transaction.received');
    expect(await deliverSigned(webhooks, webhookBody(), 'another')).toMatchObject({ status: 401 });
  });

  it('and keeps no bytes has them refused, with a log that says what to do', async () => {
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
    expect(merchant.heard.events).toEqual([]);
  });
});

describe.each(PLATFORMS)('a delivery on $platform', (platform) => {
  let merchant: Merchant;

  /** A store that fails in a way that no store should. */
  class BrokenStore extends MemoryStore {
    override storeDelivery(): Promise<{ duplicate: boolean }> {
      return Promise.reject(new Error('full'));
    }
  }

  afterEach(() => merchant.close());

  it('that ends before its body does harms nobody', async () => {
    merchant = await Merchant.open({ platform, payments: { apiKeys: [KEY] } });
    const webhooks = merchant.payments.webhookUrl();
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
    await merchant.heard.next('till.transaction.received');
    expect(merchant.heard.events).toHaveLength(1);
  });

  it('with a query behind its path is taken', async () => {
    merchant = await Merchant.open({ platform, payments: { apiKeys: [KEY] } });
    const url = `${merchant.payments.webhookUrl()}?from=platform`;
    expect(await deliverSigned(url, webhookBody(), KEY)).toMatchObject({ status: 200 });
  });

  it('is answered 503 whatever error its store has', async () => {
    merchant = await Merchant.open({
      platform,
      payments: { apiKeys: [KEY], store: new BrokenStore() },
    });
    const answer = await deliverSigned(merchant.payments.webhookUrl(), webhookBody(), KEY);
    expect(answer).toMatchObject({ status: 503, retryAfter: '10' });
    expect(answer.text).not.toContain('full');
  });

  it('is answered 503 when its store does not answer in time', async () => {
    class SlowStore extends MemoryStore {
      override storeDelivery(): Promise<{ duplicate: boolean }> {
        return new Promise(() => undefined);
      }
    }
    merchant = await Merchant.open({
      platform,
      payments: {
        apiKeys: [KEY],
        store: new SlowStore(),
        deliveries: { storeTimeoutMs: 20 },
      },
    });
    const answer = await deliverSigned(merchant.payments.webhookUrl(), webhookBody(), KEY);
    expect(answer).toMatchObject({ status: 503, retryAfter: '10' });
  });
});
