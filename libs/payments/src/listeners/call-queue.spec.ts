import { beforeEach, describe, expect, it } from '@jest/globals';
import { SkippingRuntime } from '../testing/skipping.runtime.js';
import { CallQueue } from './call-queue.js';
import type { ListenerCall, WantedCalls } from '../store/events.store.js';

const LEASE_MS = 30_000;

describe('the claimed calls of a process', () => {
  let runtime: SkippingRuntime;
  let claimed: CallQueue;

  beforeEach(() => {
    runtime = new SkippingRuntime();
    claimed = new CallQueue(runtime, () => LEASE_MS);
  });

  const aCall = (changes: Partial<ListenerCall> = {}): ListenerCall => ({
    id: 'one',
    account: 'default',
    token: 'first',
    listener: 'Shop.mail',
    eventId: 'e',
    event: 'payment.failed',
    stream: 'p1',
    payload: {},
    attempts: 1,
    ...changes,
  });

  const added = (changes: Partial<ListenerCall> = {}): ListenerCall => {
    const call = aCall(changes);
    claimed.add(call, runtime.elapsed());
    return call;
  };

  it('are claimed by no commit of an account whose payloads hold 8 MB, until one of them has ended', () => {
    const payload = { text: 'x'.repeat(4_500_000) };
    const calls = ['one', 'two'].map((id) => added({ id, payload }));
    expect(claimed.mayWait(aCall())).toBe(false);
    expect(claimed.mayWait(aCall({ account: 'other' }))).toBe(true);
    claimed.remove(calls[0]!);
    expect(claimed.mayWait(aCall())).toBe(true);
  });

  describe('of a listener that has left a call in the store', () => {
    const wanted = (most: number): WantedCalls[] => [
      { account: 'default', most: 10, listeners: [{ id: 'Shop.mail', most }] },
    ];

    beforeEach(() => claimed.leave(aCall()));

    it('are not claimed by commits, so that no new call overtakes an older one again and again', () => {
      expect(claimed.mayWait(aCall())).toBe(false);
      expect(claimed.mayWait(aCall({ listener: 'Shop.other' }))).toBe(true);
    });

    it('are claimed by commits again after a claim that left none', () => {
      claimed.caughtUp(wanted(2), [aCall()], claimed.work.lastLeft);
      expect(claimed.mayWait(aCall())).toBe(true);
    });

    it.each([
      ['listeners', { listener: 'Shop.other' }],
      ['accounts', { account: 'second' }],
    ])('are claimed by commits again after a claim that got only calls of other %s', (_, of) => {
      const others = [aCall({ id: 'two', ...of }), aCall({ id: 'three', ...of })];
      claimed.caughtUp(wanted(2), others, claimed.work.lastLeft);
      expect(claimed.mayWait(aCall())).toBe(true);
    });

    it.each([
      ['as many calls of the listener as it had room for', wanted(1)],
      ['as many calls of the account as it had room for', [{ ...wanted(2)[0], most: 1 }]],
      ['no calls of the listener, because it had no room', []],
    ])('wait for the next claim after one that got %s', (_what, asked) => {
      claimed.caughtUp(asked as WantedCalls[], [aCall()], claimed.work.lastLeft);
      expect(claimed.mayWait(aCall())).toBe(false);
    });

    it('wait for the next claim when another call was left meanwhile', () => {
      const before = claimed.work.lastLeft;
      claimed.leave(aCall());
      claimed.caughtUp(wanted(2), [], before);
      expect(claimed.mayWait(aCall())).toBe(false);
    });
  });

  it('begin once', () => {
    const call = added();
    expect(claimed.begin(call)).toBe(call);
    expect(claimed.begin(call)).toBeNull();
  });

  it('are left after half of their lease, and newer ones then wait for them in the store', () => {
    const call = added();
    expect(claimed.mayWait(call)).toBe(true);
    runtime.advance(LEASE_MS / 2 + 1);
    expect(claimed.leaveLate(call)).toBe(call);
    expect(claimed.begin(call)).toBeNull();
    expect(claimed.heldCount(call)).toBe(0);
    expect(claimed.mayWait(call)).toBe(false);
  });

  it('are not left within half of their lease, nor after they have begun', () => {
    const call = added();
    runtime.advance(LEASE_MS / 2);
    expect(claimed.leaveLate(call)).toBeNull();
    claimed.begin(call);
    runtime.advance(1);
    expect(claimed.leaveLate(call)).toBeNull();
  });

  it('begin again when they are claimed again before the answer to their outcome comes', () => {
    const call = added();
    claimed.begin(call);
    claimed.end(call);
    expect(claimed.finish(call)).toBe(call);
    const again = added({ token: 'second' });
    expect(claimed.begin(again)).toBeNull();
    expect(claimed.claimedAgain(call)).toBe(again);
    expect(claimed.begin(again)).toBe(again);
    expect(claimed.claimedAgain(call)).toBeNull();
  });

  it('do not begin when they are not held any more, and end with the claim that they had', () => {
    const call = added();
    claimed.remove(call);
    expect(claimed.begin(call)).toBeNull();
    expect(claimed.leaveLate(call)).toBeNull();
    expect(claimed.finish(call)).toBe(call);
    expect(claimed.claimedAgain(call)).toBeNull();
  });

  it('begin with their newest claim, and its time', () => {
    const old = added();
    runtime.advance(LEASE_MS);
    const newest = added({ token: 'second' });
    expect(claimed.begin(old)).toBe(newest);
    expect(claimed.begin(newest)).toBeNull();
  });

  it('do not begin again when they are claimed again while they run', () => {
    const call = added();
    claimed.begin(call);
    const newest = added({ token: 'second' });
    expect(claimed.begin(newest)).toBeNull();
    expect(claimed.finish(call)).toBe(newest);
    expect(claimed.claimedAgain(call)).toBeNull();
    expect(claimed.begun()).toEqual([newest]);
  });

  it('are counted by listener, each once, until they are removed', () => {
    const call = added();
    added({ token: 'second' });
    added({ id: 'two' });
    added({ id: 'three', listener: 'Orders.update' });
    added({ id: 'four', account: 'second' });
    expect(claimed.heldCount(call)).toBe(2);
    claimed.remove(call);
    claimed.remove(call);
    expect(claimed.heldCount(call)).toBe(1);
  });

  it('run until their listener has ended, and are renewed until their outcome is stored', () => {
    const call = added();
    added({ id: 'two' });
    claimed.begin(call);
    expect(claimed.runningCount(call)).toBe(1);
    claimed.end(call);
    expect(claimed.runningCount(call)).toBe(0);
    expect(claimed.begun()).toEqual([call]);
    claimed.remove(call);
    expect(claimed.begun()).toEqual([]);
  });

  it('may be 500 of one listener, those included that commits under way may claim', () => {
    for (let n = 0; n < 499; n += 1) added({ id: `${n}` });
    const claim = { listeners: ['Shop.mail'], leaseMs: LEASE_MS };
    expect(claimed.mayWait(aCall())).toBe(true);
    claimed.reserve('default', claim);
    expect(claimed.mayWait(aCall())).toBe(false);
    expect(claimed.mayWait(aCall({ listener: 'Orders.update' }))).toBe(true);
    expect(claimed.mayWait(aCall({ account: 'second' }))).toBe(true);
    claimed.release('default', claim);
    expect(claimed.mayWait(aCall())).toBe(true);
  });

  it('of a commit are claimed since before the commit began', () => {
    const claim = { listeners: ['Shop.mail'], leaseMs: LEASE_MS };
    const before = runtime.elapsed();
    claimed.reserve('default', claim);
    runtime.advance(1_000);
    expect(claimed.release('default', claim)).toBe(before);
  });

  it('say whether another call of their class and stream may wait for them', () => {
    const call = added();
    claimed.follow(call);
    expect(claimed.remove(added({ id: 'two', stream: 'p2' }))).toBe(false);
    expect(claimed.remove(added({ id: 'three', listener: 'Other.mail' }))).toBe(false);
    expect(claimed.remove(added({ id: 'four', listener: 'Shop.other' }))).toBe(true);
    expect(claimed.remove(call)).toBe(true);
  });
});
