import { beforeEach, describe, expect, it } from '@jest/globals';
import {
  CircuitOpenError,
  PlatformRateLimitedError,
  PlatformRejectedError,
  PlatformTimeoutError,
  PlatformUnavailableError,
  PlatformUnreachableError,
  type PlatformAnswer,
} from '../payments.errors.js';
import { resolveSettings } from '../payments.settings.js';
import { BackgroundPacer } from './background.pacer.js';
import { SkippingRuntime } from '../testing/skipping.runtime.js';
import { ClosingSignal } from './closing.signal.js';

const ANSWER: PlatformAnswer = { operation: 'get polling', status: 503, platformMessages: [] };

let runtime: SkippingRuntime;

function pacer(requestsPerSecond: number, closing = new ClosingSignal(runtime)): BackgroundPacer {
  const options = resolveSettings(
    {
      baseUrl: 'https://platform.example',
      clientId: 'id',
      clientSecret: 'secret',
      publicUrl: 'https://shop.example',
      apiKeys: ['key'],
      reconciliation: { requestsPerSecond },
    },
    () => undefined,
  );
  return new BackgroundPacer(closing, options, runtime);
}

/** What became of a request: its error, or what it gave. */
async function run(paced: BackgroundPacer, error?: Error): Promise<unknown> {
  return paced
    .run('overdue', () => (error ? Promise.reject(error) : Promise.resolve('answer')))
    .catch((reason: unknown) => reason);
}

describe('background requests', () => {
  beforeEach(() => {
    runtime = new SkippingRuntime();
  });

  const unavailable = (): Error => new PlatformUnavailableError(ANSWER);

  it('pause after five failures in a row, and go on five seconds later', async () => {
    const paced = pacer(1e6);
    for (let n = 0; n < 5; n += 1) {
      expect(await run(paced, unavailable())).toBeInstanceOf(PlatformUnavailableError);
    }
    const refused = await run(paced);
    expect(refused).toBeInstanceOf(CircuitOpenError);
    expect((refused as CircuitOpenError).retryAfterMs).toBeLessThanOrEqual(5_000);
    runtime.advance(5_001);
    expect(await run(paced)).toBe('answer');
  });

  it('pause twice as long when the platform still fails, and never more than a minute', async () => {
    const paced = pacer(1e6);
    for (let n = 0; n < 4; n += 1) await run(paced, unavailable());
    for (const pause of [5_000, 10_000, 20_000, 40_000, 60_000, 60_000]) {
      await run(paced, unavailable());
      const refused = (await run(paced)) as CircuitOpenError;
      expect(Math.round(refused.retryAfterMs / 1_000)).toBe(pause / 1_000);
      runtime.advance(pause + 1);
    }
  });

  it.each([
    ['a timeout', new PlatformTimeoutError('read', new Error('slow'))],
    ['a connection that is refused', new PlatformUnreachableError('read', new Error('refused'))],
  ])('count %s as a failure', async (_, error) => {
    const paced = pacer(1e6);
    for (let n = 0; n < 5; n += 1) await run(paced, error);
    expect(await run(paced)).toBeInstanceOf(CircuitOpenError);
  });

  it('do not pause for what the platform refuses', async () => {
    const paced = pacer(1e6);
    const refusal = new PlatformRejectedError({ ...ANSWER, status: 404 });
    for (let n = 0; n < 10; n += 1) await run(paced, refusal);
    expect(await run(paced)).toBe('answer');
  });

  it('count failures anew after a success', async () => {
    const paced = pacer(1e6);
    for (let n = 0; n < 4; n += 1) await run(paced, unavailable());
    await run(paced);
    for (let n = 0; n < 4; n += 1) await run(paced, unavailable());
    expect(await run(paced)).toBe('answer');
  });

  it.each([
    ['429', new PlatformRateLimitedError({ ...ANSWER, status: 429 }, 3_000)],
    ['503', new PlatformUnavailableError(ANSWER, 3_000)],
  ])(
    'pause at once for as long as a %s with Retry-After says, and a little longer',
    async (_, error) => {
      const paced = pacer(1e6);
      await run(paced, error);
      expect(await run(paced)).toMatchObject({ code: 'PAYMENTS_CIRCUIT_OPEN' });
      runtime.advance(3_001);
      expect(await run(paced)).toMatchObject({ code: 'PAYMENTS_CIRCUIT_OPEN' });
      runtime.advance(600);
      expect(await run(paced)).toBe('answer');
    },
  );

  it('pause for a second at least, also for a Retry-After of 0', async () => {
    const paced = pacer(1e6);
    await run(paced, new PlatformRateLimitedError({ ...ANSWER, status: 429 }, 0));
    runtime.advance(999);
    expect(await run(paced)).toMatchObject({ code: 'PAYMENTS_CIRCUIT_OPEN' });
  });

  it.each([
    ['follow-up', 12],
    ['confirmation', 20],
    ['sweep', 24],
  ] as const)(
    'of the kind %s use no more than their share of the rate, and leave the rest to the others',
    async (kind, most) => {
      const paced = pacer(100);
      const made: string[] = [];
      const kinds = [...Array<typeof kind>(30).fill(kind), ...Array<'overdue'>(40).fill('overdue')];
      await Promise.all(kinds.map((each) => paced.run(each, async () => made.push(each))));
      const before = made.slice(0, made.lastIndexOf('overdue') + 1);
      expect(before.filter((each) => each === 'overdue')).toHaveLength(40);
      expect(before.filter((each) => each === kind).length).toBeLessThanOrEqual(most);
      expect(made).toHaveLength(70);
    },
  );

  it('are refused while too many of their kind wait, so that no queue grows without end', async () => {
    const paced = pacer(10);
    const waiting = Array.from({ length: 60 }, () => run(paced));
    const refused = (await Promise.all(waiting)).filter(
      (answer) => answer instanceof CircuitOpenError,
    );
    // One of the sixty is made at once, and fifty wait.
    expect(refused).toHaveLength(9);
  });

  it('are refused when their turn would come so late that nobody waits for them any more', async () => {
    const paced = pacer(1);
    let made = 0;
    const ask = (): Promise<unknown> =>
      paced.run('confirmation', async () => (made += 1)).catch((error: unknown) => error);
    const answers = await Promise.all(Array.from({ length: 20 }, ask));
    // One is made at once, and one in each 2.5 s of the ten that a turn is waited for.
    expect(made).toBeLessThanOrEqual(6);
    expect(answers.filter((answer) => answer instanceof CircuitOpenError)).toHaveLength(20 - made);
  });

  it('are made also at a rate that is lower than most of them wait', async () => {
    const paced = pacer(0.05);
    const made: string[] = [];
    const ask = (kind: 'overdue' | 'sweep'): Promise<unknown> =>
      paced.run(kind, async () => made.push(kind));
    for (let n = 0; n < 3; n += 1) await ask('sweep');
    for (let n = 0; n < 3; n += 1) await ask('overdue');
    expect(made).toHaveLength(6);
  });

  it('wait their turn, in order', async () => {
    const paced = pacer(100);
    const order: number[] = [];
    await Promise.all([1, 2, 3].map((n) => paced.run('overdue', async () => order.push(n))));
    expect(order).toEqual([1, 2, 3]);
  });

  it('that wait for their turn are not made when the application closes', async () => {
    const closing = new ClosingSignal();
    const paced = pacer(0.01, closing);
    let made = 0;
    const request = async (): Promise<number> => (made += 1);
    await paced.run('overdue', request);
    const waiting = paced.run('overdue', request).catch((error: unknown) => error);
    closing.onModuleDestroy();
    expect(await waiting).toBeInstanceOf(CircuitOpenError);
    expect(made).toBe(1);
  });
});
