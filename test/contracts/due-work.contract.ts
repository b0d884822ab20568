import { describe, expect, it } from '@jest/globals';
import type { DueWork } from '@tillkit/payments/internal/store';
import {
  aDelivery,
  anEvent,
  aPayment,
  changed,
  claimCalls,
  commitEvents,
  newAccount,
  recorded,
  times,
  type StoreUnderTest,
} from './store-under-test.js';

const WITHIN_MS = 500_000;

const NOTHING: DueWork = {
  callbacks: false,
  webhooks: false,
  open: false,
  followed: false,
  calls: [],
  planned: [],
  accounts: [],
  nextMs: null,
};

export function describeDueWork(current: () => StoreUnderTest): void {
  /** Looks for the work of one account, without the names of the accounts: they add nothing for one. */
  const look = async (account: string, withinMs = WITHIN_MS): Promise<DueWork> => {
    const scope = { background: [account], reconciled: [account] };
    return { ...(await current().store.dueWork.look(scope, withinMs)), accounts: [] };
  };

  const listening = async (...listeners: readonly string[]): Promise<string> => {
    const account = newAccount();
    await current().store.events.registerListeners(
      account,
      listeners.map((listener) => ({ event: 'delivery.unrecognised' as const, listener })),
      'start',
    );
    return account;
  };

  /** Expects that the next look is worth its cost in about so many milliseconds. */
  const expectNext = ({ nextMs }: DueWork, ms: number): void => {
    expect(nextMs).toBeGreaterThan(ms - 100_000);
    expect(nextMs).toBeLessThanOrEqual(ms);
  };

  describe('a look for due work', () => {
    it('finds nothing where nothing waits', async () => {
      expect(await look(newAccount())).toEqual(NOTHING);
      const { dueWork } = current().store;
      expect(await dueWork.look({ background: [], reconciled: [] }, WITHIN_MS)).toEqual(NOTHING);
    });

    it.each([
      ['sweep', 'reconciled'],
      ['retention', 'background'],
    ] as const)(
      'finds a planned %s of the accounts of that work, until it is claimed',
      async (kind, of) => {
        const { plannedWork, dueWork } = current().store;
        const account = newAccount();
        await plannedWork.plan([{ account, kind, inMs: 0 }]);
        const only = { background: [], reconciled: [], [of]: [account] };
        expect(await dueWork.look(only, WITHIN_MS)).toEqual({
          ...NOTHING,
          planned: [kind],
          accounts: [account],
        });
        const others = { background: [account], reconciled: [account], [of]: [] };
        expect(await dueWork.look(others, WITHIN_MS)).toEqual(NOTHING);
        await plannedWork.claim([account], kind, 1, 400_000);
        const next = await look(account);
        expect(next).toMatchObject({ planned: [] });
        expectNext(next, 400_000);
      },
    );

    it('of all accounts except some finds their work, and names the accounts with calls', async () => {
      const { store } = current();
      const [found, paying, hearing, excluded] = [
        newAccount(),
        newAccount(),
        await listening('shop'),
        newAccount(),
      ];
      for (const account of [found, excluded])
        await store.deliveries.store(aDelivery(account, { kind: 'callback' }));
      await changed(
        store,
        await recorded(store, aPayment(paying)),
        { state: 'pending' },
        { dueInMs: 0 },
      );
      await commitEvents(store, hearing, anEvent(hearing, 'stream'));
      const scope = { allBut: [excluded] };
      const work = await store.dueWork.look({ background: scope, reconciled: scope }, WITHIN_MS);
      expect(work).toMatchObject({ callbacks: true, open: true });
      expect(work.accounts).toEqual(expect.arrayContaining([hearing]));
      expect(work.accounts).not.toContain(excluded);
      const few = await store.dueWork.look(
        { background: [found], reconciled: [paying] },
        WITHIN_MS,
      );
      expect(few.accounts.toSorted()).toEqual([found, paying].toSorted());
    });

    it.each(['callback', 'webhook'] as const)('finds a %s, until it is claimed', async (kind) => {
      const { store } = current();
      const account = newAccount();
      await store.deliveries.store(aDelivery(account, { kind }));
      expect(await look(account)).toEqual({ ...NOTHING, [`${kind}s`]: true });
      await store.deliveries.claim([account], kind, 1, 6_000_000);
      expect(await look(account)).toEqual(NOTHING);
    });

    it('knows when the retry of a delivery is due', async () => {
      const { store, advance } = current();
      const account = newAccount();
      await store.deliveries.store(aDelivery(account));
      const [claim] = await store.deliveries.claim([account], 'webhook', 1, 6_000_000);
      await store.deliveries.finish(claim!, { kind: 'retry', inMs: 400_000, error: 'no' });
      const before = await look(account);
      expect(before.webhooks).toBe(false);
      expectNext(before, 400_000);
      expect((await look(account, 200_000)).nextMs).toBeNull();
      await advance(400_000);
      expect((await look(account)).webhooks).toBe(true);
    });

    it('knows when a claim ends whose process has died', async () => {
      const { store, advance } = current();
      const account = newAccount();
      await store.deliveries.store(aDelivery(account), 400_000);
      expectNext(await look(account), 400_000);
      await advance(400_000);
      expect((await look(account)).webhooks).toBe(true);
    });

    it('finds an operation that is due, until it is claimed, and knows when its claim ends', async () => {
      const { store, advance } = current();
      const account = newAccount();
      await recorded(store, aPayment(account, { inBackground: true }));
      expect(await look(account)).toEqual({ ...NOTHING, open: true });
      const lease = { followed: false, limit: 1, leaseMs: 6_000_000, sendLeaseMs: 400_000 };
      await store.operations.claimDue([account], lease);
      const claimed = await look(account);
      expect(claimed.open).toBe(false);
      expectNext(claimed, 400_000);
      await advance(400_000);
      expect((await look(account)).open).toBe(true);
    });

    it('knows when the read of an operation is due', async () => {
      const { store, advance } = current();
      const account = newAccount();
      const payment = await recorded(store, aPayment(account));
      await store.operations.schedule(payment, { inMs: 400_000 });
      expectNext(await look(account), 400_000);
      await advance(400_000);
      expect(await look(account)).toEqual({ ...NOTHING, open: true });
    });

    it('finds a failed operation that is read again', async () => {
      const { store } = current();
      const account = newAccount();
      const payment = await recorded(store, aPayment(account));
      await changed(store, payment, { state: 'failed', reason: 'cancelled' }, { dueInMs: 0 });
      expect(await look(account)).toEqual({ ...NOTHING, followed: true });
    });

    it('finds no operation that has settled and is not read any more', async () => {
      const { store } = current();
      const account = newAccount();
      const payment = await recorded(store, aPayment(account));
      await changed(store, payment, { state: 'failed', reason: 'cancelled' }, { dueInMs: null });
      expect(await look(account)).toEqual(NOTHING);
    });

    it('names the listeners with due calls, each once', async () => {
      const { store } = current();
      const account = await listening('a', 'b', 'c');
      await commitEvents(store, account, anEvent(account, 'one'), anEvent(account, 'two'));
      for (const call of await claimCalls(store, account, ['b'], 10, 6_000_000))
        await store.events.finishCall(call, { kind: 'done' });
      const { calls, ...others } = await look(account);
      expect(calls.map(({ listener }) => listener).toSorted()).toEqual(['a', 'c']);
      expect(calls[0]?.account).toBe(account);
      expect({ ...others, calls: [] }).toEqual(NOTHING);
    });

    it('does not find a call that waits for an earlier one of its stream, also when that one is claimed or repeated later', async () => {
      const { store, advance } = current();
      const account = await listening('a');
      await commitEvents(
        store,
        account,
        anEvent(account, 'one', '1'),
        anEvent(account, 'one', '2'),
      );
      const [first] = await claimCalls(store, account, ['a'], 10, 400_000);
      const claimed = await look(account);
      expect(claimed.calls).toEqual([]);
      expectNext(claimed, 400_000);
      await store.events.finishCall(first!, { kind: 'retry', inMs: 300_000, error: 'no' });
      const retried = await look(account);
      expect(retried.calls).toEqual([]);
      expectNext(retried, 300_000);
      await advance(300_000);
      expect((await look(account)).calls).toEqual([{ account, listener: 'a' }]);
    });

    it('finds the next call of a stream when the first one is done', async () => {
      const { store } = current();
      const account = await listening('a');
      await commitEvents(
        store,
        account,
        anEvent(account, 'one', '1'),
        anEvent(account, 'one', '2'),
      );
      const [first] = await claimCalls(store, account, ['a'], 10, 6_000_000);
      await store.events.finishCall(first!, { kind: 'done' });
      expect((await look(account)).calls).toEqual([{ account, listener: 'a' }]);
    });

    it('does not find a dead letter', async () => {
      const { store } = current();
      const account = await listening('a');
      await commitEvents(store, account, anEvent(account, 'one'));
      const [call] = await claimCalls(store, account, ['a'], 1, 6_000_000);
      await store.events.finishCall(call!, { kind: 'given_up', error: 'no' });
      expect(await look(account)).toEqual(NOTHING);
    });

    it('finds nothing of other accounts', async () => {
      const { store } = current();
      const [mine, other] = [newAccount(), await listening('a')];
      await store.deliveries.store(aDelivery(other));
      await recorded(store, aPayment(other, { inBackground: true }));
      await commitEvents(store, other, anEvent(other, 'one'));
      expect(await look(mine)).toEqual(NOTHING);
      expect(await store.dueWork.look({ background: [other], reconciled: [] }, 1)).toEqual({
        ...NOTHING,
        webhooks: true,
        calls: [{ account: other, listener: 'a' }],
        accounts: [other],
      });
      expect(await store.dueWork.look({ background: [], reconciled: [other] }, 1)).toEqual({
        ...NOTHING,
        open: true,
        accounts: [other],
      });
    });

    it('finds a piece that can be claimed among any number of claimed ones', async () => {
      const { store } = current();
      const account = await listening('a');
      await Promise.all(times(80, () => store.deliveries.store(aDelivery(account), 6_000_000)));
      await Promise.all(
        times(80, () => recorded(store, aPayment(account, { inBackground: true }))),
      );
      const lease = { followed: false, limit: 80, leaseMs: 6_000_000, sendLeaseMs: 6_000_000 };
      await store.operations.claimDue([account], lease);
      await commitEvents(store, account, ...times(80, (n) => anEvent(account, `stream ${n}`)));
      await claimCalls(store, account, ['a'], 80, 6_000_000);
      await store.deliveries.store(aDelivery(account));
      await recorded(store, aPayment(account, { inBackground: true }));
      await commitEvents(store, account, anEvent(account, 'last'));
      expect(await look(account)).toEqual({
        ...NOTHING,
        webhooks: true,
        open: true,
        calls: [{ account, listener: 'a' }],
      });
    });
  });
}
