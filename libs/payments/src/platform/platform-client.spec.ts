import { beforeEach, describe, expect, it } from '@jest/globals';
import { type BackgroundRequests, PlatformWaits } from './background-requests.js';
import { PlatformClocks } from './platform-clock.js';
import type { PlatformHttp } from './http/platform-http.js';
import {
  answerError,
  type PlatformRequest,
  type PlatformResponse,
} from './http/platform-answer.js';
import {
  CircuitOpenError,
  PlatformTimeoutError,
  PlatformUnreachableError,
} from '../platform.errors.js';
import { StoreUnavailableError } from '../payments.errors.js';
import type { PaymentsSettings } from '../accounts/payments.settings.js';
import { ShutdownSignal } from '../runtime/shutdown-signal.js';
import { TimeLimit } from '../runtime/clock.js';
import type { Pause, PausesStore } from '../store/pauses.store.js';
import { accountsOf, SETTINGS } from '../testing/ledger.fixture.js';
import { SkippingRuntime } from '../testing/skipping.runtime.js';
import { FailedAttempts } from '../runtime/retry.js';
import { AuthorizedRequests, type CreatePurpose } from './http/authorized-requests.js';
import { RefusedCreates } from './http/refused-creates.js';
import { freePermission, type WritePermission } from './http/write-permission.js';
import { PlatformClient } from './platform-client.js';
import type { CreateOutcome } from './sending.js';
import type { TokensService } from './tokens/tokens.service.js';

const PATH = '/api/v2/incoming_payments';
const MINUTE = 60_000;

const answer = (status: number, changes: Partial<PlatformResponse> = {}): PlatformResponse => ({
  status,
  location: null,
  retryAfter: null,
  date: null,
  text: '{}',
  ...changes,
});
const CREATED = answer(201, { location: `https://platform.example${PATH}/one` });
const PAUSED: Pause = { account: null, by: 'jane', note: 'x', at: new Date(0) };
/** There was no connection, so the platform certainly did not process the create. */
const UNREACHABLE = new PlatformUnreachableError('create', new Error('refused'));

describe('Among the requests of an account,', () => {
  let runtime: SkippingRuntime;
  let shutdown: ShutdownSignal;
  let settings: PaymentsSettings;
  /** The network does this with each attempt, in turn; the last one repeats. An error before the first byte has `isUnsent`. */
  let network: (PlatformResponse | Error)[];
  /** The times when the attempts were sent, from the beginning. */
  let sentAt: number[];
  let requests: PlatformRequest[];
  /** The store says this when it is asked, in turn; the last answer repeats. */
  let stored: (Pause | null | Error)[];
  /** The questions that the store was asked. */
  let asked: unknown[];
  /** For so many milliseconds from now, the first write needs no question to the store. */
  let unaskedMs: number;
  let waits: PlatformWaits;
  let admitted: string[];
  let isAdmitted: Error | null;
  let tokenError: Error | null;
  /** Time that passes before the first byte. */
  let connectingMs: number;
  let beganAt: number;
  /** Runs at each attempt, before it is answered. */
  let onAttempt: (attempt: number) => void;
  let onWrite: (permission: WritePermission) => void;
  let clocks: PlatformClocks;
  /** The answers that could not be read, by their path. */
  let distrusted: string[];
  let client: PlatformClient;

  beforeEach(() => {
    runtime = new SkippingRuntime();
    beganAt = runtime.elapsed();
    shutdown = new ShutdownSignal(runtime);
    settings = { ...SETTINGS };
    network = [CREATED];
    sentAt = [];
    requests = [];
    stored = [null];
    unaskedMs = 1_000;
    asked = [];
    waits = new PlatformWaits(accountsOf(settings), runtime);
    admitted = [];
    isAdmitted = null;
    tokenError = null;
    connectingMs = 0;
    onAttempt = () => undefined;
    onWrite = () => undefined;
    distrusted = [];
    const next = <T>(list: T[]): T => (list.length > 1 ? (list.shift() as T) : (list[0] as T));
    const http = {
      distrust: (_: PaymentsSettings, path: string) => distrusted.push(path),
      request: async (
        _: PaymentsSettings,
        request: PlatformRequest,
        permission: WritePermission = freePermission(request.operation, runtime),
      ) => {
        requests.push(request);
        await permission.refresh();
        runtime.advance(connectingMs);
        onAttempt(requests.length);
        const happens = next(network);
        if (happens === UNREACHABLE) throw happens;
        await permission.refresh();
        permission.use();
        onWrite(permission);
        sentAt.push(runtime.elapsed() - beganAt);
        if (happens instanceof Error) throw happens;
        permission.answered();
        return happens;
      },
    };
    const tokens = {
      authorized: async (
        use: (token: string, of: PaymentsSettings) => Promise<PlatformResponse>,
      ) => {
        if (tokenError) throw tokenError;
        const first = await use('token', settings);
        return first.status === 401 ? use('newer', settings) : first;
      },
    };
    const background = {
      admit: async (_: string, operation: string) => {
        if (isAdmitted) throw isAdmitted;
        admitted.push(operation);
      },
    };
    const pauses = {
      current: async (...given: unknown[]) => {
        asked.push(given);
        const found = next(stored);
        if (found instanceof Error) throw found;
        return found;
      },
    };
    clocks = new PlatformClocks(runtime, accountsOf(settings));
    client = new PlatformClient(
      new AuthorizedRequests(
        http as unknown as PlatformHttp,
        background as unknown as BackgroundRequests,
        waits,
        pauses as unknown as PausesStore,
        clocks,
        new RefusedCreates(runtime),
        runtime,
      ),
      tokens as unknown as TokensService,
      shutdown,
      {
        get current() {
          return settings;
        },
      },
      runtime,
    );
  });

  const failures = (): FailedAttempts => new FailedAttempts(runtime);
  const send = (forMs = MINUTE, collected = failures()): Promise<CreateOutcome> =>
    client.attempt(
      'create',
      PATH,
      { a: 1 },
      {
        limit: new TimeLimit(runtime, forMs),
        failures: collected,
        unasked: new TimeLimit(runtime, unaskedMs),
      },
    );
  const closed = (): string[] =>
    (['creates', 'others'] as const).filter((kind) => waits.leftMs('default', kind) > 0);
  const create = (purpose: CreatePurpose) => client.create('create', PATH, { a: 1 }, purpose);

  describe('a create that was recorded', () => {
    it('is sent once, with the token and the body, and has the id of the Location', async () => {
      expect(await send()).toEqual({ kind: 'created', id: 'one' });
      expect(requests).toEqual([
        {
          operation: 'create',
          method: 'POST',
          path: PATH,
          accessToken: 'token',
          body: { type: 'application/json', text: '{"a":1}' },
          timeoutMs: settings.http.createTimeoutMs,
        },
      ]);
      expect(closed()).toEqual([]);
    });

    it.each([400, 403, 404, 422])('and is answered with %s was refused', async (status) => {
      network = [answer(status)];
      expect(await send()).toMatchObject({ kind: 'rejected', error: { status } });
      expect(sentAt).toHaveLength(1);
    });

    it.each([301, 302, 307, 308])(
      'and is redirected by %d was refused, and is sent nowhere else',
      async (status) => {
        network = [answer(status, { location: 'https://elsewhere.example' })];
        expect(await send()).toMatchObject({ kind: 'rejected', error: { status } });
        expect(requests).toHaveLength(1);
      },
    );

    it.each([300, 303, 304, 405, 408, 409, 410, 500, 503])(
      'and is answered with %s is never sent again: its outcome is unknown',
      async (status) => {
        network = [answer(status)];
        expect(await send()).toMatchObject({
          kind: 'unknown',
          error: { code: 'PAYMENTS_UNKNOWN_OUTCOME', cause: { status } },
        });
        expect(sentAt).toHaveLength(1);
      },
    );

    it.each([
      ['has no Location', null],
      ['has the Location of another resource', 'https://platform.example/api/v2/pay/one'],
      ['has an id that could change a URL', `https://platform.example${PATH}/..%2Fone`],
    ])('whose answer %s has an unknown outcome', async (_, location) => {
      network = [answer(201, { location })];
      expect(await send()).toMatchObject({ kind: 'unknown', error: { cause: { status: 201 } } });
      expect(sentAt).toHaveLength(1);
      // The sender of this answer may not be the platform.
      expect(distrusted).toEqual([PATH]);
    });

    it('that gets no answer after its first byte has an unknown outcome, and its cause', async () => {
      const cause = new Error('socket hang up');
      network = [new PlatformTimeoutError('create', cause)];
      expect(await send()).toMatchObject({ kind: 'unknown', error: { cause } });
      expect(sentAt).toHaveLength(1);
    });

    it('is sent again while there is no connection, until its time is over', async () => {
      const collected = failures();
      network = [UNREACHABLE];
      expect(await send(MINUTE, collected)).toEqual({ kind: 'not_sent', error: UNREACHABLE });
      expect(requests.length).toBeGreaterThan(5);
      expect(runtime.elapsed() - beganAt).toBeLessThanOrEqual(MINUTE);
      expect(collected.lines.at(-1)).toContain(`attempts 2 to ${requests.length}, the last`);
    });

    it('is sent as soon as there is a connection', async () => {
      network = [UNREACHABLE, UNREACHABLE, CREATED];
      expect(await send()).toEqual({ kind: 'created', id: 'one' });
      expect(sentAt).toHaveLength(1);
      // The waits are 100 ms and half of 200, then 100 and half of 400.
      expect(sentAt).toEqual([500]);
    });

    it('waits as long as a 429 asks for, and a fifth of it at most in addition', async () => {
      network = [answer(429, { retryAfter: '5' }), CREATED];
      expect(await send()).toEqual({ kind: 'created', id: 'one' });
      expect(sentAt).toEqual([0, 5_500]);
    });

    it('waits half a second or more after a 429 that asks for nothing', async () => {
      network = [answer(429), answer(429), CREATED];
      await send();
      expect(sentAt).toEqual([0, 1_100, 2_200]);
    });

    it('is not sent when a 429 asks for longer than its time', async () => {
      network = [answer(429, { retryAfter: '61' })];
      expect(await send()).toMatchObject({ kind: 'not_sent', error: { status: 429 } });
      expect(sentAt).toHaveLength(1);
    });

    it('is not sent when new tokens are refused until its time is over, with growing waits between', async () => {
      network = [answer(401)];
      expect(await send()).toMatchObject({ kind: 'not_sent', error: { status: 401 } });
      expect(requests.slice(0, 2).map(({ accessToken }) => accessToken)).toEqual([
        'token',
        'newer',
      ]);
      expect(requests.length).toBeGreaterThan(4);
      expect(requests.length).toBeLessThan(60);
      expect(runtime.elapsed() - beganAt).toBeLessThanOrEqual(MINUTE);
    });

    it('says that it was refused when its time ends after a 401', async () => {
      network = [answer(401)];
      onAttempt = (attempt) => {
        if (attempt > 2) runtime.advance(MINUTE);
      };
      expect(await send()).toMatchObject({
        kind: 'not_sent',
        error: { code: 'PAYMENTS_UNAUTHORIZED' },
      });
    });

    it('ends at once when others of its application are refused for longer than its time', async () => {
      network = [answer(401)];
      await send();
      const before = requests.length;
      expect(await send(2_000)).toMatchObject({ kind: 'not_sent', error: { status: 401 } });
      expect(requests).toHaveLength(before);
    });

    it('waits while another of its application tries whether they are accepted again, and is sent then', async () => {
      network = [answer(401)];
      await send(100);
      const before = requests.length;
      runtime.advance(10_000);
      network = [CREATED];
      const sent = await Promise.all([1, 2, 3].map(() => send()));
      expect(sent.map(({ kind }) => kind)).toEqual(['created', 'created', 'created']);
      expect(requests).toHaveLength(before + 3);
    });

    it('is sent although creates of another resource are refused', async () => {
      network = [answer(401)];
      await send(100);
      network = [answer(201, { location: 'https://platform.example/api/v2/send_money/two' })];
      const sending = {
        limit: new TimeLimit(runtime, 100),
        failures: failures(),
        unasked: null,
      };
      expect(await client.attempt('pay', '/api/v2/send_money', {}, sending)).toEqual({
        kind: 'created',
        id: 'two',
      });
    });

    it('is written once, whatever is done with its permission', async () => {
      let permission: WritePermission | undefined;
      onWrite = (given) => (permission = given);
      await send();
      expect(() => permission?.use()).toThrow('written once');
    });

    it('that was written has an unknown outcome after any error, also one that says that nothing was sent', async () => {
      network = [new PlatformUnreachableError('create', new Error('wrong version number'))];
      expect(await send()).toMatchObject({ kind: 'unknown' });
      expect(sentAt).toHaveLength(1);
      network = [new TypeError('a mistake of ours')];
      expect(await send()).toMatchObject({ kind: 'unknown' });
    });

    it('is sent when the platform knows its new token only later', async () => {
      network = [answer(401), answer(401), answer(401), CREATED];
      expect(await send()).toEqual({ kind: 'created', id: 'one' });
    });

    it('is sent with the new token after a 401', async () => {
      network = [answer(401), CREATED];
      expect(await send()).toEqual({ kind: 'created', id: 'one' });
    });

    it.each([
      ['no answer', new PlatformTimeoutError('token', new Error('late'))],
      ['an open circuit', new CircuitOpenError(1_000)],
      ['a store that is away', new StoreUnavailableError('away')],
    ])('is tried again when its token fails by %s', async (_, error) => {
      tokenError = error;
      expect(await send(5_000)).toEqual({ kind: 'not_sent', error });
      expect(requests).toEqual([]);
      expect(runtime.elapsed() - beganAt).toBeGreaterThan(1_000);
    });

    it('is not sent when the application closes meanwhile', async () => {
      network = [UNREACHABLE];
      shutdown.close();
      expect(await send()).toEqual({ kind: 'not_sent', error: UNREACHABLE });
      expect(requests).toHaveLength(1);
    });

    it('is not sent when its time ended while it waited for a connection', async () => {
      connectingMs = MINUTE;
      expect(await send()).toMatchObject({
        kind: 'not_sent',
        error: { code: 'PAYMENTS_TIMEOUT', message: expect.stringContaining('before it was sent') },
      });
      expect(sentAt).toEqual([]);
    });

    it('says why it was refused when the wait until the next attempt ends too late', async () => {
      const { timer } = runtime;
      runtime.timer = (ms, call) => timer.call(runtime, ms + MINUTE, call);
      network = [answer(429)];
      expect(await send()).toMatchObject({ kind: 'not_sent', error: { status: 429 } });
      expect(requests).toHaveLength(1);
    });

    it('asks the store for no pause when it is written within a second after its commit', async () => {
      connectingMs = 999;
      await send();
      expect(asked).toEqual([]);
    });

    it('asks the store for a pause when it is written later', async () => {
      connectingMs = 1_000;
      await send();
      expect(asked).toEqual([['default']]);
    });

    it.each([401, 429])(
      'asks the store for a pause when it is repeated after a %d',
      async (status) => {
        network = [answer(status), answer(status), CREATED];
        await send();
        expect(asked).toEqual([['default'], ['default']]);
      },
    );

    it('waits while sending is paused, and is sent when the pause ends in time', async () => {
      unaskedMs = 0;
      stored = [PAUSED, PAUSED, null];
      expect(await send()).toEqual({ kind: 'created', id: 'one' });
      expect(sentAt).toHaveLength(1);
    });

    it('is not sent when the pause lasts', async () => {
      unaskedMs = 0;
      stored = [PAUSED];
      expect(await send()).toMatchObject({
        kind: 'not_sent',
        error: { code: 'PAYMENTS_SENDING_PAUSED' },
      });
      expect(sentAt).toEqual([]);
    });

    it('waits for what the platform has asked another request', async () => {
      const limited = answerError('create', answer(429, { retryAfter: '2' }));
      onAttempt = (attempt) => {
        if (attempt === 1) waits.note('default', 'creates', limited);
      };
      expect(await send()).toEqual({ kind: 'created', id: 'one' });
      // The wait is 2 s and a tenth of it.
      expect(sentAt).toEqual([2_200]);
    });

    it('does not wait when the platform has asked only other requests to wait', async () => {
      waits.note('default', 'others', answerError('read', answer(429, { retryAfter: '9' })));
      await send();
      expect(sentAt).toEqual([0]);
    });

    it('waits while the store does not say whether it may be sent', async () => {
      unaskedMs = 0;
      const away = new StoreUnavailableError('away');
      stored = [away, null];
      expect(await send()).toEqual({ kind: 'created', id: 'one' });
      stored = [away];
      expect(await send(5_000)).toEqual({ kind: 'not_sent', error: away });
    });

    it('is sent although its account was removed after the recording', async () => {
      settings = { ...settings, isRemoved: true };
      expect(await send()).toEqual({ kind: 'created', id: 'one' });
    });
  });

  describe('a create that keeps no record', () => {
    it('resolves with its id and its URL at our origin', async () => {
      expect(await create('money')).toEqual({
        id: 'one',
        location: `${settings.baseUrl}${PATH}/one`,
      });
    });

    it('and moves money asks the store for a pause, and is refused at once while sending is paused', async () => {
      stored = [PAUSED];
      await expect(create('money')).rejects.toMatchObject({ code: 'PAYMENTS_SENDING_PAUSED' });
      expect(asked).toEqual([['default']]);
      expect(sentAt).toEqual([]);
    });

    it.each([
      ['moves no money', 'other'],
      ['only reads', 'read'],
    ] as const)('and %s waits for its turn instead of a pause', async (_, purpose) => {
      stored = [PAUSED];
      await create(purpose);
      expect(asked).toEqual([]);
      expect(admitted).toEqual(['create']);
    });

    it('and moves money needs no turn', async () => {
      await create('money');
      expect(admitted).toEqual([]);
    });

    it('is not sent when it gets no turn', async () => {
      isAdmitted = new CircuitOpenError(1_000);
      await expect(create('other')).rejects.toBe(isAdmitted);
      expect(requests).toEqual([]);
    });

    it.each([
      ['moves money', 'money'],
      ['moves no money', 'other'],
    ] as const)('and %s is refused when its account takes no new requests', async (_, purpose) => {
      settings = { ...settings, isRemoved: true };
      await expect(create(purpose)).rejects.toMatchObject({ code: 'PAYMENTS_ACCOUNT_REMOVED' });
      expect(sentAt).toEqual([]);
    });

    it('and only reads is sent for a removed account too', async () => {
      settings = { ...settings, isRemoved: true };
      expect(await create('read')).toMatchObject({ id: 'one' });
    });

    it('has an unknown outcome when the platform may have processed it', async () => {
      network = [answer(500)];
      await expect(create('money')).rejects.toMatchObject({ code: 'PAYMENTS_UNKNOWN_OUTCOME' });
    });

    it.each([
      ['moves no money', 'other', 'others'],
      ['moves money', 'money', 'creates'],
    ] as const)('and %s makes other requests of its kind wait, too', async (_, purpose, kind) => {
      network = [answer(503, { retryAfter: '1' })];
      await expect(create(purpose)).rejects.toThrow(/503/);
      expect(closed()).toEqual([kind]);
    });
  });

  describe('those for the clock of the platform', () => {
    /** The platform's clock is an hour behind ours. */
    const teach = (origin: string): void => {
      const now = runtime.now();
      clocks.at(origin).observe(new Date(now - 60 * MINUTE).toUTCString(), now, now);
    };

    it('resolve with the clock of the address that was asked, when the account has another one with the answer', async () => {
      const before = settings.baseUrl;
      network = [UNREACHABLE, answer(200)];
      onAttempt = (attempt) => {
        if (attempt === 2) teach(before);
        settings = { ...settings, baseUrl: 'https://new.example' };
      };
      expect((await client.learnClock()).isKnown).toBe(true);
    });

    it.each([
      ['/oauth/token/info', {}],
      ['/api/v2/incoming_payments', { tokenBaseUrl: 'https://tokens.example' }],
    ])(
      'are one GET of %s without token, body or secret, and a refusal is enough of an answer',
      async (path, changes) => {
        settings = { ...settings, ...changes };
        network = [answer(401)];
        onAttempt = () => teach(settings.baseUrl);
        expect((await client.learnClock()).isKnown).toBe(true);
        const { readTimeoutMs: timeoutMs } = settings.http;
        const operation = 'read the clock';
        expect(requests).toEqual([{ operation, method: 'GET', path, repeatable: true, timeoutMs }]);
      },
    );

    it('are not made while it is known', async () => {
      teach(settings.baseUrl);
      expect(await client.learnClock()).toBe(clocks.at(settings.baseUrl));
      expect(requests).toEqual([]);
    });
  });

  describe('a read', () => {
    it('is repeated three times at most', async () => {
      network = [answer(503)];
      await expect(client.read('read', `${PATH}/one`)).rejects.toMatchObject({ status: 503 });
      expect(requests).toHaveLength(4);
      expect(requests[0]).toMatchObject({ method: 'GET', repeatable: true });
    });

    it('resolves with the object of the answer, and refuses another', async () => {
      network = [answer(200, { text: '{"data":{}}' })];
      expect(await client.read('read', `${PATH}/one`)).toEqual({ data: {} });
      network = [answer(200, { text: '[]' })];
      await expect(client.read('read', `${PATH}/one`)).rejects.toThrow('is not a JSON object');
      expect(distrusted).toEqual([`${PATH}/one`]);
    });

    it('that waited for its connection is not made when the platform has asked meanwhile to wait', async () => {
      const limited = answerError('read', answer(429, { retryAfter: '90' }));
      onAttempt = () => waits.note('default', 'others', limited);
      await expect(client.read('read', `${PATH}/one`)).rejects.toMatchObject({
        code: 'PAYMENTS_RATE_LIMITED',
      });
      expect(sentAt).toEqual([]);
    });

    it('that is refused is not repeated', async () => {
      network = [answer(404)];
      await expect(client.read('read', `${PATH}/one`)).rejects.toMatchObject({ status: 404 });
      expect(requests).toHaveLength(1);
    });

    it('that is a command posts an empty object, and is repeated too', async () => {
      network = [answer(503), answer(200)];
      await client.command('cancel', `${PATH}/one/cancel`);
      expect(requests.map(({ method, body }) => [method, body?.text])).toEqual([
        ['POST', '{}'],
        ['POST', '{}'],
      ]);
    });
  });
});
