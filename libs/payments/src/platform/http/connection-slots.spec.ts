import { describe, expect, it } from '@jest/globals';
import { ConnectionSlots } from './connection-slots.js';

const LONG_MS = 60_000;
const OPEN = new AbortController().signal;

describe('connections to one origin', () => {
  /** Takes as many as an account may have. */
  const takeAll = (slots: ConnectionSlots, account: string): number => {
    let taken = 0;
    while (slots.tryTake(account)) taken += 1;
    return taken;
  };

  it('are no more than their number for one account, and go to those that wait in their order', async () => {
    const slots = new ConnectionSlots(2, 8);
    expect(takeAll(slots, 'a')).toBe(2);
    const got: string[] = [];
    const waiting = ['one', 'two'].map(async (name) => {
      await slots.wait('a', LONG_MS, OPEN);
      got.push(name);
    });
    slots.give('a');
    slots.give('a');
    await Promise.all(waiting);
    expect(got).toEqual(['one', 'two']);
    slots.give('a');
    expect(takeAll(slots, 'a')).toBe(1);
  });

  it('are left for another account, however many others have all that they may have', () => {
    const slots = new ConnectionSlots(50, 200);
    const taken = [...Array(10).keys()].map((index) => takeAll(slots, `account ${index}`));
    expect(taken).toEqual([50, 50, 50, 25, 13, 6, 3, 2, 1, 1]);
  });

  it('go round by account: one that waits alone is not behind all that another has waiting', async () => {
    const slots = new ConnectionSlots(2, 2);
    takeAll(slots, 'payroll');
    slots.tryTake('shop');
    const got: string[] = [];
    const wait = async (account: string): Promise<void> => {
      await slots.wait(account, LONG_MS, OPEN);
      got.push(account);
    };
    const waiting = ['payroll', 'payroll', 'payroll', 'shop'].map(wait);
    for (const account of ['payroll', 'shop', 'payroll', 'payroll', 'payroll']) {
      slots.give(account);
      await new Promise(setImmediate);
    }
    await Promise.all(waiting);
    expect(got).toEqual(['payroll', 'shop', 'payroll', 'payroll']);
  });

  it('are never waited for by an account that has none', async () => {
    const slots = new ConnectionSlots(5, 4);
    for (const account of ['payroll', 'shop', 'other']) slots.tryTake(account);
    const got: string[] = [];
    for (const account of ['payroll', 'shop'])
      void slots.wait(account, LONG_MS, OPEN).then(() => got.push(account));
    expect(got).toEqual([]);
    slots.give('shop');
    await new Promise(setImmediate);
    expect(got).toEqual(['payroll', 'shop']);
    for (const account of ['payroll', 'payroll', 'shop', 'other']) slots.give(account);
  });

  it.each([
    ['the time is over', 1, OPEN],
    ['the application closes', LONG_MS, AbortSignal.timeout(1)],
    ['the application is closed', LONG_MS, AbortSignal.abort()],
  ])('are not waited for when %s, and none is lost', async (_, timeoutMs, shutdown) => {
    const slots = new ConnectionSlots(1, 4);
    slots.tryTake('a');
    expect(await slots.wait('a', timeoutMs, shutdown)).toBe(false);
    slots.give('a');
    expect(slots.tryTake('a')).toBe(true);
  });
});
