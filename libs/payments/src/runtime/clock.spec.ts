import { getEventListeners } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { Runtime } from './clock.js';

const runtime = new Runtime();
const DAY = 86_400_000;
const turn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 20));

describe('A timer', () => {
  it.each([2 ** 31, 365 * DAY, Number.POSITIVE_INFINITY])(
    'of %s ms, which Node would run at once, waits',
    async (ms) => {
      let calls = 0;
      const cancel = runtime.timer(ms, () => (calls += 1));
      await turn();
      cancel();
      expect(calls).toBe(0);
    },
  );

  it('that is cancelled never runs', async () => {
    let calls = 0;
    runtime.timer(1, () => (calls += 1))();
    await turn();
    expect(calls).toBe(0);
  });
});

describe('A pause', () => {
  it('ends with its time, and leaves no listener at the signal', async () => {
    const { signal } = new AbortController();
    expect(await runtime.pause(1, signal)).toBe(true);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('ends when the signal aborts, or at once when it has aborted', async () => {
    const controller = new AbortController();
    const pause = runtime.pause(DAY, controller.signal);
    controller.abort();
    expect(await pause).toBe(false);
    expect(await runtime.pause(DAY, controller.signal)).toBe(false);
  });
});

describe('Work that is waited for', () => {
  const never = new Promise<never>(() => undefined);

  it('resolves with whether it has ended in time', async () => {
    expect(await runtime.endsWithin(Promise.resolve(), DAY)).toBe(true);
    expect(await runtime.endsWithin(never, 1)).toBe(false);
  });

  it('resolves with its result, and rejects with the given error when it is late', async () => {
    const late = (): Error => new Error('late');
    expect(await runtime.inTime(Promise.resolve('result'), DAY, late)).toBe('result');
    await expect(runtime.inTime(never, 1, late)).rejects.toThrow('late');
    await expect(runtime.inTime(Promise.reject(new Error('own')), DAY, late)).rejects.toThrow(
      'own',
    );
  });
});

describe('Jitter', () => {
  it.each([
    [0, 80],
    [0.5, 100],
    [1, 120],
  ])('with the random number %s makes %s of a hundred', (random, ms) => {
    const fixed = new Runtime();
    fixed.random = () => random;
    expect(fixed.jittered(100)).toBeCloseTo(ms);
  });
});
