import { beforeEach, describe, expect, it } from '@jest/globals';
import {
  PlatformRateLimitedError,
  PlatformRejectedError,
  PlatformTimeoutError,
  PlatformUnavailableError,
  type PlatformAnswer,
} from '../platform.errors.js';
import { SkippingRuntime } from '../testing/skipping.runtime.js';
import { fullJitter, RetryBudget, retrySafely } from './retry.js';
import { Runtime } from './clock.js';
import { ShutdownSignal } from './shutdown-signal.js';

const ANSWER: PlatformAnswer = { operation: 'read', status: 503, platformMessages: [] };

/** Fails with each error in turn, then succeeds. Counts the attempts. */
function attempts(...errors: Error[]): { made: () => number; attempt: () => Promise<string> } {
  let made = 0;
  return {
    made: () => made,
    attempt: async () => {
      const error = errors[made];
      made += 1;
      if (error) throw error;
      return 'answer';
    },
  };
}

const soon = (): Error => new PlatformUnavailableError(ANSWER, 0);

describe('a retry of a read or of a token request', () => {
  let runtime: SkippingRuntime;
  let shutdown: ShutdownSignal;

  beforeEach(() => {
    runtime = new SkippingRuntime();
    shutdown = new ShutdownSignal(runtime);
  });

  it.each([
    ['a 503', soon()],
    ['a 429', new PlatformRateLimitedError(ANSWER, 0)],
    ['a lost answer', new PlatformTimeoutError('read', new Error('reset'))],
  ])('is made after %s', async (_, error) => {
    const { made, attempt } = attempts(error);
    expect(await retrySafely(new RetryBudget(), shutdown, runtime, attempt)).toBe('answer');
    expect(made()).toBe(2);
  });

  it.each([
    ['a refusal', new PlatformRejectedError({ ...ANSWER, status: 404 })],
    ['a Retry-After that is too long', new PlatformRateLimitedError(ANSWER, 10_001)],
    ['an error of the library itself', new Error('a mistake')],
  ])('is not made after %s', async (_, error) => {
    const { made, attempt } = attempts(error);
    await expect(retrySafely(new RetryBudget(), shutdown, runtime, attempt)).rejects.toBe(error);
    expect(made()).toBe(1);
  });

  it('is made three times at most', async () => {
    const { made, attempt } = attempts(...Array.from({ length: 9 }, soon));
    await expect(retrySafely(new RetryBudget(), shutdown, runtime, attempt)).rejects.toThrow(
      /answered 503/,
    );
    expect(made()).toBe(4);
  });

  it('is not made while the retry budget is spent, and is made after successes have refilled it', async () => {
    const budget = new RetryBudget(1);
    expect(budget.spend()).toBe(true);
    const poor = attempts(soon());
    await expect(retrySafely(budget, shutdown, runtime, poor.attempt)).rejects.toThrow(
      /answered 503/,
    );
    expect(poor.made()).toBe(1);

    for (let n = 0; n < 11; n += 1)
      await retrySafely(budget, shutdown, runtime, attempts().attempt);
    const rich = attempts(soon());
    expect(await retrySafely(budget, shutdown, runtime, rich.attempt)).toBe('answer');
  });

  it('is not made when the application closes during the wait', async () => {
    const error = new PlatformRateLimitedError(ANSWER, 9_999);
    const { made, attempt } = attempts(error);
    const repeated = retrySafely(new RetryBudget(), shutdown, runtime, attempt);
    shutdown.close();
    await expect(repeated).rejects.toBe(error);
    expect(made()).toBe(1);
  });

  it('waits a random time up to a limit', () => {
    const waits = Array.from({ length: 200 }, (_, n) => fullJitter(new Runtime(), n));
    expect(waits.every((ms) => ms >= 0 && ms <= 5_000)).toBe(true);
    expect(new Set(waits).size).toBeGreaterThan(100);
  });
});
