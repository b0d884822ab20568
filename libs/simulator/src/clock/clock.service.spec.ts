import { describe, expect, it } from '@jest/globals';
import { ActivityTracker } from './activity.service.js';
import { SimulatedClock } from './clock.service.js';

describe('the clock', () => {
  const HOUR = 3_600_000;

  function start() {
    const activity = new ActivityTracker();
    const clock = new SimulatedClock(activity);
    const ran: string[] = [];
    const note = (text: string) => () => void ran.push(text);
    return { activity, clock, ran, note };
  }

  it('runs what became due in the order of time, and among equals in the order of asking', async () => {
    const { clock, ran, note } = start();
    clock.schedule(3 * HOUR, note('third'));
    clock.schedule(HOUR, note('first'));
    clock.schedule(2 * HOUR, note('second'));
    clock.schedule(9 * HOUR, note('never'));
    await clock.advance(4 * HOUR);
    expect(ran).toEqual(['first', 'second', 'third']);
  });

  it('keeps the order of a thousand tasks', async () => {
    const { clock, ran, note } = start();
    const delays = Array.from(
      { length: 1_000 },
      (_, index) => ((index * 7_919) % 1_000) * 1_000 + HOUR,
    );
    for (const delay of delays) clock.schedule(delay, note(String(delay)));
    await clock.advance(2 * HOUR);
    expect(ran).toEqual(delays.sort((a, b) => a - b).map(String));
  });

  it('runs each task at its own moment, so that what it schedules falls into place', async () => {
    const { clock, ran, note } = start();
    clock.schedule(HOUR, () => clock.schedule(HOUR, note('after two hours')));
    clock.schedule(2.5 * HOUR, note('after two and a half'));
    await clock.advance(3 * HOUR);
    expect(ran).toEqual(['after two hours', 'after two and a half']);
  });

  it('does not run what was cancelled', async () => {
    const { clock, ran, note } = start();
    clock.schedule(HOUR, note('cancelled')).cancel();
    await clock.advance(2 * HOUR);
    expect(ran).toEqual([]);
  });

  it('moves now', async () => {
    const { clock } = start();
    const before = clock.now();
    await clock.advance(HOUR);
    expect(clock.now() - before).toBeGreaterThanOrEqual(HOUR);
  });

  it('runs nothing because of a skew', () => {
    const { clock, ran, note } = start();
    clock.schedule(HOUR, note('due in an hour'));
    const before = clock.now();
    clock.skew(24 * HOUR);
    expect(clock.now() - before).toBeGreaterThanOrEqual(24 * HOUR);
    expect(clock.runDue()).toBe(false);
    expect(ran).toEqual([]);
  });

  it('can be behind', () => {
    const { clock } = start();
    clock.skew(-24 * HOUR);
    expect(clock.now()).toBeLessThan(Date.now() - 23 * HOUR);
  });

  it('waits for what is in flight before it moves on', async () => {
    const { activity, clock, ran, note } = start();
    clock.schedule(HOUR, () => {
      const done = activity.begin();
      setTimeout(() => {
        note('arrived')();
        done();
      }, 5);
    });
    clock.schedule(HOUR + 1, note('next'));
    await clock.advance(2 * HOUR);
    expect(ran).toEqual(['arrived', 'next']);
  });

  it('moves on when something in flight hangs, once for all', async () => {
    const { activity, clock, ran, note } = start();
    activity.begin();
    clock.schedule(HOUR, note('first'));
    clock.schedule(2 * HOUR, note('second'));
    await clock.advance(3 * HOUR);
    expect(ran).toEqual(['first', 'second']);
  });

  it('moves in turns when asked twice at once', async () => {
    const { clock, ran, note } = start();
    clock.schedule(HOUR, note('first'));
    clock.schedule(2 * HOUR, note('second'));
    const before = clock.now();
    await Promise.all([clock.advance(1.5 * HOUR), clock.advance(1.5 * HOUR)]);
    expect(ran).toEqual(['first', 'second']);
    expect(clock.now() - before).toBeGreaterThanOrEqual(3 * HOUR);
  });

  it.each([-1, Number.NaN, Infinity])('refuses to advance by %p', async (ms) => {
    await expect(start().clock.advance(ms)).rejects.toThrow(RangeError);
  });

  it('resolves what waits on it', async () => {
    const { clock } = start();
    let over = false;
    const waiting = clock.wait(HOUR).then(() => (over = true));
    await clock.advance(HOUR);
    await waiting;
    expect(over).toBe(true);
  });

  it('runs by itself what is due at once', async () => {
    const { clock } = start();
    await expect(clock.wait(0)).resolves.toBeUndefined();
  });

  it('runs nothing once stopped', async () => {
    const { clock, ran, note } = start();
    clock.schedule(HOUR, note('too late'));
    clock.stop();
    await clock.advance(2 * HOUR);
    expect(ran).toEqual([]);
  });
});
