import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { INestApplication } from '@nestjs/common';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import {
  IncomingPaymentsService,
  MemoryStore,
  PaymentsAccounts,
  type PaymentsAccount,
} from '@tillkit/payments';
import { aRequest, aRequestFrom } from '../support/merchant.js';
import { startShops } from '../support/shops.js';
import { until } from '../support/until.js';

/** A platform whose reads hang until they are let go. */
let server: Server;
let url: string;
let posts: { path: string; at: number }[];
let hanging: ServerResponse[];
let app: INestApplication;

beforeEach(async () => {
  posts = [];
  hanging = [];
  server = createServer((request, response) => {
    request.resume().on('end', () => {
      const { method, url: path = '' } = request;
      const json = (status: number, body: unknown, headers = {}): void => {
        response.writeHead(status, { 'content-type': 'application/json', ...headers });
        response.end(JSON.stringify(body));
      };
      if (method === 'POST' && path === '/oauth/token')
        return json(200, { access_token: 'a-token', token_type: 'bearer', expires_in: 3600 });
      if (method === 'GET' && path.includes('hang')) {
        hanging.push(response);
        return;
      }
      if (method === 'POST') {
        posts.push({ path, at: performance.now() });
        return json(201, {}, { location: `https://platform.invalid${path}/id-${posts.length}` });
      }
      json(404, {});
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  ({ app } = await startShops(new MemoryStore(), null, {
    reconciliation: false,
    http: { maxSockets: 1, createTimeoutMs: 20_000, readTimeoutMs: 20_000 },
  }));
});
afterEach(async () => {
  for (const response of hanging) response.end();
  await app.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const accounts = (): PaymentsAccounts => app.get(PaymentsAccounts);
const add = (name: string, tillNumber: string): Promise<PaymentsAccount> =>
  accounts().add(name, {
    baseUrl: url,
    clientId: name,
    clientSecret: 's',
    apiKeys: [`k-${name}`],
    tillNumber,
  });
const warm = async (): Promise<{ shop: PaymentsAccount; release: () => void }> => {
  const shop = await add('shop', '000001');
  const slow = await add('slow', '000002');
  await shop.payments.request(aRequest());
  posts.length = 0;
  // A read of another account occupies the connection that accounts share.
  slow
    .get(IncomingPaymentsService)
    .get('hang')
    .catch(() => undefined);
  await until(() => hanging.length > 0);
  return {
    shop,
    release: () => {
      for (const response of hanging.splice(0)) {
        response.writeHead(404);
        response.end('{}');
      }
    },
  };
};
const JANE = { by: 'jane', note: 'the till is wrong' };

it('A bare create is refused after a pause, also while all connections are in use', async () => {
  const { shop, release } = await warm();
  await accounts().pause({ account: 'shop', ...JANE });
  const { subscriber, amount } = aRequestFrom('+254700000002');
  const sent = shop.get(IncomingPaymentsService).create({ subscriber, amount });
  await expect(sent).rejects.toThrow(/paused/);
  release();
  expect(posts).toEqual([]);
});

it('A bare create that waits for a connection is not sent after a pause', async () => {
  const { shop, release } = await warm();
  const { subscriber, amount } = aRequestFrom('+254700000002');
  const sent = shop
    .get(IncomingPaymentsService)
    .create({ subscriber, amount })
    .catch((e: unknown) => e);
  await sleep(300);
  expect(posts).toEqual([]);
  await accounts().pause({ account: 'shop', ...JANE });
  await sleep(300);
  release();
  await sent;
  expect(posts).toEqual([]);
});

it('A payment that waits for a connection is not sent after a pause', async () => {
  const { shop, release } = await warm();
  const sent = shop.payments.request(aRequestFrom('+254700000003'));
  await sleep(300);
  expect(posts).toEqual([]);
  await accounts().pause({ account: 'shop', ...JANE });
  await sleep(300);
  release();
  await sent;
  expect(posts).toEqual([]);
});

it('A bare create that waits for a connection is not sent after the removal of its account', async () => {
  const { shop, release } = await warm();
  const { subscriber, amount } = aRequestFrom('+254700000002');
  const sent = shop
    .get(IncomingPaymentsService)
    .create({ subscriber, amount })
    .catch((e: unknown) => e);
  await sleep(300);
  accounts().remove('shop');
  await sleep(300);
  release();
  await sent;
  expect(posts).toEqual([]);
});

it('A payment that waits for a connection is not sent after its time to be sent', async () => {
  const shop = await accounts().add('shop', {
    baseUrl: url,
    clientId: 'shop',
    clientSecret: 's',
    apiKeys: ['k'],
    tillNumber: '000001',
    sending: { sendBeforeMs: 1_000 },
  });
  const slow = await add('slow', '000002');
  await shop.payments.request(aRequest());
  posts.length = 0;
  slow
    .get(IncomingPaymentsService)
    .get('hang')
    .catch(() => undefined);
  await until(() => hanging.length > 0);
  const sent = shop.payments.request(aRequestFrom('+254700000003'));
  await sleep(1_500);
  for (const response of hanging.splice(0)) {
    response.writeHead(404);
    response.end('{}');
  }
  await sent;
  expect(posts).toEqual([]);
});
