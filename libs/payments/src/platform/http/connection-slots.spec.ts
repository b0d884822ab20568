import { describe, expect, it } from '@jest/globals';
import { ConnectionSlots } from './connection-slots.js';
import { RequestDeadline } from './request-deadline.js';

const later = (): RequestDeadline => new RequestDeadline(60_000);

describe('connections to one origin', () => {
  it('are no more than their number, and go to those that wait in their order', async () => {
    const slots = new ConnectionSlots(2);
    expect([slots.tryTake(), slots.tryTake(), slots.tryTake()]).toEqual([true, true, false]);
    const got: string[] = [];
    const waiting = ['one', 'two'].map(async (name) => {
      await slots.take(later());
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
    ['the deadline is over', () => new RequestDeadline(1)],
    ['the application closes', () => new RequestDeadline(60_000, AbortSignal.timeout(1))],
    ['the application is closed', () => new RequestDeadline(60_000, AbortSignal.abort())],
  ])('are not waited for when %s, and none is lost', async (_, deadline) => {
    const slots = new ConnectionSlots(1);
    slots.tryTake();
    expect(await slots.take(deadline())).toBe(false);
    slots.give();
    expect(slots.tryTake()).toBe(true);
  });
});
