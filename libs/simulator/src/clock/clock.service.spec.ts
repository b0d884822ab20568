import { describe, expect, it } from '@jest/globals';
import { ActivityTracker } from './activity.service.js';
import { SimulatedClock } from './clock.service.js';

describe('The clock of the simulator', () => {
  const HOUR = 3_600_000;

  function start() {
    const activity = new ActivityTracker();
    const clock = new SimulatedClock(activity);
    const ran: string[] = [];
    const note = (text: string) => () => void ran.push(text);
    return { activity, clock, ran, note };
  }

  it('runs due tasks in the order of their time, and tasks of the same time in the order of scheduling', async () => {
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

  it('runs each task at its own time, so that a task that it schedules runs in order too', async () => {
    const { clock, ran, note } = start();
    clock.schedule(HOUR, () => clock.schedule(HOUR, note('after two hours')));
    clock.schedule(2.5 * HOUR, note('after two and a half'));
    await clock.advance(3 * HOUR);
    expect(ran).toEqual(['after two hours', 'after two and a half']);
  });

  it('does not run a cancelled task', async () => {
    const { clock, ran, note } = start();
    clock.schedule(HOUR, note('cancelled')).cancel();
    await clock.advance(2 * HOUR);
    expect(ran).toEqual([]);
  });

  it('advances now() too', async () => {
    const { clock } = start();
    const before = clock.now();
    await clock.advance(HOUR);
    expect(clock.now() - before).toBeGreaterThanOrEqual(HOUR);
  });

  it('runs no task because of a skew', () => {
    const { clock, ran, note } = start();
    clock.schedule(HOUR, note('due in an hour'));
    const before = clock.now();
    clock.skew(24 * HOUR);
    expect(clock.now() - before).toBeGreaterThanOrEqual(24 * HOUR);
    expect(clock.runDue()).toBe(false);
    expect(ran).toEqual([]);
  });

  it('can be skewed into the past', () => {
    const { clock } = start();
    clock.skew(-24 * HOUR);
    expect(clock.now()).toBeLessThan(Date.now() - 23 * HOUR);
  });

  it('waits for work in flight before it runs the next task', async () => {
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

  it('waits only once for work that hangs', async () => {
    const { activity, clock, ran, note } = start();
    activity.begin();
    clock.schedule(HOUR, note('first'));
    clock.schedule(2 * HOUR, note('second'));
    await clock.advance(3 * HOUR);
    expect(ran).toEqual(['first', 'second']);
  });

  it('runs two concurrent calls of advance one after the other', async () => {
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

  it('resolves wait() after the given time', async () => {
    const { clock } = start();
    let over = false;
    const waiting = clock.wait(HOUR).then(() => (over = true));
    await clock.advance(HOUR);
    await waiting;
    expect(over).toBe(true);
  });

  it('runs a task without delay by itself', async () => {
    const { clock } = start();
    await expect(clock.wait(0)).resolves.toBeUndefined();
  });

  it('runs no task after stop()', async () => {
    const { clock, ran, note } = start();
    clock.schedule(HOUR, note('too late'));
    clock.stop();
    await clock.advance(2 * HOUR);
    expect(ran).toEqual([]);
  });
});
