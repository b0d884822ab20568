import { describe, expect, it } from '@jest/globals';
import type {
  ClaimOutcome,
  DeadLetter,
  DeadLetterFilter,
  ListenerCall,
  PaymentsEventName,
  WantedCalls,
} from '@tillkit/payments/internal/store';
import {
  anEvent,
  claimCalls,
  newAccount,
  times,
  commitEvents,
  type StoreUnderTest,
} from './store-under-test.js';

export function describeCalls(current: () => StoreUnderTest): void {
  const listeners = async (...names: string[]): Promise<string> => {
    const account = newAccount();
    await current().store.events.registerListeners(
      account,
      names.map((listener) => ({ event: 'delivery.unrecognised' as const, listener })),
      'start',
    );
    return account;
  };
  const claim = (
    account: string,
    names: readonly string[] = ['a'],
    limit = 100,
    leaseMs = 60_000,
  ): Promise<ListenerCall[]> => claimCalls(current().store, account, names, limit, leaseMs);
  const claimOne = async (account: string, leaseMs = 60_000): Promise<ListenerCall> => {
    const [call] = await claim(account, ['a'], 1, leaseMs);
    if (!call) throw new Error('nothing to claim');
    return call;
  };

  describe('an event', () => {
    it('causes one call for each listener of its name, with the whole payload', async () => {
      const { store } = current();
      const account = await listeners('a', 'b');
      await store.events.registerListeners(
        account,
        [
          { event: 'payment.succeeded', listener: 'c' },
          { event: 'delivery.unrecognised', listener: 'a' },
        ],
        'start',
      );
      const event = anEvent(account, 'stream');
      await commitEvents(store, account, event);
      const calls = await claim(account, ['a', 'b', 'c']);
      expect(calls.map(({ listener }) => listener).toSorted()).toEqual(['a', 'b']);
      expect(calls[0]).toMatchObject({
        account,
        eventId: event.id,
        event: 'delivery.unrecognised',
        stream: 'stream',
        payload: event.payload,
        attempts: 1,
      });
      expect(await claim(account, ['a', 'b', 'c'])).toEqual([]);
    });

    it('causes no call for a listener that was registered later', async () => {
      const { store } = current();
      const account = newAccount();
      await commitEvents(store, account, anEvent(account, 'before'));
      await store.events.registerListeners(
        account,
        [{ event: 'delivery.unrecognised', listener: 'a' }],
        'start',
      );
      expect(await claim(account)).toEqual([]);
    });

    it('whose calls no process claims for a while shows its listener as missing', async () => {
      const { store, advance } = current();
      const account = await listeners('gone', 'failing', 'busy', 'idle');
      await commitEvents(store, account, anEvent(account, 'one'), anEvent(account, 'two'));
      const [failed, other] = await claim(account, ['failing'], 2);
      await store.events.finishCall(failed!, { kind: 'retry', inMs: 3_600_000, error: 'no' });
      await store.events.finishCall(other!, { kind: 'retry', inMs: 0, error: 'no' });
      for (const call of await claim(account, ['idle'])) {
        await store.events.finishCall(call, { kind: 'done' });
      }
      await claim(account, ['busy'], 1, 3_600_000);
      await advance(600_000);
      expect(await store.events.missingListeners(account, 900_000)).toEqual([]);
      const [failing, gone, ...others] = await store.events.missingListeners(account, 600_000);
      expect(others).toEqual([]);
      expect(failing).toMatchObject({ listener: 'failing', calls: 2 });
      expect(gone).toMatchObject({ listener: 'gone', calls: 2 });
      expect(gone?.waitingMs).toBeGreaterThanOrEqual(600_000);
      expect(await store.events.missingListeners(newAccount(), 0)).toEqual([]);
    });

    it('is claimed only by a process that has its listener and its account', async () => {
      const account = await listeners('a', 'b');
      await commitEvents(current().store, account, anEvent(account, 'stream'));
      expect(await claim(account, [])).toEqual([]);
      expect(await claim(account, ['other'])).toEqual([]);
      expect(await claim(newAccount(), ['a'])).toEqual([]);
      expect(await claim(account, ['b'])).toHaveLength(1);
      expect(await claim(account, ['a'])).toHaveLength(1);
    });
  });

  describe('calls of several accounts and listeners', () => {
    const LIMIT = 100;
    /** Returns an account with 20 due calls for each of the listeners a and b. */
    const busy = async (): Promise<string> => {
      const account = await listeners('a', 'b');
      const events = times(20, (index) => anEvent(account, `stream-${index}`));
      await commitEvents(current().store, account, ...events);
      return account;
    };
    const wanted = (
      account: string,
      most: number,
      ofEach: Record<string, number>,
    ): WantedCalls => ({
      account,
      most,
      listeners: Object.entries(ofEach).map(([id, ofOne]) => ({ id, most: ofOne })),
    });
    /** Returns the number of claimed calls by account and listener. */
    const counts = async (
      limit: number,
      ...all: WantedCalls[]
    ): Promise<Record<string, number>> => {
      const calls = await current().store.events.claimCalls(all, limit, 60_000);
      const counted: Record<string, number> = {};
      for (const { account, listener } of calls) {
        const name = `${account} ${listener}`;
        counted[name] = (counted[name] ?? 0) + 1;
      }
      return counted;
    };

    it('are claimed up to the limit of each listener', async () => {
      const [one, other] = [await busy(), await busy()];
      expect(
        await counts(
          LIMIT,
          wanted(one, LIMIT, { a: 7, b: 5 }),
          wanted(other, LIMIT, { a: 2, b: LIMIT }),
        ),
      ).toEqual({ [`${one} a`]: 7, [`${one} b`]: 5, [`${other} a`]: 2, [`${other} b`]: 20 });
    });

    it('are claimed up to the limit of each account, even if the limits of its listeners are higher', async () => {
      const [one, other] = [await busy(), await busy()];
      const claimed = await counts(
        LIMIT,
        wanted(one, 3, { a: 2, b: 2 }),
        wanted(other, 11, { a: LIMIT, b: LIMIT }),
      );
      const of = (account: string): number =>
        (claimed[`${account} a`] ?? 0) + (claimed[`${account} b`] ?? 0);
      expect([of(one), of(other)]).toEqual([3, 11]);
      expect(claimed[`${one} a`]).toBeLessThanOrEqual(2);
      expect(claimed[`${one} b`]).toBeLessThanOrEqual(2);
    });

    it('are claimed up to the limit of the claim, even if the limits of the accounts are higher', async () => {
      const all = [await busy(), await busy()].map((account) =>
        wanted(account, 10, { a: 5, b: 5 }),
      );
      const claimed = await counts(7, ...all);
      expect(Object.values(claimed).reduce((sum, count) => sum + count, 0)).toBe(7);
    });

    it('are claimed only for the accounts and listeners that the claim names', async () => {
      const [one, other] = [await busy(), await busy()];
      await busy();
      const all = [wanted(one, LIMIT, { a: LIMIT }), wanted(other, LIMIT, { b: LIMIT })];
      expect(await counts(LIMIT, ...all)).toEqual({ [`${one} a`]: 20, [`${other} b`]: 20 });
      expect(await counts(LIMIT, ...all)).toEqual({});
      expect(await counts(LIMIT)).toEqual({});
      expect(await counts(LIMIT, wanted(one, LIMIT, {}))).toEqual({});
    });

    it('keep the order of their stream, and do not wait for a stream of the same name in another account', async () => {
      const { store } = current();
      const accounts = [await listeners('a'), await listeners('a')];
      const all = accounts.map((account) => wanted(account, LIMIT, { a: LIMIT }));
      for (const account of accounts)
        await commitEvents(store, account, ...['1', '2'].map((n) => anEvent(account, 's', n)));
      const first = await store.events.claimCalls(all, LIMIT, 60_000);
      expect(first.map(({ eventId }) => eventId).toSorted()).toEqual(
        accounts.map((account) => anEvent(account, 's', '1').id).toSorted(),
      );
      const ended = first.find(({ account }) => account === accounts[0]);
      await store.events.finishCall(ended!, { kind: 'done' });
      expect(await store.events.claimCalls(all, LIMIT, 60_000)).toMatchObject([
        { account: accounts[0], eventId: anEvent(accounts[0]!, 's', '2').id },
      ]);
    });
  });

  describe('calls of one stream', () => {
    it('are claimed one after the other for one listener, in order', async () => {
      const { store } = current();
      const account = await listeners('a');
      const events = times(3, (index) => anEvent(account, 'stream', String(index)));
      await commitEvents(store, account, ...events.slice(0, 2));
      await commitEvents(store, account, ...events.slice(2));
      for (const event of events) {
        const [call, ...others] = await claim(account);
        expect(others).toEqual([]);
        expect(call?.eventId).toBe(event.id);
        if (call) await store.events.finishCall(call, { kind: 'done' });
      }
      expect(await claim(account)).toEqual([]);
    });

    it('wait for an earlier call that is postponed; calls of other streams and listeners do not wait', async () => {
      const { store, advance } = current();
      const account = await listeners('a', 'b');
      await commitEvents(store, account, anEvent(account, 's', '1'), anEvent(account, 's', '2'));
      const first = await claimOne(account);
      await store.events.finishCall(first, { kind: 'retry', inMs: 30_000, error: 'busy' });
      await commitEvents(store, account, anEvent(account, 'other'));
      expect((await claim(account)).map(({ stream }) => stream)).toEqual(['other']);
      expect(await claim(account, ['b'])).toHaveLength(2);
      await advance(30_000);
      expect(await claim(account)).toMatchObject([{ eventId: first.eventId, attempts: 2 }]);
    });

    describe('for outcomes, of the methods of one class', () => {
      const shop = async (
        listened: readonly (readonly [event: PaymentsEventName, listener: string])[],
      ): Promise<string> => {
        const account = newAccount();
        await current().store.events.registerListeners(
          account,
          listened.map(([event, listener]) => ({ event, listener })),
          'start',
        );
        return account;
      };
      const anOutcome = (account: string, name: PaymentsEventName, stream = 's') => ({
        ...anEvent(account, stream, name),
        name,
      });
      const ends = (call: ListenerCall | undefined, outcome: ClaimOutcome): Promise<boolean> =>
        current().store.events.finishCall(call as ListenerCall, outcome);
      const METHODS = [
        'Shop.paid',
        'Shop.mailed',
        'Shop.back',
        'Shop.failed',
        'Shop.doubt',
        'Other.back',
      ];
      const claimed = async (account: string): Promise<ListenerCall[]> =>
        (await claim(account, METHODS)).toSorted((a, b) => a.listener.localeCompare(b.listener));

      it('are in order: what undoes waits until what it undoes was handled', async () => {
        const { store, advance } = current();
        const account = await shop([
          ['payment.succeeded', 'Shop.paid'],
          ['payment.reversed', 'Shop.back'],
          ['payment.reversed', 'Other.back'],
        ]);
        await commitEvents(store, account, anOutcome(account, 'payment.succeeded'));
        const [paid] = await claimed(account);
        await commitEvents(store, account, anOutcome(account, 'payment.reversed'));
        expect((await claimed(account)).map(({ listener }) => listener)).toEqual(['Other.back']);
        await ends(paid, { kind: 'retry', inMs: 30_000, error: 'busy' });
        expect(await claimed(account)).toEqual([]);
        await advance(30_000);
        const [again, ...others] = await claimed(account);
        expect([again?.listener, others.length]).toEqual(['Shop.paid', 0]);
        await ends(again, { kind: 'done' });
        expect((await claimed(account)).map(({ listener }) => listener)).toEqual(['Shop.back']);
      });

      it('of one commit are in order', async () => {
        const account = await shop([
          ['payment.failed', 'Shop.failed'],
          ['payment.succeeded', 'Shop.paid'],
          ['payment.succeeded', 'Shop.mailed'],
        ]);
        const { store } = current();
        await commitEvents(
          store,
          account,
          anOutcome(account, 'payment.failed'),
          anOutcome(account, 'payment.succeeded'),
        );
        const [failed, ...none] = await claimed(account);
        expect([failed?.listener, none]).toEqual(['Shop.failed', []]);
        await ends(failed, { kind: 'done' });
        // Methods for the same event do not wait for each other.
        expect((await claimed(account)).map(({ listener }) => listener)).toEqual([
          'Shop.mailed',
          'Shop.paid',
        ]);
      });

      it('do not wait for a dead letter, nor for a review, nor for another stream', async () => {
        const { store } = current();
        const account = await shop([
          ['payment.succeeded', 'Shop.paid'],
          ['payment.needs_review', 'Shop.doubt'],
          ['payment.reversed', 'Shop.back'],
        ]);
        await commitEvents(
          store,
          account,
          anOutcome(account, 'payment.succeeded'),
          anOutcome(account, 'payment.needs_review'),
          anOutcome(account, 'payment.succeeded', 'another'),
          anOutcome(account, 'payment.reversed'),
        );
        const calls = await claimed(account);
        expect(calls.map(({ listener }) => listener)).toEqual([
          'Shop.doubt',
          'Shop.paid',
          'Shop.paid',
        ]);
        await ends(
          calls.find(({ event, stream }) => event === 'payment.succeeded' && stream === 's'),
          { kind: 'given_up', error: 'no' },
        );
        expect((await claimed(account)).map(({ listener }) => listener)).toEqual(['Shop.back']);
      });

      it('are not due before what they wait for was handled', async () => {
        const { store } = current();
        const account = await shop([
          ['payment.succeeded', 'Shop.paid'],
          ['payment.reversed', 'Shop.back'],
        ]);
        await commitEvents(store, account, anOutcome(account, 'payment.succeeded'));
        await claimed(account);
        await commitEvents(store, account, anOutcome(account, 'payment.reversed'));
        const { calls } = await store.dueWork.look(
          { background: [account], reconciled: [account] },
          1_000,
        );
        expect(calls).toEqual([]);
      });

      it('say that they are late when a dead letter is called again', async () => {
        const { store } = current();
        const account = await shop([
          ['payment.succeeded', 'Shop.paid'],
          ['payment.reversed', 'Shop.back'],
        ]);
        await commitEvents(
          store,
          account,
          anOutcome(account, 'payment.succeeded'),
          anOutcome(account, 'payment.reversed'),
        );
        const [paid] = await claimed(account);
        expect(paid?.payload).not.toHaveProperty('late');
        await ends(paid, { kind: 'given_up', error: 'no' });
        const [back] = await claimed(account);
        await store.events.replayDeadLetters(account);
        // The reversal does not wait for what is called again after it.
        await ends(back, { kind: 'retry', inMs: 0, error: 'busy' });
        const [reversed, late] = await claimed(account);
        expect(reversed?.payload).not.toHaveProperty('late');
        expect(late).toBeUndefined();
        await ends(reversed, { kind: 'done' });
        const [replayed] = await claimed(account);
        expect(replayed).toMatchObject({ event: 'payment.succeeded', payload: { late: true } });
      });
    });

    it('do not wait for a dead letter', async () => {
      const { store } = current();
      const account = await listeners('a');
      const [one, two] = [anEvent(account, 's', '1'), anEvent(account, 's', '2')];
      await commitEvents(store, account, one, two);
      await store.events.finishCall(await claimOne(account), { kind: 'given_up', error: 'no' });
      expect((await claimOne(account)).eventId).toBe(two.id);
    });

    it('are never claimed twice by concurrent claims', async () => {
      const { store } = current();
      const account = await listeners('a');
      const events = times(80, (index) => anEvent(account, `stream-${index % 20}`, String(index)));
      await commitEvents(store, account, ...events);
      const received: string[] = [];
      const worker = async (): Promise<void> => {
        for (;;) {
          const calls = await claim(account, ['a'], 5);
          if (calls.length === 0 && received.length >= 80) return;
          for (const call of calls) {
            received.push(call.eventId);
            await store.events.finishCall(call, { kind: 'done' });
          }
        }
      };
      await Promise.all(times(6, worker));
      expect(received).toHaveLength(80);
      for (const stream of times(20, (index) => index)) {
        const ids = events.filter((_, index) => index % 20 === stream).map(({ id }) => id);
        expect(received.filter((id) => ids.includes(id))).toEqual(ids);
      }
    });
  });

  describe('a claim on a call', () => {
    it('whose lease has expired can be claimed again, and its acknowledgement changes nothing', async () => {
      const { store, advance } = current();
      const account = await listeners('a');
      await commitEvents(store, account, anEvent(account, 's'));
      const lost = await claimOne(account, 30_000);
      await advance(30_000);
      const held = await claimOne(account);
      expect(held.id).toBe(lost.id);
      expect(held.token).not.toBe(lost.token);
      expect(await store.events.finishCall(lost, { kind: 'done' })).toBe(false);
      expect(await store.events.finishCall(lost, { kind: 'retry', inMs: 0, error: '' })).toBe(
        false,
      );
      expect(await store.events.finishCall(lost, { kind: 'given_up', error: '' })).toBe(false);
      expect(await store.events.renewCalls([lost], 60_000)).toEqual([lost.id]);
      expect(await claim(account)).toEqual([]);
      expect(await store.events.finishCall(held, { kind: 'done' })).toBe(true);
      expect(await store.events.finishCall(held, { kind: 'done' })).toBe(false);
    });

    it('whose outcome was never stored is no attempt of its own: only calls that failed make a dead letter', async () => {
      const { store, advance } = current();
      const account = await listeners('a');
      const event = anEvent(account, 's');
      const lost = { listeners: ['a'], leaseMs: 30_000 };
      await store.ledger.commit({ account, events: [event], history: [], claim: lost });
      for (const attempts of [1, 2]) {
        for (const _ of times(3, () => 0)) {
          await advance(30_000);
          expect(await claimOne(account, 30_000)).toMatchObject({ attempts });
        }
        await advance(30_000);
        const failed = await claimOne(account);
        expect(failed.attempts).toBe(attempts);
        await store.events.finishCall(failed, { kind: 'retry', inMs: 0, error: 'no' });
      }
      await store.events.finishCall(await claimOne(account), { kind: 'given_up', error: 'no' });
      const { items } = await store.events.listDeadLetters(account, {}, { limit: 10 });
      expect(items).toMatchObject([{ eventId: event.id, attempts: 3 }]);
    });

    it('that ends unused leaves the call to the next one at once, with the same attempt', async () => {
      const { store } = current();
      const account = await listeners('a');
      await commitEvents(store, account, anEvent(account, 's'));
      const unused = await claimOne(account);
      expect(await store.events.renewCalls([unused], 0)).toEqual([]);
      expect(await claim(account)).toMatchObject([{ id: unused.id, attempts: 1 }]);
      expect(await store.events.finishCall(unused, { kind: 'done' })).toBe(false);
    });

    it('stays valid as long as it is renewed', async () => {
      const { store, advance } = current();
      const account = await listeners('a');
      await commitEvents(store, account, anEvent(account, 's'));
      const held = await claimOne(account, 30_000);
      for (const _ of times(3, () => 0)) {
        await advance(15_000);
        expect(await store.events.renewCalls([held], 30_000)).toEqual([]);
        expect(await claim(account)).toEqual([]);
      }
      await advance(30_000);
      expect(await claim(account)).toHaveLength(1);
      expect(await store.events.renewCalls([], 30_000)).toEqual([]);
    });

    it('on an unknown call ends nothing', async () => {
      const { store } = current();
      const account = await listeners('a');
      const none = { id: 'none', account, token: 'none' };
      expect(await store.events.finishCall(none, { kind: 'done' })).toBe(false);
      expect(await store.events.renewCalls([none], 60_000)).toEqual(['none']);
    });
  });

  describe('a registered listener', () => {
    const listener = 'Orders.paid';
    const event = 'delivery.unrecognised';

    it('has the start of the process that registered it last, once for each account and event', async () => {
      const { events } = current().store;
      const [account, other] = [newAccount(), newAccount()];
      const both = [
        { event, listener },
        { event: 'payment.succeeded', listener },
      ];
      await events.registerListeners(account, both, 'first');
      await events.registerListeners(other, [{ event, listener }], 'first');
      await events.registerListeners(account, [{ event, listener }], 'second');
      const found = await events.registeredListeners([account, other]);
      expect(found).toHaveLength(3);
      expect(found).toEqual(
        expect.arrayContaining([
          { account, event, listener, start: 'second' },
          { account, event: 'payment.succeeded', listener, start: 'first' },
          { account: other, event, listener, start: 'first' },
        ]),
      );
      expect(await events.registeredListeners({ allBut: [other] })).toEqual(
        expect.arrayContaining([{ account, event, listener, start: 'second' }]),
      );
      const rest = await events.registeredListeners({ allBut: [account] });
      expect(rest.filter((one) => one.account === account)).toEqual([]);
    });

    it('is not among those that can be of a renamed class when its id names none, or when it was deleted', async () => {
      const { events } = current().store;
      const account = newAccount();
      await events.registerListeners(
        account,
        [
          { event, listener },
          { event, listener: 'EventEmitter2' },
        ],
        'start',
      );
      expect(await events.registeredListeners([account])).toMatchObject([{ listener }]);
      await events.deleteListener(account, listener);
      expect(await events.registeredListeners([account])).toEqual([]);
      expect(await events.registeredListeners([])).toEqual([]);
    });
  });

  describe('a listener that is deleted', () => {
    it('loses its waiting calls and dead letters, and gets no new calls', async () => {
      const { store } = current();
      const account = await listeners('gone', 'kept');
      await commitEvents(store, account, ...times(5, (index) => anEvent(account, `s${index}`)));
      const [claimed] = await claim(account, ['gone'], 1);
      if (!claimed) throw new Error('nothing to claim');
      await store.events.finishCall(claimed, { kind: 'given_up', error: 'no' });
      expect(await store.events.deleteListener(account, 'gone')).toBe(5);
      await commitEvents(store, account, anEvent(account, 'later'));
      expect(await claim(account, ['gone'])).toEqual([]);
      expect((await store.events.listDeadLetters(account, {}, { limit: 10 })).items).toEqual([]);
      expect(await claim(account, ['kept'])).toHaveLength(6);
      const [event] = await store.events.list(account, 's0');
      expect(event?.calls.map(({ listener }) => listener)).toEqual(['kept']);
    });

    it('can finish a running call, which changes nothing', async () => {
      const { store } = current();
      const account = await listeners('a');
      await commitEvents(store, account, anEvent(account, 'stream'));
      const call = await claimOne(account);
      await store.events.deleteListener(account, 'a');
      expect(await store.events.finishCall(call, { kind: 'retry', inMs: 0, error: 'no' })).toBe(
        false,
      );
      expect(await claim(account)).toEqual([]);
    });

    it('is deleted in one account only, and keeps its completed calls', async () => {
      const { store } = current();
      const [account, other] = [await listeners('a'), await listeners('a')];
      await commitEvents(store, account, anEvent(account, 'completed'));
      await store.events.finishCall(await claimOne(account), { kind: 'done' });
      await commitEvents(store, other, anEvent(other, 'stream'));
      expect(await store.events.deleteListener(account, 'a')).toBe(0);
      expect(await store.events.deleteListener(account, 'nobody')).toBe(0);
      expect(await claim(other)).toHaveLength(1);
      const [event] = await store.events.list(account, 'completed');
      expect(event?.calls).toMatchObject([{ listener: 'a', state: 'done' }]);
    });

    it('has completed none of the calls that are deleted with it', async () => {
      const { store } = current();
      const account = await listeners('a', 'b');
      await commitEvents(store, account, anEvent(account, 'stream'));
      await store.events.deleteListener(account, 'a');
      const [event] = await store.events.list(account, 'stream');
      expect(event?.calls).toMatchObject([{ listener: 'b', state: 'pending' }]);
    });

    it('can be registered again, and gets the events after that', async () => {
      const { store } = current();
      const account = await listeners('a');
      await store.events.deleteListener(account, 'a');
      await commitEvents(store, account, anEvent(account, 'before'));
      await store.events.registerListeners(
        account,
        [{ event: 'delivery.unrecognised', listener: 'a' }],
        'start',
      );
      const after = anEvent(account, 'after');
      await commitEvents(store, account, after);
      expect((await claim(account)).map(({ eventId }) => eventId)).toEqual([after.id]);
    });
  });

  describe('dead letters', () => {
    const letters = async (count: number): Promise<string> => {
      const { store } = current();
      const account = await listeners('a');
      await commitEvents(store, account, ...times(count, (index) => anEvent(account, `s${index}`)));
      for (const call of await claim(account)) {
        await store.events.finishCall(call, { kind: 'given_up', error: `failed: ${call.stream}` });
      }
      return account;
    };

    it('are listed with their last error', async () => {
      const { store } = current();
      const account = await letters(3);
      const { items } = await store.events.listDeadLetters(account, {}, { limit: 10 });
      expect(items).toHaveLength(3);
      expect(items).toContainEqual({
        id: expect.any(String),
        eventId: anEvent(account, 's0').id,
        event: 'delivery.unrecognised',
        stream: 's0',
        at: expect.any(Date),
        listener: 'a',
        attempts: 1,
        lastError: 'failed: s0',
        diedAt: expect.any(Date),
      });
      expect((await store.events.listDeadLetters(newAccount(), {}, { limit: 10 })).items).toEqual(
        [],
      );
      expect(await claim(account)).toEqual([]);
    });

    it('have pages, oldest first, each letter once, also while letters before it are replayed', async () => {
      const { store, advance } = current();
      const account = await listeners('a');
      for (const stream of times(7, (index) => `s${index}`)) {
        await commitEvents(store, account, anEvent(account, stream));
        await store.events.finishCall(await claimOne(account), { kind: 'given_up', error: 'no' });
        // The last row of the first page and the first row of the next one have the same time.
        if (stream !== 's2') await advance(1_000);
      }
      const made = (await store.events.listDeadLetters(account, {}, { limit: 10 })).items.map(
        ({ id }) => id,
      );
      const pages: DeadLetter[][] = [];
      for (let after: string | null = ''; after !== null;) {
        const request = { limit: 3, ...(after !== '' && { after }) };
        const { items, next } = await store.events.listDeadLetters(account, {}, request);
        pages.push(items);
        for (const { id } of items) await store.events.replayDeadLetters(account, id);
        after = next;
      }
      expect(pages.map((page) => page.length)).toEqual([3, 3, 1]);
      const listed = pages.flat();
      expect(listed.map(({ id }) => id).toSorted()).toEqual(made.toSorted());
      const ends = listed.map(({ diedAt }) => diedAt.getTime());
      expect(ends).toEqual(ends.toSorted((one, other) => one - other));
      for (const after of ['nonsense', '1 nonsense']) {
        const page = await store.events.listDeadLetters(account, {}, { limit: 3, after });
        expect(page).toEqual({ items: [], next: null });
      }
    });

    it('are listed by their listener and by the time of the last attempt', async () => {
      const { store, advance } = current();
      const account = await listeners('a', 'b');
      for (const stream of ['s0', 's1']) {
        await commitEvents(store, account, anEvent(account, stream));
        for (const call of await claim(account, ['a', 'b']))
          await store.events.finishCall(call, { kind: 'given_up', error: 'no' });
        await advance(60_000);
      }
      const found = async (filter: DeadLetterFilter): Promise<string[]> => {
        const { items } = await store.events.listDeadLetters(account, filter, { limit: 10 });
        return items.map(({ stream, listener }) => `${stream} ${listener}`).toSorted();
      };
      const [{ diedAt: from }] = (
        await store.events.listDeadLetters(account, {}, { limit: 10 })
      ).items.slice(2) as [DeadLetter];
      expect(await found({})).toEqual(['s0 a', 's0 b', 's1 a', 's1 b']);
      expect(await found({ listener: 'b' })).toEqual(['s0 b', 's1 b']);
      expect(await found({ listener: 'nobody' })).toEqual([]);
      const time = new Date(from.getTime() - 1_000);
      expect(await found({ from: time })).toEqual(['s1 a', 's1 b']);
      expect(await found({ to: time, listener: 'a' })).toEqual(['s0 a']);
    });

    it('are replayed one by one or all together, and their attempts start from zero', async () => {
      const { store } = current();
      const account = await letters(3);
      const [first] = (await store.events.listDeadLetters(account, {}, { limit: 1 })).items;
      expect(await store.events.replayDeadLetters(account, 'none')).toHaveLength(0);
      expect(await store.events.replayDeadLetters(newAccount(), first?.id)).toHaveLength(0);
      expect(await store.events.replayDeadLetters(account, first?.id)).toHaveLength(1);
      expect(await claim(account)).toMatchObject([{ eventId: first?.eventId, attempts: 1 }]);
      expect(await store.events.replayDeadLetters(account)).toHaveLength(2);
      expect(await claim(account)).toHaveLength(2);
      expect((await store.events.listDeadLetters(account, {}, { limit: 10 })).items).toEqual([]);
    });

    it('do not overtake a running call of their stream when they are replayed', async () => {
      const { store } = current();
      const account = await listeners('a');
      await commitEvents(store, account, anEvent(account, 's', '1'), anEvent(account, 's', '2'));
      await store.events.finishCall(await claimOne(account), { kind: 'given_up', error: 'no' });
      const second = await claimOne(account);
      expect(await store.events.replayDeadLetters(account)).toHaveLength(1);
      expect(await claim(account)).toEqual([]);
      await store.events.finishCall(second, { kind: 'done' });
      expect(await claim(account)).toMatchObject([{ eventId: anEvent(account, 's', '1').id }]);
    });
  });
}
