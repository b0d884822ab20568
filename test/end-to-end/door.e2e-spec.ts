import { once } from 'node:events';
import type { Server } from 'node:http';
import { connect as connectHttp2 } from 'node:http2';
import type { Socket } from 'node:net';
import { Logger } from '@nestjs/common';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { PaymentsDashboardModule } from '@tillkit/dashboard';
import { signDelivery } from '@tillkit/payments';
import { deliverSigned, webhookBody } from '../support/deliver.js';
import { Merchant, type MerchantOptions } from '../support/merchant.js';
import { PLATFORMS } from '../support/platforms.js';
import { chunked, RawConnection } from '../support/raw.connection.js';
import { until } from '../support/until.js';

const KEY = 'an-api-key';
const SECRET = 'a-url-secret-of-at-least-thirty-two-characters';
const WEBHOOKS = '/payments/webhooks';
const FORM = '/payments-dashboard/find';
const LOOKS_SIGNED = { 'X-KopoKopo-Signature': 'a'.repeat(64) };
const FIVE_GIGABYTES = 5 * 1024 ** 3;
const MEGABYTE = 1024 * 1024;

describe.each(PLATFORMS)('A request from an outsider on $platform', (platform) => {
  let merchant: Merchant;
  const lines: string[] = [];
  const sockets: Socket[] = [];

  const open = async (payments: MerchantOptions['payments']): Promise<Merchant> => {
    const opened = await Merchant.open({
      platform,
      payments,
      imports: [PaymentsDashboardModule.forRoot({ unguarded: 'anyone may see every payment' })],
    });
    const keep = (line: unknown): number => lines.push(String(line));
    Logger.overrideLogger({ log: () => undefined, warn: keep, error: keep });
    const server = opened.app.getHttpServer() as Server;
    server.on('connection', (socket: Socket) => sockets.push(socket));
    return opened;
  };
  const connect = (to = merchant): Promise<RawConnection> => RawConnection.open(to.url);

  beforeAll(async () => {
    merchant = await open({ apiKeys: [KEY] });
  });
  afterEach(() => {
    lines.length = 0;
    sockets.length = 0;
  });
  afterAll(async () => {
    await merchant.close();
    Logger.overrideLogger(false);
  });

  it.each<[string, string, Record<string, string | number>, number]>([
    ['has no signature', WEBHOOKS, {}, 401],
    [
      'has a signature that cannot be one',
      WEBHOOKS,
      { 'X-KopoKopo-Signature': 'a'.repeat(63) },
      401,
    ],
    ['is larger than a webhook', WEBHOOKS, LOOKS_SIGNED, 413],
    [
      'is larger than a callback',
      '/payments/callbacks/incoming-payments/id',
      { ...LOOKS_SIGNED, 'Content-Length': 4 * MEGABYTE + 1 },
      413,
    ],
    ['is compressed', WEBHOOKS, { ...LOOKS_SIGNED, 'Content-Encoding': 'gzip' }, 415],
    ['names a resource that has no callbacks', '/payments/callbacks/tokens/id', LOOKS_SIGNED, 404],
    ['names an id that cannot be one', '/payments/callbacks/polling/a%2Fb', LOOKS_SIGNED, 404],
    ['is larger than a form', FORM, { 'Content-Type': 'application/x-www-form-urlencoded' }, 413],
    ['is a compressed form', FORM, { 'Content-Encoding': 'br' }, 415],
  ])('that %s is answered before its body', async (_, target, headers, status) => {
    const connection = await connect();
    connection.post(target, { 'Content-Length': FIVE_GIGABYTES, ...headers });
    expect(await connection.status()).toBe(status);
    expect(connection.text).toMatch(/^connection: close\r$/im);
    connection.abort();
  });

  it.each(['/payments\\webhooks#', '/payments\\webhooks?x#y', 'http://x\\payments/webhooks#'])(
    'that writes the path as %s is not read by the body parser of the host',
    async (target) => {
      const connection = await connect();
      connection.post(target, { 'Content-Length': FIVE_GIGABYTES }, '{');
      expect(await connection.status()).toBeGreaterThanOrEqual(400);
      expect(lines.filter((line) => line.includes('body parser'))).toEqual([]);
      connection.abort();
    },
  );

  it('that has a wrong MAC in its URL is answered before its body', async () => {
    const withSecret = await open({ apiKeys: [], urlSecrets: [SECRET] });
    const connection = await connect(withSecret);
    connection.post(`${WEBHOOKS}/${'a'.repeat(43)}`, { 'Content-Length': 100 });
    expect(await connection.status()).toBe(401);
    connection.abort();
    await withSecret.close();
  });

  it('that goes on sending after a refusal is read for 64 kB, and then cut off', async () => {
    const connection = await connect();
    connection.post(WEBHOOKS, { 'Content-Length': FIVE_GIGABYTES });
    expect(await connection.status()).toBe(401);
    for (let n = 0; n < 64; n += 1) connection.send(Buffer.alloc(MEGABYTE));
    await connection.closed;
    // The 64 kB that are drained, and what the socket had buffered when it was paused.
    expect(Math.max(...sockets.map(({ bytesRead }) => bytesRead))).toBeLessThan(MEGABYTE);
  });

  it.each<[string, Record<string, string | number>]>([
    ['a body', { 'Content-Length': 100 }],
    ['a body in chunks', { 'Transfer-Encoding': 'chunked' }],
  ])('that sends %s too slowly is answered 408, and cut off', async (_, length) => {
    const impatient = await open({ apiKeys: [KEY], deliveries: { bodyTimeoutMs: 100 } });
    const connection = await connect(impatient);
    connection.post(WEBHOOKS, { ...LOOKS_SIGNED, ...length }, '1\r\n{\r\n');
    expect(await connection.status()).toBe(408);
    await connection.closed;
    await impatient.close();
  });

  it('that sends more in chunks than its route accepts is answered 413 before the end', async () => {
    const connection = await connect();
    const headers = { ...LOOKS_SIGNED, 'Transfer-Encoding': 'chunked' };
    connection.post(WEBHOOKS, headers, chunked('x'.repeat(65 * 1024), 1).slice(0, -5));
    expect(await connection.status()).toBe(413);
    const form = await connect();
    form.post(FORM, { 'Transfer-Encoding': 'chunked' }, chunked('x'.repeat(17_000), 1000));
    expect(await form.status()).toBe(413);
    expect(form.text).toContain('The form is too large: it may have at most 16384 bytes.');
    connection.abort();
    form.abort();
  });

  it('that goes away before its body has come is no error', async () => {
    for (const target of [WEBHOOKS, FORM, '/payments/callbacks/polling/bare-1']) {
      const connection = await connect();
      connection.post(target, { ...LOOKS_SIGNED, 'Content-Length': 1000 }, '{"topic"');
      await until(() => sockets.some(({ bytesRead }) => bytesRead > 0));
      connection.abort();
      await connection.closed;
      await until(() => sockets.every(({ destroyed }) => destroyed));
    }
    expect(await deliverSigned(merchant.webhookUrl, webhookBody(), KEY)).toMatchObject({
      status: 200,
    });
    expect(lines).toEqual([]);
  });

  it('that is refused a hundred times writes one line', async () => {
    const quiet = await open({ apiKeys: [KEY] });
    for (let n = 0; n < 100; n += 1) {
      const connection = await connect(quiet);
      connection.post(WEBHOOKS, { 'Content-Length': 2 }, '{}');
      expect(await connection.status()).toBe(401);
      await connection.closed;
    }
    await new Promise(setImmediate);
    expect(lines).toEqual(['a delivery was refused: it carries no signature account=default']);
    await quiet.close();
  });
});

describe.each(PLATFORMS)('A delivery of the platform on $platform', (platform) => {
  let merchant: Merchant;

  beforeAll(async () => {
    merchant = await Merchant.open({ platform, payments: { apiKeys: [KEY] } });
  });
  afterAll(() => merchant.close());

  it.each([1, 7, 1000])('is accepted in chunks of %i bytes', async (bytesEach) => {
    const body = webhookBody({ system: 'x'.repeat(20_000) });
    const connection = await RawConnection.open(merchant.url);
    const headers = {
      'X-KopoKopo-Signature': signDelivery(body, KEY),
      'Transfer-Encoding': 'chunked',
    };
    connection.post(WEBHOOKS, headers, chunked(body, bytesEach));
    expect(await connection.status()).toBe(200);
    await merchant.received.next('till.transaction.received');
    connection.abort();
  });

  it('is accepted with an absolute URL in its request line, as some proxies send it', async () => {
    const body = webhookBody();
    const connection = await RawConnection.open(merchant.url);
    connection.post(
      `http://shop.example${WEBHOOKS}?from=proxy`,
      { 'X-KopoKopo-Signature': signDelivery(body, KEY), 'Content-Length': body.length },
      body,
    );
    expect(await connection.status()).toBe(200);
    await merchant.received.next('till.transaction.received');
    connection.abort();
  });
});

describe('A request over HTTP/2', () => {
  it('that is refused before its body has its stream closed', async () => {
    const merchant = await Merchant.open({
      payments: { apiKeys: [KEY] },
      create: (module) => module.createNestApplication(new FastifyAdapter({ http2: true })),
    });
    const session = connectHttp2(merchant.url);
    const stream = session.request({ ':method': 'POST', ':path': WEBHOOKS }, { endStream: false });
    const [headers] = (await once(stream, 'response')) as [Record<string, unknown>];
    expect(headers[':status']).toBe(401);
    stream.resume();
    await once(stream, 'close');
    session.destroy();
    await merchant.close();
  });
});
