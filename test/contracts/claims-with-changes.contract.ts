import { describe, expect, it } from '@jest/globals';
import type { NewEvent } from '@tillkit/payments/internal/store';
import {
  anEvent,
  claimCalls,
  newAccount,
  times,
  type StoreUnderTest,
  LISTENER,
  listen,
  received,
} from './store-under-test.js';

export function describeClaimsWithChanges(current: () => StoreUnderTest): void {
  describe('a change that claims the calls of its events', () => {
    it('claims the listener calls that it names, and no other process can claim these', async () => {
      const { store } = current();
      const account = newAccount();
      await store.events.registerListeners(
        account,
        [
          { event: 'delivery.unrecognised', listener: LISTENER },
          { event: 'delivery.unrecognised', listener: 'Other.listen' },
        ],
        'start',
      );
      const event = anEvent(account, 'stream-1');
      const claim = { listeners: [LISTENER], leaseMs: 60_000 };
      const committed = await store.ledger.commit({ account, events: [event], history: [], claim });
      const written = { id: expect.any(String), eventId: event.id };
      expect(
        committed?.calls.toSorted((one, other) => (one.listener < other.listener ? -1 : 1)),
      ).toEqual([
        { ...written, listener: 'Other.listen', token: null },
        { ...written, listener: LISTENER, token: expect.any(String) },
      ]);
      const call = committed?.calls.find(({ listener }) => listener === LISTENER);
      expect(await received(store, account)).toEqual([]);
      expect(await claimCalls(store, account, ['Other.listen'], 100, 60_000)).toMatchObject([
        { eventId: event.id, attempts: 1 },
      ]);
      const own = { id: call?.id ?? '', account, token: call?.token ?? '' };
      expect(await store.events.renewCalls([own], 60_000)).toEqual([]);
      expect(await store.events.finishCall(own, { kind: 'retry', inMs: 0, error: 'no' })).toBe(
        true,
      );
      expect(await claimCalls(store, account, [LISTENER], 100, 60_000)).toMatchObject([
        { eventId: event.id, attempts: 2 },
      ]);
    });

    it('claims calls that can be completed at the same time', async () => {
      const { store } = current();
      const account = newAccount();
      await listen(store, account);
      const claim = { listeners: [LISTENER], leaseMs: 600_000 };
      const commits = await Promise.all(
        times(5, (n) => {
          const events = [anEvent(account, `stream-${n}`)];
          return store.ledger.commit({ account, events, history: [], claim });
        }),
      );
      const claims = commits.map((committed) => {
        const [call] = committed?.calls ?? [];
        return { id: call?.id ?? '', account, token: call?.token ?? '' };
      });
      expect(
        await Promise.all(claims.map((each) => store.events.finishCall(each, { kind: 'done' }))),
      ).toEqual(times(5, () => true));
      for (const n of times(5, (each) => each)) {
        const [event] = await store.events.list(account, `stream-${n}`);
        expect(event?.calls).toMatchObject([{ state: 'done', attempts: 1 }]);
      }
    });

    it('leaves its claimed calls to others when the lease ends', async () => {
      const { store, advance } = current();
      const account = newAccount();
      await listen(store, account);
      const event = anEvent(account, 'stream-1');
      const claim = { listeners: [LISTENER], leaseMs: 600_000 };
      await store.ledger.commit({ account, events: [event], history: [], claim });
      await advance(300_000);
      expect(await received(store, account)).toEqual([]);
      await advance(300_001);
      expect(await received(store, account)).toEqual([event.id]);
    });

    it('does not claim a call while an earlier one of its listener and stream waits', async () => {
      const { store } = current();
      const account = newAccount();
      await listen(store, account);
      const [first, second, other] = ['stream-1', 'stream-1', 'stream-2'].map((stream, n) =>
        anEvent(account, stream, String(n)),
      );
      const claim = { listeners: [LISTENER], leaseMs: 60_000 };
      const tokens = async (...events: (typeof first)[]): Promise<unknown> =>
        (
          await store.ledger.commit({ account, events: events as NewEvent[], history: [], claim })
        )?.calls.map(({ token }) => token !== null);
      expect(await tokens(first)).toEqual([true]);
      expect(await tokens(second, other)).toEqual([false, true]);
      expect(await tokens(first)).toEqual([]);
    });
  });
}
