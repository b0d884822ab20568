import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { keepWarnings } from '../../../../test/support/warnings.js';
import type { ListenerCall } from '../store/events.store.js';
import { SteppedRuntime } from '../testing/stepped.runtime.js';
import { SlowListeners } from './call-queue.js';

const CALL: ListenerCall = {
  id: 'c1',
  account: 'default',
  token: 't',
  listener: 'Shop.mail',
  eventId: 'e1',
  event: 'payment.failed',
  stream: 'p1',
  payload: {},
  attempts: 1,
};
const SECOND = 1_000;

describe('a listener whose calls run for long', () => {
  const lines: string[] = [];
  let runtime: SteppedRuntime;
  let slow: SlowListeners;
  let waiting: { here: number; inStore: boolean };

  beforeEach(() => {
    lines.length = 0;
    keepWarnings(lines);
    runtime = new SteppedRuntime();
    waiting = { here: 3, inStore: false };
    slow = new SlowListeners(runtime, () => waiting);
  });
  afterEach(() => {
    Logger.overrideLogger(false);
  });

  it('is named with its event, how long the call has run, and how many calls wait behind it', () => {
    slow.watch(CALL);
    runtime.advance(9 * SECOND);
    expect(lines).toEqual([]);
    runtime.advance(SECOND);
    expect(lines).toEqual([
      expect.stringMatching(
        /^a call of listener Shop\.mail of payment\.failed has run for 10 s, and 3 calls wait behind it\. .*account=default.*eventId=e1/,
      ),
    ]);
  });

  it('is named with what waits in the store for it, whose number this process does not know', () => {
    waiting = { here: 500, inStore: true };
    slow.watch(CALL);
    runtime.advance(10 * SECOND);
    expect(lines[0]).toContain('500 calls wait behind it, and more in the store.');
  });

  it('is named once, however many of its calls run for long', () => {
    const ends = Array.from({ length: 3 }, () => slow.watch(CALL));
    runtime.advance(10 * SECOND);
    for (const end of ends) end();
    slow.watch(CALL);
    runtime.advance(30 * SECOND);
    expect(lines).toHaveLength(1);
  });

  it('is not named again while one of its calls runs for long, although others end in time', () => {
    slow.watch(CALL);
    runtime.advance(10 * SECOND);
    slow.watch(CALL)();
    slow.watch(CALL);
    runtime.advance(10 * SECOND);
    expect(lines).toHaveLength(1);
  });

  it('is named again after it has recovered: a call has ended in time, and none runs for long', () => {
    const first = slow.watch(CALL);
    runtime.advance(10 * SECOND);
    first();
    slow.watch(CALL)();
    slow.watch(CALL);
    runtime.advance(10 * SECOND);
    expect(lines).toHaveLength(2);
  });

  it('is named for each account, and beside another listener', () => {
    for (const other of [{}, { account: 'shop-2' }, { listener: 'Shop.print' }])
      slow.watch({ ...CALL, ...other });
    runtime.advance(10 * SECOND);
    expect(lines).toHaveLength(3);
  });

  it('is not named when its calls end in time, and no timer is left', () => {
    slow.watch(CALL)();
    expect(runtime.waits).toEqual([]);
    runtime.advance(10 * SECOND);
    expect(lines).toEqual([]);
  });
});
