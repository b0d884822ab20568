import { once } from 'node:events';
import { createServer } from 'node:net';
import { request } from 'node:https';
import { describe, expect, it } from '@jest/globals';
import { runs } from '../../../test/support/thorough.js';
import { CERTIFICATE } from './testing/certificate.fixture.js';
import { payment } from './testing/platform-client.fixture.js';
import { startPlatform } from './testing/platform.fixture.js';
import { Simulator } from './simulator.js';
import type { SimulatorOptions } from './simulator.options.js';

describe('The simulator', () => {
  it('creates random credentials at each start', async () => {
    const [one, other] = [await Simulator.start(), await Simulator.start()];
    for (const fact of ['clientId', 'clientSecret', 'apiKey', 'url'] as const)
      expect(one[fact]).not.toBe(other[fact]);
    await Promise.all([one.stop(), other.stop()]);
  });

  it('uses the given credentials and tills', async () => {
    const given = { clientId: 'id', clientSecret: 'secret', apiKey: 'key', seed: 5 };
    const simulator = await Simulator.start({ ...given, tillNumbers: ['7'] });
    expect(simulator).toMatchObject({ ...given, tillNumbers: ['7'] });
    await simulator.stop();
  });

  it.each<[string, SimulatorOptions, RegExp]>([
    ['a port beyond 65535', { port: 70_000 }, /port must be a port/],
    ['an empty host', { host: '' }, /host must not be empty/],
    ['a till of letters', { tillNumbers: ['shop'] }, /tillNumbers has "shop"/],
    [
      'a scenario that does not exist',
      { defaultScenario: 'none' as never },
      /defaultScenario is "none"/,
    ],
    [
      'versions of the API that do not exist',
      { apiVersions: 'v3' as never },
      /apiVersions is "v3": use contract or both/,
    ],
    [
      'a negative timing',
      { timings: { answer: -1 } },
      /timings.answer must be a number of milliseconds/,
    ],
    [
      'a retry that is no number',
      { deliveryRetries: [Number.NaN] },
      /deliveryRetries must be a number of milliseconds/,
    ],
    [
      'a balance of an unknown till',
      { openingBalances: { '7': 1 } },
      /openingBalances has "7", which is not a till/,
    ],
    [
      'a negative balance',
      { openingBalances: { '514459': -1 } },
      /openingBalances gives till 514459 -1/,
    ],
    ['a balance with a part of a cent', { openingBalances: { '514459': 1.001 } }, /2 decimals/],
    ['half a journal entry', { journalSize: 1.5 }, /journalSize must be a whole number/],
    [
      'a negative redirect port',
      { tls: { ...CERTIFICATE, redirectPort: -1 } },
      /tls.redirectPort must be a port/,
    ],
    [
      'a public URL with a path',
      { publicUrl: 'https://a.example/b' },
      /publicUrl must be an origin/,
    ],
    ['a public URL that is none', { publicUrl: 'a.example' }, /publicUrl must be an origin/],
  ])('refuses to start with %s', async (_, options, message) => {
    await expect(Simulator.start(options)).rejects.toThrow(message);
  });

  it('uses its public URL, if it has one, in every location and link', async () => {
    const platform = await startPlatform({ publicUrl: 'https://platform.example' });
    const created = await platform.client.post('/api/v2/incoming_payments', payment());
    expect(created.headers.get('location')).toMatch(
      /^https:\/\/platform\.example\/api\/v2\/incoming_payments\//,
    );
    await platform.stop();
  });

  it('reports that a port is in use and what to do', async () => {
    const squatter = createServer().listen(0, '127.0.0.1');
    await once(squatter, 'listening');
    const address = squatter.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    await expect(Simulator.start({ port })).rejects.toThrow(/EADDRINUSE.*choose another port/);
    await expect(Simulator.start({ tls: { ...CERTIFICATE, redirectPort: port } })).rejects.toThrow(
      /EADDRINUSE/,
    );
    squatter.close();
  });

  it('sends the time of its own clock in the Date header', async () => {
    const platform = await startPlatform();
    platform.simulator.clock.skew(86_400_000);
    const { clock } = platform.simulator;
    const before = Math.floor(clock.now() / 1_000) * 1_000;
    const { headers } = await platform.client.get('/api/v2/polling/none');
    const sent = Date.parse(headers.get('date')!);
    expect(sent).toBeGreaterThanOrEqual(before);
    expect(sent).toBeLessThanOrEqual(clock.now());
    await platform.stop();
  });

  it('writes skewed times into its resources', async () => {
    const platform = await startPlatform();
    platform.simulator.clock.skew(-86_400_000);
    await platform.client.pay({ callbackUrl: platform.receiver.url });
    await platform.simulator.idle();
    const { initiation_time: initiated } = platform.receiver.received[0]!.body.data.attributes as {
      initiation_time: string;
    };
    expect(Date.parse(initiated)).toBeLessThan(Date.now() - 86_000_000);
    await platform.stop();
  });

  it('serves HTTPS, and redirects plain HTTP to the same path on HTTPS', async () => {
    const simulator = await Simulator.start({ tls: CERTIFICATE });
    expect(simulator.url).toMatch(/^https:/);
    const redirected = await fetch(`${simulator.redirectUrl}/api/v2/polling?a=b`, {
      method: 'POST',
      redirect: 'manual',
    });
    expect(redirected.status).toBe(302);
    expect(redirected.headers.get('location')).toBe(`${simulator.url}/api/v2/polling?a=b`);
    const secure = request(`${simulator.url}/oauth/token/info`, { ca: CERTIFICATE.cert });
    secure.end();
    const [answer] = (await once(secure, 'response')) as [{ statusCode: number; resume(): void }];
    answer.resume();
    expect(answer.statusCode).toBe(401);
    await simulator.stop();
  });

  it('has no redirect port without TLS', async () => {
    const simulator = await Simulator.start();
    expect(simulator.redirectUrl).toBeNull();
    await simulator.stop();
  });

  it('resets connections over TLS, too', async () => {
    const simulator = await Simulator.start({ tls: CERTIFICATE });
    const { clientId, clientSecret } = simulator;
    const call = (path: string, type: string, body: string, headers = {}) => {
      const secure = request(simulator.url + path, {
        method: 'POST',
        ca: CERTIFICATE.cert,
        headers: {
          'content-type': type,
          accept: 'application/json',
          'user-agent': 'spec/1 (tests)',
          ...headers,
        },
      });
      secure.end(body);
      return once(secure, 'response') as Promise<[AsyncIterable<Buffer>]>;
    };
    const form = {
      client_id: clientId,
      client_secret: clientSecret,
      grant_type: 'client_credentials',
    };
    const [answer] = await call(
      '/oauth/token',
      'application/x-www-form-urlencoded',
      String(new URLSearchParams(form)),
    );
    const chunks: Buffer[] = [];
    for await (const chunk of answer) chunks.push(chunk);
    const { access_token: token } = JSON.parse(Buffer.concat(chunks).toString()) as {
      access_token: string;
    };
    simulator.faults.once('create-reset-after-commit');
    const authorization = `Bearer ${token}`;
    await expect(
      call('/api/v2/incoming_payments', 'application/json', JSON.stringify(payment()), {
        authorization,
      }),
    ).rejects.toMatchObject({ code: 'ECONNRESET' });
    expect(simulator.charges()).toHaveLength(1);
    await simulator.stop();
  });

  it('is idle after all due deliveries, and the deliveries that these cause, have arrived', async () => {
    const platform = await startPlatform({ deliveryRetries: [0, 0] });
    platform.receiver.answers = [500, 500];
    await platform.client.pay({ callbackUrl: platform.receiver.url });
    await platform.simulator.idle();
    expect(platform.receiver.received).toHaveLength(3);
    await platform.stop();
  });

  it('can be stopped twice, and delivers nothing afterwards', async () => {
    const platform = await startPlatform({ deliveryRetries: [0] });
    await platform.client.pay({ phone: '+254700000006', callbackUrl: platform.receiver.url });
    await Promise.all([platform.simulator.stop(), platform.simulator.stop()]);
    await platform.simulator.clock.advance(120_000);
    expect(platform.receiver.received).toEqual([]);
    await platform.stop();
  });

  it('stops while a receiver hangs and a client streams the journal', async () => {
    const platform = await startPlatform();
    await fetch(`${platform.simulator.url}/_simulator/journal/stream`);
    platform.receiver.answers = [0];
    await platform.client.pay({ callbackUrl: platform.receiver.url });
    while (platform.receiver.received.length === 0) await platform.client.get('/nowhere');
    await platform.stop();
    expect(platform.simulator.charges()).toHaveLength(1);
  });

  it('carries out each of many creates once, fifty at a time', async () => {
    const platform = await startPlatform({ timings: { prompt: 60_000 } });
    const rounds = runs(20);
    for (let round = 0; round < rounds; round++) {
      await Promise.all(Array.from({ length: 50 }, () => platform.client.pay()));
    }
    const ids = platform.simulator.charges().map(({ paymentId }) => paymentId);
    expect(new Set(ids).size).toBe(rounds * 50);
    expect(ids).toHaveLength(rounds * 50);
    await platform.stop();
  });
});
