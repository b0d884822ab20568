import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { payment } from '../testing/platform-client.fixture.js';
import { startPlatform, type Platform } from '../testing/platform.fixture.js';
import type { FaultKind } from './faults.constants.js';

const PATH = '/api/v2/incoming_payments';

describe('The fault', () => {
  let platform: Platform;

  beforeEach(async () => {
    platform = await startPlatform();
  });

  afterEach(() => platform.stop());

  const create = () => platform.client.post(PATH, payment());
  const charged = () => platform.simulator.charges().length;
  const lastEntry = () =>
    platform.simulator.journal.entries().findLast(({ type }) => type === 'request');

  it.each([
    ['create-5xx-after-commit', 502, 'one payment', 1],
    ['create-5xx-before-commit', 503, 'nothing', 0],
    ['create-408', 408, 'one payment', 1],
    ['create-302', 302, 'nothing', 0],
    ['create-429', 429, 'nothing', 0],
  ] as const)('%s answers %d, and carries out %s', async (kind, status, _, carriedOut) => {
    platform.simulator.faults.once(kind);
    expect((await create()).status).toBe(status);
    expect(charged()).toBe(carriedOut);
    expect(lastEntry()).toMatchObject({ faults: [kind] });
    expect((await create()).status).toBe(201);
  });

  it('create-408 with commits: false does not carry out the create', async () => {
    platform.simulator.faults.once('create-408', {}, { commits: false });
    expect((await create()).status).toBe(408);
    expect(charged()).toBe(0);
  });

  it('create-429 answers with Retry-After', async () => {
    platform.simulator.faults.once('create-429', {}, { retryAfter: 7 });
    const answer = await create();
    expect(answer.headers.get('retry-after')).toBe('7');
    expect(answer.body.error_code).toBe(429);
  });

  it.each([
    ['create-reset-after-commit', 'one payment', 1],
    ['create-reset-before-commit', 'nothing', 0],
  ] as const)('%s resets the connection, and carries out %s', async (kind, _, carriedOut) => {
    platform.simulator.faults.once(kind);
    await expect(create()).rejects.toThrow('fetch failed');
    expect(charged()).toBe(carriedOut);
    expect(lastEntry()).toMatchObject({ answer: null, faults: [kind] });
  });

  it('create-never-answers carries out the create and never answers', async () => {
    platform.simulator.faults.once('create-never-answers');
    const outcome = create().catch((error: Error) => error.message);
    while (charged() === 0) await platform.client.get('/api/v2/polling/none');
    await platform.simulator.stop();
    expect(await outcome).toBe('fetch failed');
  });

  it.each([
    ['create-without-location', 'without a Location', /^null$/],
    [
      'create-foreign-location',
      'with the Location of another host',
      /^https:\/\/platform\.example\/api\/v2\/incoming_payments\//,
    ],
    [
      'create-unversioned-location',
      'with a Location without a version',
      /^http:\/\/127\.0\.0\.1:\d+\/incoming_payments\//,
    ],
    [
      'create-other-version-location',
      'with the Location of another version',
      /^http:\/\/127\.0\.0\.1:\d+\/api\/v1\/incoming_payments\//,
    ],
    ['create-http-location', 'with a plain http: Location', /^http:/],
  ] as const)('%s answers 201 %s', async (kind, _, location) => {
    platform.simulator.faults.once(kind);
    const answer = await create();
    expect(answer.status).toBe(201);
    expect(String(answer.headers.get('location'))).toMatch(location);
    expect(charged()).toBe(1);
  });

  it('of a create applies only to the resource that matches', async () => {
    platform.simulator.faults.once('create-5xx-before-commit', {
      resource: 'webhook_subscriptions',
    });
    expect((await create()).status).toBe(201);
    await expect(platform.subscribe()).rejects.toThrow(/unavailable/);
  });

  describe('of a read,', () => {
    let path: string;

    beforeEach(async () => {
      path = `${PATH}/${await platform.client.pay()}`;
    });

    it.each([
      ['read-5xx', 503],
      ['read-404', 404],
      ['read-429', 429],
    ] as const)('%s, answers %d', async (kind, status) => {
      platform.simulator.faults.once(kind);
      expect((await platform.client.get(path)).status).toBe(status);
      expect((await platform.client.get(path)).status).toBe(200);
    });

    it('read-reset, resets the connection halfway through the answer', async () => {
      platform.simulator.faults.once('read-reset');
      await expect(platform.client.get(path)).rejects.toThrow('terminated');
    });

    it.each(['read-slow', 'read-drip'] as FaultKind[])(
      '%s, answers after the clock has moved',
      async (kind) => {
        platform.simulator.faults.once(kind, {}, { ms: 3_600_000 });
        let answered = false;
        const answer = platform.client.get(path).then((given) => {
          answered = true;
          return given;
        });
        while (platform.simulator.faults.settings()[0]!.injected === 0)
          await platform.client.get('/nowhere');
        expect(answered).toBe(false);
        await platform.simulator.clock.advance(3_600_000);
        expect((await answer).body.data.type).toBe('incoming_payment');
      },
    );
  });

  describe('of a token request,', () => {
    it('token-5xx, answers with the given status', async () => {
      platform.simulator.faults.once('token-5xx');
      expect((await platform.client.authenticate()).status).toBe(500);
    });

    it('token-nonsense, answers 200 with HTML', async () => {
      platform.simulator.faults.once('token-nonsense');
      expect(await platform.client.authenticate()).toMatchObject({
        status: 200,
        body: expect.stringContaining('<html>'),
      });
    });

    it('token-slow, answers after the clock has moved', async () => {
      platform.simulator.faults.once('token-slow', {}, { ms: 3_600_000 });
      const answer = platform.client.authenticate();
      while (platform.simulator.faults.settings()[0]!.injected === 0)
        await platform.client.get('/nowhere');
      await platform.simulator.clock.advance(3_600_000);
      expect((await answer).status).toBe(200);
    });

    it('token-created-at-missing, leaves created_at out', async () => {
      platform.simulator.faults.once('token-created-at-missing');
      expect((await platform.client.authenticate()).body).not.toHaveProperty('created_at');
    });

    it('token-created-at-iso, makes created_at ISO 8601 text', async () => {
      platform.simulator.faults.once('token-created-at-iso');
      expect((await platform.client.authenticate()).body.created_at).toMatch(/^\d{4}-.*\+03:00$/);
    });

    it('token-expires-mid-flight, answers 401 and does not carry out the create', async () => {
      platform.simulator.faults.once('token-expires-mid-flight', { resource: 'incoming_payments' });
      expect(await create()).toMatchObject({
        status: 401,
        body: { error_message: 'ExpiredAccessToken' },
      });
      expect(charged()).toBe(0);
      expect((await create()).status).toBe(401);
      await platform.client.authenticate();
      expect((await create()).status).toBe(201);
    });
  });
});
