import { createHmac } from 'node:crypto';
import { createServer } from 'node:https';
import { once } from 'node:events';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { INSTANT_TIMINGS } from '../simulator.options.js';
import { CERTIFICATE } from '../testing/certificate.fixture.js';
import { startPlatform, type Platform } from '../testing/platform.fixture.js';

describe('The simulator', () => {
  let platform: Platform;

  beforeEach(async () => {
    platform = await startPlatform({ deliveryRetries: [1_000, 60_000] });
  });

  afterEach(() => platform.stop());

  async function pay() {
    const { client, receiver, simulator } = platform;
    await client.pay({ callbackUrl: `${receiver.url}/cb` });
    await simulator.idle();
  }
  const only = () => platform.simulator.deliveries.list()[0]!;
  const signatureOf = (raw: Buffer) =>
    createHmac('sha256', platform.simulator.apiKey).update(raw).digest('hex');

  it.each([500, 401, 302, 304, 404])(
    'retries a delivery that is answered %d, with the same bytes, after the configured delays',
    async (status) => {
      const { receiver, simulator } = platform;
      receiver.answers = [status, status];
      await pay();
      expect(receiver.received).toHaveLength(1);
      await simulator.clock.advance(1_000);
      expect(receiver.received).toHaveLength(2);
      await simulator.clock.advance(59_000);
      expect(receiver.received).toHaveLength(2);
      await simulator.clock.advance(1_000);
      expect(receiver.received).toHaveLength(3);
      expect(receiver.received[2]!.raw.equals(receiver.received[0]!.raw)).toBe(true);
      expect(only().state).toBe('delivered');
      expect(only().attempts.map((attempt) => attempt.status)).toEqual([status, status, 200]);
    },
  );

  it('never follows a redirect of a receiver', async () => {
    platform.receiver.answers = [302];
    await pay();
    expect(platform.receiver.received.map(({ path }) => path)).toEqual(['/cb']);
  });

  it('gives a delivery up after the last retry', async () => {
    platform.receiver.answers = [500, 500, 500, 500];
    await pay();
    await platform.simulator.clock.advance(3_600_000);
    expect(platform.receiver.received).toHaveLength(3);
    expect(only().state).toBe('given-up');
  });

  it('retries a delivery that is not answered in time', async () => {
    platform.receiver.answers = [0];
    await platform.client.pay({ callbackUrl: platform.receiver.url });
    await platform.simulator.clock.advance(20_000);
    expect(only()).toMatchObject({
      state: 'delivered',
      attempts: [{ status: null, error: 'timeout' }, { status: 200 }],
    });
  });

  it('retries a delivery whose receiver refuses the connection', async () => {
    await platform.client.pay({ callbackUrl: 'http://127.0.0.1:1/' });
    await platform.simulator.idle();
    expect(only()).toMatchObject({
      state: 'waiting',
      attempts: [{ status: null, error: 'ECONNREFUSED' }],
    });
  });

  it('resends a delivery on request', async () => {
    await pay();
    const attempt = await platform.simulator.deliveries.resend(only().id);
    expect(attempt.status).toBe(200);
    expect(platform.receiver.received).toHaveLength(2);
  });

  it('duplicates a delivery a thousand times on request', async () => {
    await pay();
    await platform.simulator.deliveries.duplicate(only().id, 1_000);
    expect(platform.receiver.received).toHaveLength(1_001);
  });

  it('drops a waiting delivery on request', async () => {
    platform.receiver.answers = [500];
    await pay();
    platform.simulator.deliveries.drop(only().id);
    await platform.simulator.clock.advance(3_600_000);
    expect(platform.receiver.received).toHaveLength(1);
    expect(only().state).toBe('dropped');
  });

  it('delays the next attempt of a delivery on request', async () => {
    platform.receiver.answers = [500];
    await pay();
    platform.simulator.deliveries.delay(only().id, 30_000);
    await platform.simulator.clock.advance(29_000);
    expect(platform.receiver.received).toHaveLength(1);
    await platform.simulator.clock.advance(1_000);
    expect(platform.receiver.received).toHaveLength(2);
  });

  it('resends a delivery that a scenario lost', async () => {
    await platform.client.pay({ phone: '+254700000010', callbackUrl: platform.receiver.url });
    await platform.simulator.idle();
    expect(only().state).toBe('lost');
    await platform.simulator.deliveries.resend(only().id);
    expect(platform.arrivals()).toEqual(['Success']);
  });

  it('throws NotKnownError for an unknown delivery', () => {
    expect(() => platform.simulator.deliveries.get('none')).toThrow(/no delivery "none"/);
  });

  it('deletes the oldest deliveries beyond deliveriesKept', async () => {
    await platform.stop();
    platform = await startPlatform({ deliveriesKept: 2 });
    for (let count = 0; count < 3; count++) await pay();
    expect(platform.simulator.deliveries.list()).toHaveLength(2);
    expect(platform.receiver.received).toHaveLength(3);
  });

  it('can truncate a delivery and sign the whole body', async () => {
    await pay();
    await platform.simulator.deliveries.resend(only().id, 'truncate');
    const [whole, half] = platform.receiver.received;
    expect(half!.raw.equals(whole!.raw.subarray(0, whole!.raw.length >> 1))).toBe(true);
    expect(half!.headers['x-kopokopo-signature']).toBe(signatureOf(whole!.raw));
  });

  it('can compress a delivery and sign the compressed bytes', async () => {
    await pay();
    await platform.simulator.deliveries.resend(only().id, 'gzip');
    const [whole, compressed] = platform.receiver.received;
    expect(compressed!.headers['content-encoding']).toBe('gzip');
    expect(gunzipSync(compressed!.raw).equals(whole!.raw)).toBe(true);
    expect(compressed!.headers['x-kopokopo-signature']).toBe(signatureOf(compressed!.raw));
  });

  it('can add a byte order mark to a delivery and sign it too', async () => {
    await pay();
    await platform.simulator.deliveries.resend(only().id, 'bom');
    const { raw, headers } = platform.receiver.received[1]!;
    expect([...raw.subarray(0, 3)]).toEqual([0xef, 0xbb, 0xbf]);
    expect(headers['x-kopokopo-signature']).toBe(signatureOf(raw));
  });

  it('can reserialise the body of a delivery and sign the original', async () => {
    await pay();
    await platform.simulator.deliveries.resend(only().id, 'reserialised');
    const [first, second] = platform.receiver.received;
    expect(second!.body).toEqual(first!.body);
    expect(second!.raw.equals(first!.raw)).toBe(false);
    expect(second!.headers['x-kopokopo-signature']).toBe(signatureOf(first!.raw));
  });

  it('can sign a delivery with another key, leave it unsigned, or add an Authorization header', async () => {
    await pay();
    const { deliveries } = platform.simulator;
    await deliveries.resend(only().id, 'wrong-key');
    await deliveries.resend(only().id, 'unsigned', 'authorization-header');
    const [, forged, bare] = platform.receiver.received;
    expect(forged!.headers['x-kopokopo-signature']).toMatch(/^[0-9a-f]{64}$/);
    expect(forged!.headers['x-kopokopo-signature']).not.toBe(signatureOf(forged!.raw));
    expect(bare!.headers).not.toHaveProperty('x-kopokopo-signature');
    expect(bare!.headers.authorization).toBe('Bearer not-for-your-logs');
  });

  describe('with an HTTPS receiver', () => {
    async function deliverTo(receiverCa?: string) {
      await platform.stop();
      platform = await startPlatform({
        timings: INSTANT_TIMINGS,
        ...(receiverCa ? { receiverCa } : {}),
      });
      const server = createServer(CERTIFICATE, (request, response) => {
        request.resume();
        response.end();
      });
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      const address = server.address();
      const port = typeof address === 'object' && address ? address.port : 0;
      await platform.client.pay({ callbackUrl: `https://127.0.0.1:${port}/` });
      await platform.simulator.idle();
      server.close();
      server.closeAllConnections();
      return only();
    }

    it('delivers when it trusts the certificate', async () => {
      expect(await deliverTo(CERTIFICATE.cert)).toMatchObject({ state: 'delivered' });
    });

    it('does not deliver when it does not trust the certificate', async () => {
      expect(await deliverTo()).toMatchObject({ state: 'waiting', attempts: [{ status: null }] });
    });
  });
});
