import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import {
  CircuitOpenError,
  PlatformRateLimitedError,
  PlatformRejectedError,
  PlatformTimeoutError,
  PlatformUnavailableError,
  PlatformUnreachableError,
  type PlatformAnswer,
} from '../platform.errors.js';
import { Runtime } from '../runtime/clock.js';
import { ShutdownSignal } from '../runtime/shutdown-signal.js';
import { BackgroundRequests, type Permit, PlatformWaits } from './background-requests.js';
import { SETTINGS, accountsOf, backgroundOf } from '../testing/ledger.fixture.js';
import { SkippingRuntime } from '../testing/skipping.runtime.js';

const ANSWER: PlatformAnswer = { operation: 'get polling', status: 503, platformMessages: [] };

let runtime: SkippingRuntime;
/** The waits of the process that was made last. */
let waits: PlatformWaits;

/** Makes the background requests of an account with this rate. */
function requestsAt(
  requestsPerSecond: number,
  shutdown = new ShutdownSignal(runtime),
  clock: Runtime = runtime,
): BackgroundRequests {
  const reconciliation = { ...SETTINGS.reconciliation, requestsPerSecond };
  const accounts = accountsOf({ ...SETTINGS, reconciliation });
  waits = new PlatformWaits(accounts, clock);
  return backgroundOf({ shutdown, accounts }, clock, waits);
}

/** Resolves with the answer of a request, or with its error. */
async function run(background: BackgroundRequests, error?: Error): Promise<unknown> {
  return background
    .run('default', 'overdue', () => (error ? Promise.reject(error) : Promise.resolve('answer')))
    .catch((reason: unknown) => reason);
}

describe('background requests', () => {
  beforeEach(() => {
    runtime = new SkippingRuntime();
  });

  afterEach(() => {
    jest.useRealTimers();
  });

  const unavailable = (): Error => new PlatformUnavailableError(ANSWER);

  it('pause after five failures in a row, and go on five seconds later', async () => {
    const background = requestsAt(1e6);
    for (let n = 0; n < 5; n += 1) {
      expect(await run(background, unavailable())).toBeInstanceOf(PlatformUnavailableError);
    }
    const refused = await run(background);
    expect(refused).toBeInstanceOf(CircuitOpenError);
    expect((refused as CircuitOpenError).retryAfterMs).toBeLessThanOrEqual(5_000);
    runtime.advance(5_001);
    expect(await run(background)).toBe('answer');
  });

  it('pause twice as long when the platform still fails, and never more than a minute', async () => {
    const background = requestsAt(1e6);
    for (let n = 0; n < 4; n += 1) await run(background, unavailable());
    for (const pause of [5_000, 10_000, 20_000, 40_000, 60_000, 60_000]) {
      await run(background, unavailable());
      const refused = (await run(background)) as CircuitOpenError;
      expect(Math.round(refused.retryAfterMs / 1_000)).toBe(pause / 1_000);
      runtime.advance(pause + 1);
    }
  });

  it.each([
    ['a timeout', new PlatformTimeoutError('read', new Error('slow'))],
    ['a connection that is refused', new PlatformUnreachableError('read', new Error('refused'))],
  ])('count %s as a failure', async (_, error) => {
    const background = requestsAt(1e6);
    for (let n = 0; n < 5; n += 1) await run(background, error);
    expect(await run(background)).toBeInstanceOf(CircuitOpenError);
  });

  it('that wait are not sent after the platform has answered 429', async () => {
    const background = requestsAt(20);
    let made = 0;
    const limited = new PlatformRateLimitedError({ ...ANSWER, status: 429 }, 60_000);
    const first = run(background, limited);
    const rest = [1, 2, 3].map(() =>
      background.run('default', 'overdue', async () => (made += 1)).catch(() => undefined),
    );
    await Promise.all([first, ...rest]);
    expect(made).toBe(0);
  });

  it('count failures from zero after an answer that refuses a request', async () => {
    const background = requestsAt(1e6);
    for (let n = 0; n < 4; n += 1) await run(background, unavailable());
    await run(background, new PlatformRejectedError({ ...ANSWER, status: 404 }));
    await run(background, unavailable());
    expect(await run(background)).toBe('answer');
  });

  it('do not pause when the platform refuses requests', async () => {
    const background = requestsAt(1e6);
    const refusal = new PlatformRejectedError({ ...ANSWER, status: 404 });
    for (let n = 0; n < 10; n += 1) await run(background, refusal);
    expect(await run(background)).toBe('answer');
  });

  it('count failures from zero after a success', async () => {
    const background = requestsAt(1e6);
    for (let n = 0; n < 4; n += 1) await run(background, unavailable());
    await run(background);
    for (let n = 0; n < 4; n += 1) await run(background, unavailable());
    expect(await run(background)).toBe('answer');
  });

  it.each([
    ['429', new PlatformRateLimitedError({ ...ANSWER, status: 429 }, 3_000)],
    ['503', new PlatformUnavailableError(ANSWER, 3_000)],
  ])(
    'pause at once after a %s with Retry-After, for that time and a little longer',
    async (_, error) => {
      const background = requestsAt(1e6);
      await run(background, error);
      expect(await run(background)).toMatchObject({ code: 'PAYMENTS_CIRCUIT_OPEN' });
      runtime.advance(3_001);
      expect(await run(background)).toMatchObject({ code: 'PAYMENTS_CIRCUIT_OPEN' });
      runtime.advance(600);
      expect(await run(background)).toBe('answer');
    },
  );

  it('pause for at least a second, even if Retry-After is 0', async () => {
    const background = requestsAt(1e6);
    await run(background, new PlatformRateLimitedError({ ...ANSWER, status: 429 }, 0));
    runtime.advance(999);
    expect(await run(background)).toMatchObject({ code: 'PAYMENTS_CIRCUIT_OPEN' });
  });

  it.each([
    ['follow-up', 12],
    ['hint', 12],
    ['confirmation', 20],
    ['sweep', 41],
  ] as const)('of the kind %s use no more than their share of the rate', async (kind, most) => {
    jest.useFakeTimers();
    const clock = new Runtime();
    const background = requestsAt(100, new ShutdownSignal(clock), clock);
    const made: string[] = [];
    const kinds = [...Array<typeof kind>(50).fill(kind), ...Array<'overdue'>(40).fill('overdue')];
    const all = kinds.map((each) => background.run('default', each, async () => made.push(each)));
    await jest.advanceTimersByTimeAsync(10_000);
    await Promise.all(all);
    const before = made.slice(0, made.lastIndexOf('overdue') + 1);
    expect(before.filter((each) => each === 'overdue')).toHaveLength(40);
    expect(before.filter((each) => each === kind).length).toBeLessThanOrEqual(most);
    expect(made).toHaveLength(90);
  });

  it('are refused while too many of their kind wait, so that the queue has a limit', async () => {
    const background = requestsAt(10);
    const waiting = Array.from({ length: 60 }, () => run(background));
    const refused = (await Promise.all(waiting)).filter(
      (answer) => answer instanceof CircuitOpenError,
    );
    expect(refused).toHaveLength(10);
  });

  it('are refused when their turn would come after their caller has stopped waiting', async () => {
    const background = requestsAt(1);
    let made = 0;
    const ask = (): Promise<unknown> =>
      background
        .run('default', 'confirmation', async () => (made += 1))
        .catch((error: unknown) => error);
    const answers = await Promise.all(Array.from({ length: 20 }, ask));
    // One is sent at once, and one every 2.5 s for the ten seconds that a request waits for its turn.
    expect(made).toBeLessThanOrEqual(6);
    expect(answers.filter((answer) => answer instanceof CircuitOpenError)).toHaveLength(20 - made);
  });

  it('are sent even if the rate is so low that the time between two requests exceeds their maximum wait', async () => {
    const background = requestsAt(0.05);
    const made: string[] = [];
    const ask = (kind: 'overdue' | 'sweep'): Promise<unknown> =>
      background.run('default', kind, async () => made.push(kind));
    for (let n = 0; n < 3; n += 1) await ask('sweep');
    for (let n = 0; n < 3; n += 1) await ask('overdue');
    expect(made).toHaveLength(6);
  });

  it('take a turn for each request to the platform', async () => {
    const background = requestsAt(1);
    const sentAt: number[] = [];
    const send = async (turn: Permit | null): Promise<void> => {
      await background.admit('default', 'read', turn);
      sentAt.push(runtime.now());
    };
    const startedAt = runtime.now();
    const repeating = async (turn: Permit): Promise<void> => {
      for (let n = 0; n < 3; n += 1) await send(turn);
    };
    await background.run('default', 'overdue', repeating);
    await background.run('default', 'overdue', send);
    expect(sentAt.map((at) => at - startedAt)).toEqual([0, 1_000, 2_000, 3_000]);
    await send(null);
    // A caller of the host needs no turn.
    expect(sentAt.at(-1)).toBe(startedAt + 3_000);
  });

  it('and those of callers wait while the platform has asked to, or fail when that is long', async () => {
    const background = requestsAt(1e6);
    const asked = (retryAfterMs: number) => new PlatformUnavailableError(ANSWER, retryAfterMs);
    const startedAt = runtime.now();
    waits.note('default', 'creates', asked(90_000));
    await background.admit('default', 'read', null);
    expect(runtime.now()).toBe(startedAt);
    waits.note('default', 'others', asked(9_000));
    await background.admit('default', 'read', null);
    // A wait is up to a fifth longer, so that not all requests are sent at the same moment.
    expect(runtime.now()).toBe(startedAt + 9_900);
    waits.note('default', 'others', asked(11_000));
    waits.note('default', 'others', asked(2_000));
    await expect(background.admit('default', 'read', null)).rejects.toMatchObject({
      code: 'PAYMENTS_RATE_LIMITED',
      retryAfterMs: 11_000,
    });
    await background.admit('another', 'read', null);
  });

  it('are sent in order', async () => {
    const background = requestsAt(100);
    const order: number[] = [];
    await Promise.all(
      [1, 2, 3].map((n) => background.run('default', 'overdue', async () => order.push(n))),
    );
    expect(order).toEqual([1, 2, 3]);
  });

  it('that wait for their turn are not sent when the application closes', async () => {
    const shutdown = new ShutdownSignal();
    const background = requestsAt(0.01, shutdown);
    let made = 0;
    const request = async (): Promise<number> => (made += 1);
    await background.run('default', 'overdue', request);
    const waiting = background.run('default', 'overdue', request).catch((error: unknown) => error);
    shutdown.onModuleDestroy();
    expect(await waiting).toBeInstanceOf(CircuitOpenError);
    expect(made).toBe(1);
  });
});
