import { createHmac } from 'node:crypto';
import { createServer } from 'node:https';
import { once } from 'node:events';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { INSTANT_TIMINGS } from '../simulator.options.js';
import { CERTIFICATE } from '../testing/certificate.fixture.js';
import { startPlatform, type Platform } from '../testing/platform.fixture.js';

describe('deliveries', () => {
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
    'repeats one that is answered %d, byte for byte, on the schedule',
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

  it('never follows a redirect', async () => {
    platform.receiver.answers = [302];
    await pay();
    expect(platform.receiver.received.map(({ path }) => path)).toEqual(['/cb']);
  });

  it('gives up when the schedule is over', async () => {
    platform.receiver.answers = [500, 500, 500, 500];
    await pay();
    await platform.simulator.clock.advance(3_600_000);
    expect(platform.receiver.received).toHaveLength(3);
    expect(only().state).toBe('given-up');
  });

  it('repeats one that is not answered in time', async () => {
    platform.receiver.answers = [0];
    await platform.client.pay({ callbackUrl: platform.receiver.url });
    await platform.simulator.clock.advance(20_000);
    expect(only()).toMatchObject({
      state: 'delivered',
      attempts: [{ status: null, error: 'timeout' }, { status: 200 }],
    });
  });

  it('repeats one whose receiver is not there', async () => {
    await platform.client.pay({ callbackUrl: 'http://127.0.0.1:1/' });
    await platform.simulator.idle();
    expect(only()).toMatchObject({
      state: 'waiting',
      attempts: [{ status: null, error: 'ECONNREFUSED' }],
    });
  });

  it('sends one again by hand', async () => {
    await pay();
    const attempt = await platform.simulator.deliveries.resend(only().id);
    expect(attempt.status).toBe(200);
    expect(platform.receiver.received).toHaveLength(2);
  });

  it('sends one a thousand times more', async () => {
    await pay();
    await platform.simulator.deliveries.duplicate(only().id, 1_000);
    expect(platform.receiver.received).toHaveLength(1_001);
  });

  it('drops one that still waits', async () => {
    platform.receiver.answers = [500];
    await pay();
    platform.simulator.deliveries.drop(only().id);
    await platform.simulator.clock.advance(3_600_000);
    expect(platform.receiver.received).toHaveLength(1);
    expect(only().state).toBe('dropped');
  });

  it('puts the next attempt off', async () => {
    platform.receiver.answers = [500];
    await pay();
    platform.simulator.deliveries.delay(only().id, 30_000);
    await platform.simulator.clock.advance(29_000);
    expect(platform.receiver.received).toHaveLength(1);
    await platform.simulator.clock.advance(1_000);
    expect(platform.receiver.received).toHaveLength(2);
  });

  it('sends by hand what a scenario has lost', async () => {
    await platform.client.pay({ phone: '+254700000010', callbackUrl: platform.receiver.url });
    await platform.simulator.idle();
    expect(only().state).toBe('lost');
    await platform.simulator.deliveries.resend(only().id);
    expect(platform.arrivals()).toEqual(['Success']);
  });

  it('knows no delivery that was not made', () => {
    expect(() => platform.simulator.deliveries.get('none')).toThrow(/no delivery "none"/);
  });

  it('forgets the oldest beyond the number to keep', async () => {
    await platform.stop();
    platform = await startPlatform({ deliveriesKept: 2 });
    for (let count = 0; count < 3; count++) await pay();
    expect(platform.simulator.deliveries.list()).toHaveLength(2);
    expect(platform.receiver.received).toHaveLength(3);
  });

  it('can be damaged on the way: half of it, signed whole', async () => {
    await pay();
    await platform.simulator.deliveries.resend(only().id, 'truncate');
    const [whole, half] = platform.receiver.received;
    expect(half!.raw.equals(whole!.raw.subarray(0, whole!.raw.length >> 1))).toBe(true);
    expect(half!.headers['x-kopokopo-signature']).toBe(signatureOf(whole!.raw));
  });

  it('can be compressed, and is signed as sent', async () => {
    await pay();
    await platform.simulator.deliveries.resend(only().id, 'gzip');
    const [whole, compressed] = platform.receiver.received;
    expect(compressed!.headers['content-encoding']).toBe('gzip');
    expect(gunzipSync(compressed!.raw).equals(whole!.raw)).toBe(true);
    expect(compressed!.headers['x-kopokopo-signature']).toBe(signatureOf(compressed!.raw));
  });

  it('can begin with a byte order mark, and is signed as sent', async () => {
    await pay();
    await platform.simulator.deliveries.resend(only().id, 'bom');
    const { raw, headers } = platform.receiver.received[1]!;
    expect([...raw.subarray(0, 3)]).toEqual([0xef, 0xbb, 0xbf]);
    expect(headers['x-kopokopo-signature']).toBe(signatureOf(raw));
  });

  it('can be written anew, signed over the first writing', async () => {
    await pay();
    await platform.simulator.deliveries.resend(only().id, 'reserialised');
    const [first, second] = platform.receiver.received;
    expect(second!.body).toEqual(first!.body);
    expect(second!.raw.equals(first!.raw)).toBe(false);
    expect(second!.headers['x-kopokopo-signature']).toBe(signatureOf(first!.raw));
  });

  it('can be signed with another key, not at all, or carry an Authorization header', async () => {
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

  describe('to an https receiver', () => {
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

    it('arrives when its certificate is trusted', async () => {
      expect(await deliverTo(CERTIFICATE.cert)).toMatchObject({ state: 'delivered' });
    });

    it('does not arrive when its certificate is not', async () => {
      expect(await deliverTo()).toMatchObject({ state: 'waiting', attempts: [{ status: null }] });
    });
  });
});
