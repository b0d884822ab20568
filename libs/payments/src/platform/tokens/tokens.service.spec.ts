import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import type { PlatformResponse } from '../http/platform-answer.js';
import type { PaymentsSettings } from '../../accounts/payments.settings.js';
import {
  CircuitOpenError,
  PlatformRateLimitedError,
  PlatformResponseError,
  PlatformUnauthorizedError,
  PlatformUnavailableError,
} from '../../platform.errors.js';
import { RecordedTelemetry } from '../../testing/recorded.telemetry.js';
import { answered, aToken, TOKEN_LIFE_MS, TokenReplicas } from '../../testing/tokens.fixture.js';
import { TokenVault } from './token-vault.js';
import type { TokensService } from './tokens.service.js';

const MARGIN_MS = 60_000;

describe('the tokens of an account', () => {
  const lines: string[] = [];
  let replicas: TokenReplicas;
  let runtime: TokenReplicas['runtime'];
  let store: TokenReplicas['store'];
  let platform: TokenReplicas['platform'];
  let settings: TokenReplicas['settings'];
  let shutdown: TokenReplicas['shutdown'];
  let tokens: TokensService;

  beforeEach(() => {
    lines.length = 0;
    const ignore = (): void => undefined;
    const note = (line: unknown): number => lines.push(String(line));
    Logger.overrideLogger({ log: note, warn: note, error: ignore });
    replicas = new TokenReplicas();
    ({ runtime, store, platform, settings, shutdown } = replicas);
    tokens = replicas.open();
  });
  afterAll(() => void Logger.overrideLogger(false));

  const aVault = (): TokenVault => new TokenVault(store.tokens, settings);

  /** Turns of the event loop, which are as many on a busy machine. */
  const settle = async (): Promise<void> => {
    for (let turns = 0; turns < 10; turns += 1)
      await new Promise((resolve) => setTimeout(resolve, 1));
  };

  describe('while they are valid', () => {
    it('come from one request, with the client of the account, to the token host only', async () => {
      expect(tokens.status).toBe('none');
      const all = await Promise.all(Array.from({ length: 10 }, () => tokens.get()));
      expect(new Set(all)).toEqual(new Set(['token-1']));
      expect(tokens.status).toBe('valid');
      expect(platform.requests).toEqual([
        {
          operation: 'get token',
          repeatable: true,
          method: 'POST',
          path: '/oauth/token',
          body: {
            type: 'application/x-www-form-urlencoded',
            text: 'client_id=id&client_secret=secret&grant_type=client_credentials',
          },
          timeoutMs: settings.http.readTimeoutMs,
        },
      ]);
    });

    it('are given after the settings of the account were brought up to date', async () => {
      await tokens.get();
      await tokens.get();
      expect(replicas.refreshes).toBe(2);
    });

    it('are not renewed until a minute before they expire, and then once, while the old one is given', async () => {
      await tokens.get();
      runtime.advance(TOKEN_LIFE_MS - MARGIN_MS - 1);
      expect(await tokens.get()).toBe('token-1');
      await settle();
      expect(platform.tokenRequests).toBe(1);
      runtime.advance(1);
      expect(tokens.status).toBe('valid');
      expect(await Promise.all([tokens.get(), tokens.get()])).toEqual(['token-1', 'token-1']);
      await settle();
      expect(platform.tokenRequests).toBe(2);
      expect(await tokens.get()).toBe('token-2');
    });

    it('of a short life are renewed when a fifth of it is left', async () => {
      platform.next.push(aToken('short', 100));
      await tokens.get();
      runtime.advance(79_999);
      await tokens.get();
      await settle();
      expect(platform.tokenRequests).toBe(1);
      runtime.advance(1);
      await tokens.get();
      await settle();
      expect(platform.tokenRequests).toBe(2);
    });

    it('are not given any more from the moment when they expire', async () => {
      await tokens.get();
      runtime.advance(TOKEN_LIFE_MS);
      expect(tokens.status).toBe('none');
      expect(await tokens.get()).toBe('token-2');
    });

    it('are given although their renewal fails, and a later call renews them', async () => {
      await tokens.get();
      runtime.advance(TOKEN_LIFE_MS - MARGIN_MS);
      platform.next.push(answered(401));
      expect(await tokens.get()).toBe('token-1');
      await settle();
      runtime.advance(1_000);
      expect(await tokens.get()).toBe('token-1');
      await settle();
      expect(await tokens.get()).toBe('token-2');
    });
  });

  describe('that cannot be obtained', () => {
    it('are counted by their error, and by account if that is wanted', async () => {
      const telemetry = new RecordedTelemetry();
      telemetry.start();
      const observed = replicas.open({
        ...settings,
        telemetry: { ...settings.telemetry, accountInMetrics: true },
      });
      platform.next.push(answered(401));
      await expect(observed.get()).rejects.toThrow(PlatformUnauthorizedError);
      runtime.advance(1_000);
      await observed.get();
      const points = await telemetry.points('tillkit.token.renewals');
      await telemetry.stop();
      expect(points.map(({ attributes, value }) => ({ ...attributes, value }))).toEqual([
        { 'error.type': 'PAYMENTS_UNAUTHORIZED', 'tillkit.account': 'default', value: 1 },
        { 'tillkit.account': 'default', value: 1 },
      ]);
    });

    it('are asked for once a second at most, and every call until then has the same error', async () => {
      platform.next.push(answered(401));
      const first: unknown = await tokens.get().catch((error: unknown) => error);
      expect(first).toBeInstanceOf(PlatformUnauthorizedError);
      expect(tokens.status).toBe('failing');
      runtime.advance(999);
      expect(await tokens.get().catch((error: unknown) => error)).toBe(first);
      expect(platform.tokenRequests).toBe(1);
      runtime.advance(1);
      expect(await tokens.get()).toBe('token-1');
      expect(tokens.status).toBe('valid');
      runtime.advance(TOKEN_LIFE_MS);
      expect(tokens.status).toBe('none');
    });

    it('leave one line in the log while the platform refuses, and one when it gives them again', async () => {
      platform.next.push(answered(401), answered(403));
      for (let n = 0; n < 3; n += 1) {
        await tokens.get().catch(() => undefined);
        runtime.advance(1_000);
      }
      expect(lines).toEqual([
        expect.stringMatching(
          /^the platform gives no access token, so no payment can be sent and no outcome read: .*401.* account=default$/s,
        ),
        'there is an access token again account=default',
      ]);
    });

    it.each([
      ['is away', answered(503)],
      ['cannot be reached', new Error('no route')],
    ])('leave no such line when the platform %s', async (_, answer) => {
      platform.next.push(answer, answer, answer, answer);
      await expect(tokens.get()).rejects.toThrow(/503|no route/);
      expect(lines).toEqual([]);
    });

    it('are requested again when an answer is an error, at most four times', async () => {
      platform.next.push(...Array.from({ length: 4 }, () => answered(503)));
      await expect(tokens.get()).rejects.toThrow(PlatformUnavailableError);
      expect(platform.tokenRequests).toBe(4);
    });

    it('cause an error that names the field when the answer contains no token', async () => {
      platform.next.push(answered(200, { access_token: '' }));
      await expect(tokens.get()).rejects.toThrow(PlatformResponseError);
      await expect(tokens.get()).rejects.toThrow(/access_token cannot be used/);
    });
  });

  describe('that the platform wants to be asked for later', () => {
    it('are asked for after that time, and not before', async () => {
      platform.next.push(answered(429, {}, { retryAfter: '5' }));
      const began = runtime.elapsed();
      expect(await tokens.get()).toBe('token-1');
      expect(runtime.elapsed() - began).toBeGreaterThanOrEqual(5_000);
      expect(platform.tokenRequests).toBe(2);
    });

    it('are an error at once when that is long, until then', async () => {
      platform.next.push(answered(429, {}, { retryAfter: '100' }));
      await expect(tokens.get()).rejects.toThrow(PlatformRateLimitedError);
      const message = /^The platform asked to wait before the next token request; .* in 1\d\d s/;
      const error: unknown = await tokens.get().catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(CircuitOpenError);
      expect(error).toMatchObject({ message: expect.stringMatching(message) });
      expect(platform.tokenRequests).toBe(1);
      runtime.advance(120_000);
      expect(await tokens.get()).toBe('token-1');
    });

    it.each<[string, (about: TokensService) => Promise<unknown>]>([
      ['info', (about) => about.info()],
      ['introspection', (about) => about.introspect('some')],
      ['revocation', (about) => about.revoke('some')],
    ])('can be obtained while a request for the %s of a token waits', async (_, ask) => {
      await tokens.get();
      platform.next.push(answered(429, {}, { retryAfter: '100' }));
      await expect(ask(tokens)).rejects.toThrow(PlatformRateLimitedError);
      await expect(tokens.info()).rejects.toThrow(CircuitOpenError);
      await expect(tokens.introspect('some')).rejects.toThrow(CircuitOpenError);
      await expect(tokens.revoke('some')).rejects.toThrow(CircuitOpenError);
      expect(await replicas.open().introspect('some')).toBeTruthy();
      await aVault().delete('token-1');
      expect(await replicas.open().get()).toBe('token-2');
    });

    it('stay the right of the replica that waits, longer than its lease', async () => {
      const leaseMs = 2 * settings.http.readTimeoutMs;
      platform.next.push(answered(429, {}, { retryAfter: '9' }));
      const claims: boolean[] = [];
      platform.meanwhile = async () => {
        if (platform.tokenRequests < 2) return;
        runtime.advance(leaseMs - 1);
        claims.push(await aVault().claimRenewal(1));
      };
      await tokens.get();
      expect(claims).toEqual([false]);
    });

    it('are not held up by what was asked about tokens, which renews nothing', async () => {
      platform.next.push(answered(429, {}, { retryAfter: '1' }));
      await tokens.introspect('some');
      expect(await aVault().claimRenewal(1)).toBe(true);
    });

    it('are asked for by one replica when that time is over, and the others take its token', async () => {
      platform.next.push(answered(429, {}, { retryAfter: '9' }));
      const other = replicas.open();
      expect(await Promise.all([tokens.get(), other.get()])).toEqual(['token-1', 'token-1']);
      expect(platform.tokenRequests).toBe(2);
    });
  });

  describe('of several replicas', () => {
    it('come from one request', async () => {
      const several = [tokens, replicas.open(), replicas.open()];
      const all = await Promise.all(several.map((replica) => replica.get()));
      expect(all).toEqual(['token-1', 'token-1', 'token-1']);
      expect(await replicas.open().get()).toBe('token-1');
      expect(platform.tokenRequests).toBe(1);
    });

    it('are not taken from another in the last second of their life', async () => {
      await tokens.get();
      runtime.advance(TOKEN_LIFE_MS - 1_000);
      expect(await replicas.open().get()).toBe('token-1');
      runtime.advance(1);
      expect(await replicas.open().get()).toBe('token-2');
    });

    it('are an error when the one that renews them does not end in time', async () => {
      await aVault().claimRenewal(TOKEN_LIFE_MS);
      let reads = 0;
      const read = store.tokens.read.bind(store.tokens);
      store.tokens.read = (holder) => {
        reads += 1;
        return read(holder);
      };
      const began = runtime.elapsed();
      const error: unknown = await tokens.get().catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(CircuitOpenError);
      expect(error).toMatchObject({
        message: expect.stringMatching(/^Another replica did not finish its renewal of the token/),
      });
      const leaseMs = 2 * settings.http.readTimeoutMs;
      expect(runtime.elapsed() - began).toBeGreaterThan(leaseMs);
      expect(runtime.elapsed() - began).toBeLessThanOrEqual(leaseMs + 1_000);
      // The service reads after 50 ms, 100 ms and so on, then once a second.
      expect(reads).toBeLessThan(leaseMs / 1_000 + 10);
      expect(platform.requests).toEqual([]);
    });

    it('are an error at once when the application closes while another renews them', async () => {
      await aVault().claimRenewal(TOKEN_LIFE_MS);
      shutdown.close();
      await expect(tokens.get()).rejects.toThrow(/^Another replica did not finish/);
    });

    it('are renewed by the next one at once when the renewal of the first fails', async () => {
      platform.next.push(answered(401));
      const began = runtime.elapsed();
      await expect(tokens.get()).rejects.toThrow(PlatformUnauthorizedError);
      expect(await replicas.open().get()).toBe('token-1');
      expect(runtime.elapsed()).toBe(began);
    });
  });

  describe('that are refused', () => {
    const answers: string[] = [];
    const call =
      (...statuses: number[]) =>
      async (
        token: string,
        { baseUrl }: Pick<PaymentsSettings, 'baseUrl'>,
      ): Promise<PlatformResponse> => {
        answers.push(`${token} to ${baseUrl}`);
        const status = statuses.shift() ?? 200;
        return { status, location: null, retryAfter: null, date: null, text: '' };
      };
    beforeEach(() => void (answers.length = 0));

    it('are renewed, and the call is repeated once', async () => {
      expect(await tokens.authorized(call(401, 401))).toMatchObject({ status: 401 });
      const origin = settings.baseUrl;
      expect(answers).toEqual([`token-1 to ${origin}`, `token-2 to ${origin}`]);
    });

    it('are not renewed when the call is answered with another error', async () => {
      expect(await tokens.authorized(call(403))).toMatchObject({ status: 403 });
      expect(answers).toHaveLength(1);
      expect(platform.tokenRequests).toBe(1);
    });

    it('are renewed once more when the second was of another replica', async () => {
      await tokens.get();
      const other = replicas.open();
      platform.next.push(aToken('of-another'));
      await other.authorized(call(401));
      answers.length = 0;
      expect(await tokens.authorized(call(401, 401))).toMatchObject({ status: 200 });
      expect(answers.map((answer) => answer.split(' ')[0])).toEqual([
        'token-1',
        'of-another',
        'token-2',
      ]);
      await other.authorized(call(401));
      answers.length = 0;
      expect(await tokens.authorized(call(401, 200))).toMatchObject({ status: 200 });
      expect(answers).toHaveLength(2);
    });

    it('are not renewed again by a call that was sent before another one renewed them', async () => {
      let sent = 0;
      const late = async (token: string): Promise<PlatformResponse> => {
        sent += 1;
        if (sent === 1) await tokens.authorized(call(401));
        return call(401)(token, { baseUrl: 'late' });
      };
      expect(await tokens.authorized(late)).toMatchObject({ status: 401 });
      expect(sent).toBe(2);
      expect(answers.at(-1)).toBe('token-2 to late');
      expect(platform.tokenRequests).toBe(2);
    });

    it('are renewed again by a call that was sent so long before that the renewed one has expired', async () => {
      let sent = 0;
      const late = async (token: string): Promise<PlatformResponse> => {
        sent += 1;
        if (sent > 1) return call(200)(token, { baseUrl: 'late' });
        await tokens.authorized(call(401));
        runtime.advance(TOKEN_LIFE_MS);
        return call(401)(token, { baseUrl: 'late' });
      };
      await tokens.authorized(late);
      expect(answers.at(-1)).toBe('token-3 to late');
    });
  });

  describe('that are asked about', () => {
    it('are read with the token itself, from the token host', async () => {
      platform.next.push(aToken('mine'), answered(200, { resource_owner_id: 7 }));
      expect(await tokens.info()).toMatchObject({ resourceOwnerId: '7' });
      expect(platform.requests[1]).toEqual({
        operation: 'get token info',
        repeatable: true,
        method: 'GET',
        path: '/oauth/token/info',
        accessToken: 'mine',
        timeoutMs: settings.http.readTimeoutMs,
      });
    });

    it.each([
      ['our own token', undefined, 'token-1'],
      ['a token of another', 'another', 'another'],
    ])(
      'are checked with the client of the account when the host asks about %s',
      async (_, given, token) => {
        expect(await tokens.introspect(given)).toMatchObject({ active: false });
        expect(platform.requests.at(-1)).toMatchObject({
          operation: 'introspect token',
          path: '/oauth/introspect',
          body: { text: `client_id=id&client_secret=secret&token=${token}` },
        });
        expect(platform.tokenRequests).toBe(given === undefined ? 1 : 0);
      },
    );
  });

  describe('that are revoked', () => {
    const revoked = (): string[] =>
      platform.requests
        .filter(({ path, operation }) => path === '/oauth/revoke' && operation === 'revoke token')
        .map(({ body }) => new URLSearchParams(body?.text).get('token') as string);

    it('are used by no replica any more', async () => {
      await tokens.get();
      await tokens.revoke();
      expect(revoked()).toEqual(['token-1']);
      expect(tokens.status).toBe('none');
      expect(await replicas.open().get()).toBe('token-2');
    });

    it('include the token of another replica when this one has none', async () => {
      await tokens.get();
      await replicas.open().revoke();
      expect(revoked()).toEqual(['token-1']);
    });

    it('cause no request when there is none', async () => {
      await tokens.revoke();
      expect(platform.requests).toEqual([]);
    });

    it('leave the token of the account when they are tokens of others', async () => {
      await tokens.get();
      await tokens.revoke('another');
      expect(revoked()).toEqual(['another']);
      expect(tokens.status).toBe('valid');
      expect(await replicas.open().get()).toBe('token-1');
    });
  });
});
