import { describe, expect, it } from '@jest/globals';
import { ConnectionSlots } from './connection-slots.js';

const LONG_MS = 60_000;
const OPEN = new AbortController().signal;

describe('connections to one origin', () => {
  it('are no more than their number, and go to those that wait in their order', async () => {
    const slots = new ConnectionSlots(2);
    expect([slots.tryTake(), slots.tryTake(), slots.tryTake()]).toEqual([true, true, false]);
    const got: string[] = [];
    const waiting = ['one', 'two'].map(async (name) => {
      await slots.take(LONG_MS, OPEN);
      got.push(name);
    });
    slots.give();
    slots.give();
    await Promise.all(waiting);
    expect(got).toEqual(['one', 'two']);
    slots.give();
    expect([slots.tryTake(), slots.tryTake()]).toEqual([true, false]);
  });

  it.each([
    ['the time is over', 1, OPEN],
    ['the application closes', LONG_MS, AbortSignal.timeout(1)],
    ['the application is closed', LONG_MS, AbortSignal.abort()],
  ])('are not waited for when %s, and none is lost', async (_, timeoutMs, shutdown) => {
    const slots = new ConnectionSlots(1);
    slots.tryTake();
    expect(await slots.take(timeoutMs, shutdown)).toBe(false);
    slots.give();
    expect(slots.tryTake()).toBe(true);
  });
});
