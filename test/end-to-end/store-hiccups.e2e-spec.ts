import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { INestApplication } from '@nestjs/common';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import {
  IncomingPaymentsService,
  MemoryStore,
  PaymentsAccounts,
  StoreUnavailableError,
} from '@tillkit/payments';
import { aRequest, aRequestFrom } from '../support/merchant.js';
import { startShops } from '../support/shops.js';
import { until } from '../support/until.js';

let server: Server;
let url: string;
let posts: number;
let hanging: ServerResponse[];
let app: INestApplication;
let store: MemoryStore;

beforeEach(async () => {
  posts = 0;
  hanging = [];
  server = createServer((request, response) => {
    request.resume().on('end', () => {
      const { method, url: path = '' } = request;
      const json = (status: number, body: unknown, headers = {}): void => {
        response.writeHead(status, { 'content-type': 'application/json', ...headers });
        response.end(JSON.stringify(body));
      };
      if (path === '/oauth/token')
        return json(200, { access_token: 'a-token', token_type: 'bearer', expires_in: 3600 });
      if (method === 'GET' && path.includes('hang')) return void hanging.push(response);
      if (method === 'POST') {
        posts += 1;
        return json(201, {}, { location: `https://platform.invalid${path}/id-${posts}` });
      }
      json(404, {});
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  store = new MemoryStore();
  ({ app } = await startShops(store, null, {
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

it.each([false, true])(
  'A payment that waited for a connection is sent, also if the store does not answer at once: %s',
  async (fails) => {
    const shop = await app.get(PaymentsAccounts).add('shop', {
      baseUrl: url,
      clientId: 'shop',
      clientSecret: 's',
      apiKeys: ['k'],
      tillNumber: '000001',
    });
    await shop.payments.request(aRequest());
    void shop
      .get(IncomingPaymentsService)
      .get('hang')
      .catch(() => undefined);
    await until(() => hanging.length > 0);
    const sending = shop.payments.request(aRequestFrom('+254700000003'));
    await sleep(300);
    const hindrance = store.traffic.hindrance.bind(store.traffic);
    let failures = 0;
    if (fails)
      store.traffic.hindrance = (account) => {
        failures += 1;
        if (failures > 1) return hindrance(account);
        return Promise.reject(new StoreUnavailableError('a connection was lost'));
      };
    for (const response of hanging.splice(0)) {
      response.writeHead(404);
      response.end('{}');
    }
    const sent = await sending;
    expect({ state: sent.state, posts }).toEqual({ state: 'pending', posts: 2 });
  },
  30_000,
);
