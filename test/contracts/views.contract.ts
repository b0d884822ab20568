import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import {
  type ClaimOutcome,
  type DeliveryFilter,
  type Page,
  type PageRequest,
  type OperationFilter,
  phoneHash,
  type TransactionFilter,
  type TransactionSum,
} from '@tillkit/payments/internal/store';
import {
  aDelivery,
  aPayment,
  aSum,
  aTransaction,
  anEvent,
  changed,
  claimCalls,
  newAccount,
  PAYER,
  recorded,
  times,
  commitEvents,
  transactionChange,
  type StoreUnderTest,
  commitTo,
  LISTENER,
  listen,
} from './store-under-test.js';

const OTHER_PAYER = '+254700000002';

/** Origin time of a second transaction: a record is ordered by its first transaction. */
const LATER = new Date('2026-01-21T00:00:00.000Z');

async function allPages<T>(read: (page: PageRequest) => Promise<Page<T>>): Promise<T[][]> {
  const pages: T[][] = [];
  let after: string | undefined;
  do {
    const page = await read({ limit: 3, ...(after === undefined ? {} : { after }) });
    pages.push(page.items);
    after = page.next ?? undefined;
  } while (after !== undefined);
  return pages;
}

const ids = (items: readonly { id: string }[]): string[] => items.map(({ id }) => id);

export function describeViews(current: () => StoreUnderTest): void {
  describe('a list of events', () => {
    it('has pages, newest first, with each event of the account once', async () => {
      const { store, advance } = current();
      const [account, other] = [newAccount(), newAccount()];
      await commitEvents(store, other, anEvent(other, 'other'));
      const made: string[] = [];
      for (const stream of times(7, (at) => `stream-${at}`)) {
        const event = anEvent(account, stream);
        made.unshift(event.id);
        await commitEvents(store, account, event);
        await advance(1_000);
      }
      const pages = await allPages((page) => store.events.listRecent(account, page));
      expect(pages.map((items) => items.length)).toEqual([3, 3, 1]);
      expect(ids(pages.flat())).toEqual(made);
      const [newest] = pages.flat();
      expect(newest).toEqual({
        id: made[0],
        name: 'delivery.unrecognised',
        stream: 'stream-6',
        via: expect.any(String),
        at: expect.any(Date),
      });
    });
  });

  describe('a list of payments', () => {
    const list = async (account: string, filter: OperationFilter): Promise<string[]> =>
      ids((await current().store.operations.list(account, filter, { limit: 10 })).items);

    it('has pages, newest first, with each payment once', async () => {
      const { store, advance } = current();
      const account = newAccount();
      const made: string[] = [];
      for (const _ of times(7, () => 0)) {
        made.unshift((await recorded(store, aPayment(account))).id);
        await advance(1_000);
      }
      const pages = await allPages((page) => store.operations.list(account, {}, page));
      expect(pages.map((items) => items.length)).toEqual([3, 3, 1]);
      expect(ids(pages.flat())).toEqual(made);
      expect(await list(newAccount(), {})).toEqual([]);
    });

    it('has no empty page after a full last page', async () => {
      const { store } = current();
      const account = newAccount();
      await Promise.all(times(3, () => recorded(store, aPayment(account))));
      const { items, next } = await store.operations.list(account, {}, { limit: 3 });
      expect([items.length, next]).toEqual([3, null]);
    });

    it('contains only payments that match the filter', async () => {
      const { store } = current();
      const account = newAccount();
      const one = await recorded(store, aPayment(account));
      const two = await recorded(store, aPayment(account));
      await changed(store, one, {
        state: 'succeeded',
        platformId: 'platform-1',
        transaction: aTransaction({ reference: 'REF1' }),
      });
      // The transaction of a payment is stored as one of its own too.
      await commitTo(
        store,
        transactionChange(account, 'REF1', null, [aSum({ paymentId: one.id })]),
      );
      const asked: [OperationFilter, string[]][] = [
        [{ states: ['succeeded', 'failed'] }, [one.id]],
        [{ states: ['created', 'needs_review'] }, [two.id]],
        [{ states: [] }, []],
        [{ phoneNumber: one.subscriber.phoneNumber }, [one.id]],
        [{ idempotencyKey: one.idempotencyKey }, [one.id]],
        [{ platformId: 'platform-1' }, [one.id]],
        [{ reference: 'REF1' }, [one.id]],
        [{ reference: 'REF1', states: ['failed'] }, []],
      ];
      for (const [filter, found] of asked) expect(await list(account, filter)).toEqual(found);
    });

    it.each([
      ['states', 'pending'],
      ['causes', 'no_evidence'],
      ['reasons', 'cancelled'],
      ['sources', 'callback'],
    ])('refuses a word that is none of the %s of operations', async (field, word) => {
      const list = (words: string[]): Promise<unknown> =>
        current().store.operations.list('default', { [field]: words }, { limit: 1 });
      await expect(list([word, 'x'])).rejects.toMatchObject({
        code: 'PAYMENTS_VALIDATION',
        problems: [{ field, problem: expect.stringContaining(`must be one of `) }],
      });
      await expect(list([word])).resolves.toBeDefined();
    });

    describe('that is searched', () => {
      const account = newAccount();
      let jane: string, mary: string;

      beforeAll(async () => {
        const { store } = current();
        const one = await recorded(
          store,
          aPayment(account, {
            idempotencyKey: 'INV-2026-0017',
            amount: { currency: 'KES', value: '1250.00' },
            subscriber: { firstName: 'Jane', lastName: 'Wanjikũ', phoneNumber: PAYER },
          }),
        );
        const two = await recorded(
          store,
          aPayment(account, {
            idempotencyKey: 'inv-2026-0018 100%_\\',
            amount: { currency: 'KES', value: '99.50' },
            tillNumber: '700001',
            tills: ['700001', '700002'],
            subscriber: { firstName: 'Mary Ann', lastName: 'Janeway', phoneNumber: OTHER_PAYER },
          }),
        );
        await recorded(store, { ...aPayment(newAccount()), subscriber: one.subscriber });
        const settled = { reason: 'wrong_pin', settledVia: 'status' } as const;
        await changed(store, two, { state: 'failed', ...settled });
        [jane, mary] = [one.id, two.id];
      });

      it.each<[string, OperationFilter, ('jane' | 'mary')[]]>([
        ['the beginning of a first or last name', { name: 'jane' }, ['mary', 'jane']],
        ['a whole name', { name: 'Jane Wanjikũ' }, ['jane']],
        ['names in another order and case', { name: 'WANJIKŨ ja' }, ['jane']],
        ['a first name of two words', { name: 'mary an' }, ['mary']],
        ['a middle of a name, which finds nothing', { name: 'way' }, []],
        ['two words of which one does not fit', { name: 'jane k' }, []],
        ['the beginning of an order number', { keyBeginsWith: 'INV-2026' }, ['mary', 'jane']],
        ['an order number in another case', { keyBeginsWith: 'inv-2026-0017' }, ['jane']],
        ['an order number with a wildcard', { keyBeginsWith: 'INV%' }, []],
        ['an order number with signs', { keyBeginsWith: 'INV-2026-0018 100%_\\' }, ['mary']],
        ['a least amount', { amountFrom: '99.50' }, ['mary', 'jane']],
        ['a least amount that is a little more', { amountFrom: '99.51' }, ['jane']],
        ['a greatest amount', { amountTo: '1250' }, ['mary', 'jane']],
        ['amounts between two', { amountFrom: '100', amountTo: '1249.99' }, []],
        ['the first number of a till', { tillNumber: '700001' }, ['mary']],
        ['another number of a till', { tillNumber: '700002' }, ['mary']],
        ['a reason', { reasons: ['wrong_pin', 'cancelled'] }, ['mary']],
        ['a reason that none has', { reasons: ['cancelled'] }, []],
        ['a source', { sources: ['status'] }, ['mary']],
        ['a source that none has', { sources: ['sweep'] }, []],
        ['its id', { ids: ['1', '2'] }, []],
        ['a name and a state', { name: 'jane', states: ['failed'] }, ['mary']],
        ['a state and a reason', { states: ['succeeded'], reasons: ['wrong_pin'] }, []],
      ])('finds by %s', async (_, filter, found) => {
        const ids = { jane, mary };
        expect((await list(account, filter)).toSorted()).toEqual(
          found.map((name) => ids[name]).toSorted(),
        );
      });

      it.each([
        ['as it is written', 'Émilie'],
        ['in small letters', 'émilie'],
        ['in capital letters', 'ÉMILIE'],
        ['of two words in small letters', 'ñandú émilie'],
      ])('finds a name with letters beyond A to Z %s', async (_, typed) => {
        const { store } = current();
        for (const [firstName, lastName] of [
          ['Émilie', 'Ñandú'],
          ['ÉMILIE', 'ÑANDÚ'],
          ['émilie', 'ñandú'],
        ] as const) {
          const own = newAccount();
          const subscriber = { firstName, lastName, phoneNumber: '+254700000001' } as const;
          const { id } = await recorded(store, aPayment(own, { subscriber }));
          expect(await list(own, { name: typed })).toEqual([id]);
        }
      });

      it('finds a long order number by all of it, and not by its beginning', async () => {
        const { store } = current();
        const own = newAccount();
        const [one, other] = ['1', '2'].map((end) => 'K'.repeat(80) + end) as [string, string];
        const { id } = await recorded(store, aPayment(own, { idempotencyKey: one }));
        expect(await list(own, { keyBeginsWith: one.toLowerCase() })).toEqual([id]);
        expect(await list(own, { keyBeginsWith: other })).toEqual([]);
      });

      it('finds no name of a payment whose personal data is redacted', async () => {
        const { store, advance } = current();
        const own = newAccount();
        const payment = await recorded(store, aPayment(own));
        await changed(store, payment, { state: 'failed', reason: 'rejected' });
        expect(await list(own, { name: 'jane' })).toEqual([payment.id]);
        await advance(2_000);
        await store.retention.apply(own, { personalDataMs: 1, dedupeForMs: 1e12, limit: 10 });
        expect(await list(own, { name: 'jane' })).toEqual([]);
        expect(await list(own, { keyBeginsWith: payment.idempotencyKey.slice(0, 9) })).toEqual([
          payment.id,
        ]);
      });
    });

    it('contains only payments of the time window, without its end', async () => {
      const { store, advance } = current();
      const account = newAccount();
      const { id } = await recorded(store, aPayment(account));
      await advance(60_000);
      const young = await recorded(store, aPayment(account));
      const old = await store.operations.find(account, id);
      const [from, to] = [new Date((old?.createdAt.getTime() ?? 0) - 1), young.createdAt];
      expect(await list(account, { to })).toEqual([id]);
      expect(await list(account, { from, to })).toEqual([id]);
      expect(await list(account, { from: to })).toEqual([young.id]);
    });
  });

  describe('a list of transactions', () => {
    const write = (account: string, reference: string, at: string | null): Promise<Date | null> => {
      const originatedAt = at === null ? null : new Date(at);
      const sums = [aSum({ originatedAt }), aSum({ tills: ['another'], originatedAt: LATER })];
      return commitTo(current().store, transactionChange(account, reference, null, sums));
    };
    const list = async (account: string, filter: TransactionFilter): Promise<string[]> => {
      const { items } = await current().store.transactions.list(account, filter, { limit: 10 });
      return items.map(({ reference }) => reference);
    };

    it('has pages, latest origin time first, with each transaction once, even if origin times are equal', async () => {
      const { store } = current();
      const account = newAccount();
      for (const [index, hour] of ['10', '11', '11', '11', '11', '12', '13'].entries()) {
        await write(account, `R${index}`, `2026-01-20T${hour}:00:00.000Z`);
      }
      const pages = await allPages((page) => store.transactions.list(account, {}, page));
      const references = pages.flat().map(({ reference }) => reference);
      expect(references).toHaveLength(7);
      expect(new Set(references).size).toBe(7);
      expect([references.slice(0, 2), references[6]]).toEqual([['R6', 'R5'], 'R0']);
    });

    it('contains only transactions of the reference or time window, and none with an unreadable time', async () => {
      const account = newAccount();
      await write(account, 'early', '2026-01-20T09:59:59.999Z');
      await write(account, 'at the start', '2026-01-20T10:00:00.000Z');
      await write(account, 'at the end', '2026-01-20T11:00:00.000Z');
      await write(account, 'unknown', null);
      const window = {
        from: new Date('2026-01-20T10:00:00.000Z'),
        to: new Date('2026-01-20T11:00:00.000Z'),
      };
      expect(await list(account, window)).toEqual(['at the start']);
      expect(await list(account, { reference: 'early' })).toEqual(['early']);
      expect(await list(account, { ...window, reference: 'early' })).toEqual([]);
      const all = ['at the end', 'at the start', 'early', 'unknown'];
      expect((await list(account, {})).toSorted()).toEqual(all);
    });
  });

  describe('a list of transactions that is searched', () => {
    const account = newAccount();
    const odd = 'Q%_\\7';

    beforeAll(async () => {
      const { store } = current();
      const write = (reference: string, ...sums: TransactionSum[]) =>
        commitTo(store, transactionChange(account, reference, null, sums));
      const mary = {
        amount: '99.50',
        senderFirstName: 'Mary',
        senderMiddleName: 'Ann',
        senderPhoneNumber: OTHER_PAYER,
      };
      await write('OJM6Q1W84K', aSum({ paymentId: 'payment' }));
      await write(
        'QWE7RTY12X',
        aSum({
          tills: ['700001'],
          received: aTransaction(mary),
          payerHash: phoneHash(OTHER_PAYER),
          reversal: aTransaction({ status: 'Reversed' }),
        }),
      );
      await write(
        odd,
        aSum({ received: aTransaction({ amount: 'many' }), bareId: 'bare', announced: false }),
      );
      await write(
        'TWO',
        aSum({ paymentId: 'x' }),
        aSum({ tills: ['700009'], received: aTransaction({ amount: '7' }) }),
      );
      await commitTo(store, transactionChange(newAccount(), 'OJM6Q1W84L', null));
    });

    it.each<[string, TransactionFilter, string[]]>([
      ['the beginning of a receipt in another case', { receipt: 'ojm6' }, ['OJM6Q1W84K']],
      ['the end of a receipt', { receipt: '12x' }, ['QWE7RTY12X']],
      ['the middle of a receipt, which finds nothing', { receipt: '7RTY' }, []],
      ['signs that are wildcards elsewhere', { receipt: odd }, [odd]],
      ['a wildcard', { receipt: 'OJM%' }, []],
      ['a name of the payer', { name: 'ann' }, ['QWE7RTY12X']],
      ['a name of the payer and the beginning of the next', { name: 'mary a' }, ['QWE7RTY12X']],
      ['the phone of the payer', { phoneNumber: OTHER_PAYER }, ['QWE7RTY12X']],
      ['a till', { tillNumber: '700001' }, ['QWE7RTY12X']],
      ['the till of a second sum', { tillNumber: '700009' }, ['TWO']],
      ['a least amount', { amountFrom: '99.51' }, ['OJM6Q1W84K', 'TWO']],
      ['a greatest amount', { amountTo: '99.5' }, ['QWE7RTY12X', 'TWO']],
      ['what nobody asked for', { matched: false }, ['QWE7RTY12X', 'TWO']],
      ['what somebody asked for', { matched: true }, ['OJM6Q1W84K', odd, 'TWO']],
      ['what the till has shown', { reported: true }, ['OJM6Q1W84K', 'QWE7RTY12X', 'TWO']],
      ['what the till has not shown', { reported: false }, [odd]],
      ['what went back', { reversed: true }, ['QWE7RTY12X']],
      ['what did not go back', { reversed: false }, ['OJM6Q1W84K', odd, 'TWO']],
      [
        'what holds for different sums, which finds nothing',
        { tillNumber: '700009', matched: true },
        [],
      ],
    ])('finds by %s', async (_, filter, found) => {
      const { items } = await current().store.transactions.list(account, filter, { limit: 10 });
      expect(items.map(({ reference }) => reference).toSorted()).toEqual(found.toSorted());
    });
  });

  describe('a list of deliveries', () => {
    it('has pages, newest first, filtered by state, with the size of each body instead of the body', async () => {
      const { store, advance } = current();
      const account = newAccount();
      const input = times(5, () => aDelivery(account));
      for (const each of input) {
        await store.deliveries.store(each);
        await advance(1_000);
      }
      const [done, unknown] = await store.deliveries.claim([account], 'webhook', 2, 60_000);
      if (!done || !unknown) throw new Error('nothing was claimed');
      await store.deliveries.finish(done, { kind: 'done' });
      await store.deliveries.finish(unknown, { kind: 'given_up', error: 'unknown topic' });
      const list = async (filter: DeliveryFilter): Promise<string[]> =>
        ids((await allPages((page) => store.deliveries.list(account, filter, page))).flat());
      expect(await list({})).toEqual(ids(input).toReversed());
      expect(await list({ state: 'done' })).toEqual([done.id]);
      expect(await list({ state: 'unrecognised' })).toEqual([unknown.id]);
      expect(await list({ state: 'pending' })).toEqual(ids(input.slice(2)).toReversed());

      const unrecognised = await store.deliveries.list(
        account,
        { state: 'unrecognised' },
        { limit: 1 },
      );
      const { token: _, body, ...header } = unknown;
      expect(unrecognised.items).toMatchObject([
        {
          ...header,
          state: 'unrecognised',
          bytes: body.length,
          lastError: 'unknown topic',
          ageMs: expect.any(Number),
          receivedAt: expect.any(Date),
        },
      ]);
      expect(unrecognised.items[0]).not.toHaveProperty('body');
    });

    it('refuses a state that no delivery has, and names those that there are', async () => {
      const wrong = current().store.deliveries.list(
        'default',
        { state: 'x' as 'done' },
        { limit: 1 },
      );
      await expect(wrong).rejects.toMatchObject({
        code: 'PAYMENTS_VALIDATION',
        problems: [{ field: 'state', problem: 'must be one of pending, done, unrecognised' }],
      });
    });

    it('is filtered by the time of receipt, up to but not including its end', async () => {
      const { store, advance } = current();
      const account = newAccount();
      const input = times(3, () => aDelivery(account));
      for (const each of input) {
        await store.deliveries.store(each);
        await advance(1_000);
      }
      const list = (filter: DeliveryFilter) =>
        store.deliveries.list(account, filter, { limit: 10 });
      const [, middle] = (await list({})).items;
      const at = new Date(middle!.receivedAt);
      const [oldest, , newest] = ids(input);
      expect(ids((await list({ from: at })).items)).toEqual([newest, middle!.id]);
      expect(ids((await list({ to: at })).items)).toEqual([oldest]);
      expect((await list({ from: at, to: at })).items).toEqual([]);
    });
  });

  describe('a list of the deliveries of an operation', () => {
    it('has the callbacks with its id, in every state, with duplicates, and no other delivery', async () => {
      const { store, advance } = current();
      const [account, resourceId] = [newAccount(), randomUUID()];
      const callback = { kind: 'callback', resource: 'incoming-payments' } as const;
      const own = times(2, () => aDelivery(account, { ...callback, resourceId }));
      for (const each of own) {
        await store.deliveries.store(each);
        await advance(1_000);
      }
      await store.deliveries.store({ ...own[0]!, id: 'again' });
      await store.deliveries.store(aDelivery(account, { ...callback, resourceId: randomUUID() }));
      await store.deliveries.store(aDelivery(account));
      await store.deliveries.store(aDelivery(newAccount(), { ...callback, resourceId }));
      const [first] = await store.deliveries.claim([account], 'callback', 1, 60_000);
      await store.deliveries.finish(first!, { kind: 'done', note: 'a note' });
      const { items } = await store.deliveries.list(account, { resourceId }, { limit: 10 });
      expect(items).toMatchObject([
        { id: own[1]!.id, state: 'pending', duplicates: 0 },
        { id: own[0]!.id, state: 'done', duplicates: 1, lastError: 'a note' },
      ]);
      const none = { resourceId: 'a text \0 that no store keeps' };
      expect((await store.deliveries.list(account, none, { limit: 10 })).items).toEqual([]);
    });

    it('has those with the given ids', async () => {
      const { store } = current();
      const account = newAccount();
      const [one, two, three] = times(3, () => aDelivery(account));
      for (const each of [one!, two!, three!]) await store.deliveries.store(each);
      const filter = { ids: [one!.id, three!.id, 'none'] };
      const { items } = await store.deliveries.list(account, filter, { limit: 10 });
      expect(ids(items).toSorted()).toEqual([one!.id, three!.id].toSorted());
      const nothing = await store.deliveries.list(account, { ids: [] }, { limit: 10 });
      expect(nothing.items).toEqual([]);
      const foreign = await store.deliveries.list(newAccount(), filter, { limit: 10 });
      expect(foreign.items).toEqual([]);
    });
  });

  describe('the events of a stream', () => {
    it('say when a waiting call is due', async () => {
      const { store, advance } = current();
      const account = newAccount();
      const event = 'delivery.unrecognised' as const;
      await store.events.registerListeners(account, [{ event, listener: 'a' }], 'start');
      await commitEvents(store, account, anEvent(account, 'stream'));
      const dueInMs = async (): Promise<number | null> => {
        const [emitted] = await store.events.list(account, 'stream');
        const [call] = emitted!.calls;
        return call!.dueAt && call!.dueAt.getTime() - emitted!.at.getTime();
      };
      expect(await dueInMs()).toBeLessThan(1_000);
      const [call] = await claimCalls(store, account, ['a'], 1, 60_000);
      expect(await dueInMs()).toBeGreaterThanOrEqual(60_000);
      await store.events.finishCall(call!, { kind: 'retry', inMs: 20_000, error: 'busy' });
      const waits = await dueInMs();
      expect(waits).toBeGreaterThanOrEqual(20_000);
      expect(waits).toBeLessThan(50_000);
      await advance(21_000);
      const [again] = await claimCalls(store, account, ['a'], 1, 60_000);
      await store.events.finishCall(again!, { kind: 'done' });
      expect(await dueInMs()).toBeNull();
    });

    it('have dead letters that name the stream and the time at which the event was written', async () => {
      const { store, advance } = current();
      const account = newAccount();
      const event = 'delivery.unrecognised' as const;
      await store.events.registerListeners(account, [{ event, listener: 'a' }], 'start');
      await commitEvents(store, account, anEvent(account, 'of a stream'));
      await advance(2_000);
      const [call] = await claimCalls(store, account, ['a'], 1, 60_000);
      await store.events.finishCall(call!, { kind: 'given_up', error: 'no' });
      const [emitted] = await store.events.list(account, 'of a stream');
      const [letter] = (await store.events.listDeadLetters(account, {}, { limit: 10 })).items;
      expect(letter).toMatchObject({ stream: 'of a stream', at: emitted!.at });
      expect(letter!.diedAt.getTime()).toBeGreaterThan(letter!.at.getTime());
    });

    it('are listed in order, with the outcome of every call', async () => {
      const { store } = current();
      const account = newAccount();
      await store.events.registerListeners(
        account,
        ['a', 'b', 'c'].map((listener) => ({ event: 'delivery.unrecognised' as const, listener })),
        'start',
      );
      const events = times(2, (index) => anEvent(account, 'stream', String(index)));
      await commitEvents(store, account, ...events, anEvent(account, 'another'));
      const claimed = await claimCalls(store, account, ['a', 'b'], 10, 60_000);
      for (const call of claimed.filter(({ eventId }) => eventId === events[0]?.id)) {
        const dead = { kind: 'given_up', error: 'no' } as const;
        await store.events.finishCall(call, call.listener === 'a' ? { kind: 'done' } : dead);
      }
      const listed = await store.events.list(account, 'stream');
      expect(ids(listed)).toEqual(ids(events));
      expect(listed[0]).toMatchObject({
        name: 'delivery.unrecognised',
        stream: 'stream',
        via: 'webhook',
        at: expect.any(Date),
      });
      const calls = listed.map((event) =>
        event.calls
          .map(
            ({ listener, state, attempts, lastError, endedAt }) =>
              `${listener} ${state} ${attempts} ${lastError} ${endedAt instanceof Date}`,
          )
          .toSorted(),
      );
      expect(calls).toEqual([
        ['a done 1 null false', 'b dead 1 no true', 'c pending 0 null false'],
        ['a pending 0 null false', 'b pending 0 null false', 'c pending 0 null false'],
      ]);
      expect(await store.events.list(newAccount(), 'stream')).toEqual([]);
    });

    it('show when a call succeeded only if it was repeated or late', async () => {
      const { store, advance } = current();
      const account = newAccount();
      await store.events.registerListeners(
        account,
        ['at once', 'late', 'repeated'].map((listener) => ({
          event: 'delivery.unrecognised' as const,
          listener,
        })),
        'start',
      );
      await commitEvents(store, account, anEvent(account, 'stream'));
      const finish = async (listener: string, outcome: ClaimOutcome): Promise<void> => {
        const [call] = await claimCalls(store, account, [listener], 1, 60_000);
        await store.events.finishCall(call!, outcome);
      };
      await finish('at once', { kind: 'done' });
      await finish('repeated', { kind: 'retry', inMs: 0, error: 'no' });
      await finish('repeated', { kind: 'done' });
      await advance(61_000);
      await finish('late', { kind: 'done' });
      const [event] = await store.events.list(account, 'stream');
      const calls = event!.calls.toSorted((one, other) =>
        one.listener.localeCompare(other.listener),
      );
      expect(calls).toMatchObject([
        { listener: 'at once', state: 'done', attempts: 1, endedAt: null },
        { listener: 'late', state: 'done', attempts: 1, endedAt: expect.any(Date) },
        { listener: 'repeated', state: 'done', attempts: 2, endedAt: expect.any(Date) },
      ]);
    });

    it('show a call that was repeated, became a dead letter and was replayed, once and with its last outcome', async () => {
      const { store } = current();
      const account = newAccount();
      await store.events.registerListeners(
        account,
        [{ event: 'delivery.unrecognised', listener: 'a' }],
        'start',
      );
      await commitEvents(store, account, anEvent(account, 'stream'));
      const shown = async (): Promise<unknown> => {
        const [event] = await store.events.list(account, 'stream');
        return event?.calls.map(({ state, attempts, lastError }) => [state, attempts, lastError]);
      };
      const end = async (outcome: ClaimOutcome): Promise<unknown> => {
        const [call] = await claimCalls(store, account, ['a'], 1, 60_000);
        if (!call) throw new Error('nothing to claim');
        await store.events.finishCall(call, outcome);
        return shown();
      };
      expect(await end({ kind: 'retry', inMs: 0, error: 'busy' })).toEqual([
        ['pending', 1, 'busy'],
      ]);
      expect(await end({ kind: 'given_up', error: 'no' })).toEqual([['dead', 2, 'no']]);
      await store.events.replayDeadLetters(account);
      expect(await shown()).toEqual([['pending', 0, null]]);
      expect(await end({ kind: 'done' })).toEqual([['done', 1, null]]);
    });
  });

  describe('what came lately', () => {
    const keys = async (account: string, limit = 10): Promise<string[]> => {
      const changes = await current().store.statistics.recentChanges(account, 30_000, limit);
      return changes.map(({ key }) => key).toSorted();
    };

    it('includes every new event, delivery and operation of the account, and says what each is about', async () => {
      const { store } = current();
      const account = newAccount();
      expect(await keys(account)).toEqual([]);
      const payment = await recorded(store, aPayment(account));
      await store.deliveries.store(
        aDelivery(account, { kind: 'callback', resource: 'r', resourceId: payment.id }),
      );
      await store.deliveries.store(aDelivery(account));
      await commitEvents(store, account, anEvent(account, 'of a stream'));
      await recorded(store, aPayment(newAccount()));
      const changes = await store.statistics.recentChanges(account, 30_000, 10);
      expect(changes.map(({ about }) => String(about)).toSorted()).toEqual(
        [payment.id, payment.id, 'null', 'of a stream'].toSorted(),
      );
      expect(new Set(changes.map(({ key }) => key)).size).toBe(4);
    });

    it('has another key when an operation changes or a delivery comes again', async () => {
      const { store } = current();
      const account = newAccount();
      const payment = await recorded(store, aPayment(account));
      const delivery = aDelivery(account);
      await store.deliveries.store(delivery);
      const before = await keys(account);
      await changed(store, payment, { state: 'requested' });
      await store.deliveries.store({ ...delivery, id: 'again' });
      const after = await keys(account);
      expect(after).toHaveLength(2);
      expect(after.filter((key) => before.includes(key))).toEqual([]);
    });

    it('includes the newest up to the limit, and nothing older than the given time', async () => {
      const { store, advance } = current();
      const account = newAccount();
      for (const _ of times(3, () => 0)) {
        await commitEvents(store, account, anEvent(account, 'stream', randomUUID()));
        await advance(1_000);
      }
      const all = await keys(account);
      expect([all.length, (await keys(account, 2)).length]).toEqual([3, 2]);
      await advance(40_000);
      expect(await keys(account)).toEqual([]);
    });
  });

  describe('what waits', () => {
    it('is zero in an empty store', async () => {
      const { store } = current();
      expect(await store.statistics.backlog(newAccount())).toEqual({
        deliveries: 0,
        oldestDeliveryMs: null,
        calls: 0,
        oldestCallMs: null,
        deadLetters: 0,
        unrecognised: 0,
        openPayments: 0,
        inReview: 0,
        oldestInReviewMs: null,
        passedGuard: 0,
      });
    });

    it('is counted, with the age of the oldest', async () => {
      const { store, advance } = current();
      const account = newAccount();
      await listen(store, account);
      await recorded(store, aPayment(account));
      await changed(store, await recorded(store, aPayment(account)), { state: 'pending' });
      await commitEvents(store, account, ...times(2, (at) => anEvent(account, `stream-${at}`)));
      await store.deliveries.store(aDelivery(account));
      const [completed, refused] = await claimCalls(store, account, [LISTENER], 2, 60_000);
      if (!completed || !refused) throw new Error('nothing was claimed');
      await store.events.finishCall(completed, { kind: 'done' });
      await advance(5_000);
      const backlog = await store.statistics.backlog(account);
      expect(backlog).toMatchObject({ deliveries: 1, calls: 1, deadLetters: 0, openPayments: 1 });
      expect(backlog.oldestDeliveryMs).toBeGreaterThanOrEqual(5_000);
      expect(backlog.oldestCallMs).toBeGreaterThanOrEqual(5_000);
      await store.events.finishCall(refused, { kind: 'given_up', error: 'no' });
      expect(await store.statistics.backlog(account)).toMatchObject({
        calls: 0,
        oldestCallMs: null,
        deadLetters: 1,
      });
    });

    it("counts what waits for a person's decision and what passed another operation, with what was paid and is contradicted", async () => {
      const { store, advance } = current();
      const account = newAccount();
      const of = async () =>
        (await store.statistics.queues())
          .filter((queue) => queue.account === account)
          .map(({ queue, count }) => `${queue} ${count}`)
          .toSorted();
      const record = (passes: string[] = []) =>
        recorded(store, { ...aPayment(account), besides: passes });
      const paid = await changed(store, await record(), { state: 'pending' });
      await advance(1_000);
      const review = await changed(store, await record(), {
        state: 'needs_review',
        cause: 'ambiguous',
      });
      const passing = await record([review.id]);
      const done = await changed(store, paid, { state: 'succeeded' }, { dueInMs: null });
      expect(await of()).toEqual(['in_review 1', 'open 1', 'passed_guard 1']);
      const contradicted = await changed(store, done, { cause: 'second_transaction' });
      const backlog = await store.statistics.backlog(account);
      expect(backlog).toMatchObject({ inReview: 2, passedGuard: 1 });
      expect(backlog.oldestInReviewMs).toBeGreaterThanOrEqual(1_000);
      expect(await store.accounts.attention([account])).toMatchObject([{ inReview: 2 }]);
      const listed = async (filter: OperationFilter) =>
        (await store.operations.list(account, filter, { limit: 9 })).items.map(({ id }) => id);
      expect(await listed({ inReview: true })).toEqual([review.id, done.id]);
      expect(await listed({ inReview: true, causes: ['second_transaction'] })).toEqual([done.id]);
      expect(await listed({ causes: ['ambiguous'] })).toEqual([review.id]);
      expect(await listed({ passed: true })).toEqual([passing.id]);
      await changed(store, contradicted, { cause: null });
      await changed(store, review, { state: 'failed', cause: null }, { dueInMs: null });
      await advance(86_400_000);
      expect(await of()).toEqual(['open 1']);
      expect(await listed({ inReview: true })).toEqual([]);
      expect(await store.statistics.backlog(account)).toMatchObject({
        inReview: 0,
        oldestInReviewMs: null,
        passedGuard: 0,
      });
    });

    it('is listed for all queues of all accounts, with the age of the first entry of each', async () => {
      const { store, advance } = current();
      const [busy, other] = [newAccount(), newAccount()];
      const of = async (account: string) =>
        (await store.statistics.queues())
          .filter((queue) => queue.account === account)
          .toSorted((one, two) => one.queue.localeCompare(two.queue));
      expect(await of(busy)).toEqual([]);
      await listen(store, busy);
      const review = await recorded(store, aPayment(busy));
      await changed(store, review, { state: 'needs_review', cause: 'no_evidence' });
      await changed(
        store,
        await recorded(store, aPayment(busy)),
        { state: 'failed' },
        { dueInMs: null },
      );
      await commitEvents(store, busy, anEvent(busy, 'first'));
      const [first] = await claimCalls(store, busy, [LISTENER], 1, 60_000);
      await store.events.finishCall(first!, { kind: 'given_up', error: 'no' });
      const odd = aDelivery(busy);
      await store.deliveries.store(odd);
      const [claimed] = await store.deliveries.claim([busy], 'webhook', 1, 60_000);
      await store.deliveries.finish(claimed!, { kind: 'given_up', error: 'no' });
      await advance(600_000);
      await recorded(store, aPayment(busy));
      await recorded(store, aPayment(busy));
      await store.deliveries.store(aDelivery(busy));
      await commitEvents(store, busy, anEvent(busy, 'second'), anEvent(busy, 'third'));
      await recorded(store, aPayment(other));
      const link = { ...aPayment(other), kind: 'payment_link' };
      await store.operations.record(link as never, { sendBeforeMs: 60_000 });
      await advance(2_000);
      expect(await of(busy)).toMatchObject([
        { queue: 'calls', count: 2 },
        { queue: 'dead_letters', count: 1 },
        { queue: 'deliveries', count: 1 },
        { queue: 'in_review', count: 1 },
        { queue: 'open', count: 2 },
        { queue: 'unrecognised', count: 1 },
      ]);
      expect(await of(other)).toMatchObject([
        { queue: 'open', count: 1 },
        { queue: 'open_links', count: 1 },
      ]);
      for (const { queue, oldestMs } of await of(busy)) {
        const isEarly = ['dead_letters', 'in_review', 'unrecognised'].includes(queue);
        expect(oldestMs).toBeGreaterThanOrEqual(isEarly ? 602_000 : 2_000);
        if (!isEarly) expect(oldestMs).toBeLessThan(600_000);
      }
    });
  });
}
