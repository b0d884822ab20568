import { describe, expect, it } from '@jest/globals';
import {
  MOST_COUNTED,
  type AccountAttention,
  type AccountClaim,
  type AccountFilter,
} from '@tillkit/payments/internal/store';
import {
  aDelivery,
  anEvent,
  aPayment,
  aPayout,
  changed,
  claimCalls,
  commitEvents,
  listen,
  LISTENER,
  newAccount,
  recorded,
  times,
  type StoreUnderTest,
} from './store-under-test.js';

const HOUR = 3_600_000;

export function describeAccounts(current: () => StoreUnderTest): void {
  const claim = async (
    account: string,
    tills: readonly string[],
    keyHashes: readonly string[] = [],
    listsTills = true,
  ): Promise<readonly unknown[]> =>
    current().store.accounts.claim([{ account, tills, keyHashes, listsTills }]);

  describe('the open work of accounts', () => {
    const isOpen = async (account: string): Promise<boolean> =>
      (await current().store.accounts.withOpenWork([account, newAccount()])).includes(account);

    it.each(['created', 'requested', 'pending', 'unknown', 'needs_review'] as const)(
      'is there while an operation is %s, whether or not it is read again',
      async (state) => {
        const { store } = current();
        const account = newAccount();
        const payment = await recorded(store, aPayment(account));
        if (state !== 'created') await changed(store, payment, { state }, { dueInMs: null });
        expect(await isOpen(account)).toBe(true);
        expect(await store.accounts.withOpenWork([newAccount()])).toEqual([]);
      },
    );

    it('is over when its operations have ended', async () => {
      const { store } = current();
      const account = newAccount();
      await changed(store, await recorded(store, aPayment(account)), { state: 'succeeded' });
      expect(await isOpen(account)).toBe(false);
    });

    it('is there while a delivery or a listener call waits', async () => {
      const { store } = current();
      const [delivered, called] = [newAccount(), newAccount()];
      await store.deliveries.store(aDelivery(delivered));
      expect(await isOpen(delivered)).toBe(true);
      await listen(store, called);
      await commitEvents(store, called, anEvent(called, 'a stream'));
      expect(await isOpen(called)).toBe(true);
    });
  });

  describe('the tills that an account reserves', () => {
    it('are refused to another account, which then reserves nothing', async () => {
      const [one, two, three] = [newAccount(), newAccount(), newAccount()];
      const [till, other] = [newAccount(), newAccount()];
      expect(await claim(one, [till])).toEqual([]);
      expect(await claim(two, [other, till])).toEqual([
        { kind: 'till', account: two, other: one, till },
      ]);
      expect(await claim(three, [other])).toEqual([]);
    });

    it('stay its own, however long nobody reserves them again, and whatever else it reserves', async () => {
      const [one, two] = [newAccount(), newAccount()];
      const [till, added] = [newAccount(), newAccount()];
      expect(await claim(one, [till, added])).toEqual([]);
      await current().advance(400 * 24 * HOUR);
      expect(await claim(one, [till])).toEqual([]);
      expect(await claim(one, [])).toEqual([]);
      for (const owned of [till, added])
        expect(await claim(two, [owned])).toEqual([
          { kind: 'till', account: two, other: one, till: owned },
        ]);
    });

    it('can be those of another account once they are released, and of nobody else before', async () => {
      const { accounts } = current().store;
      const [one, two, till, kept] = [newAccount(), newAccount(), newAccount(), newAccount()];
      const isClaimed = (tills: string[]): Promise<boolean> =>
        accounts.isClaimedByAnother(two, tills);
      await claim(one, [till, kept]);
      expect(await isClaimed([newAccount(), till])).toBe(true);
      expect(await accounts.isClaimedByAnother(one, [till])).toBe(false);
      expect(await accounts.release(two, [till])).toEqual([]);
      expect(await accounts.release(one, [till, newAccount()])).toEqual([till]);
      expect([await isClaimed([till]), await isClaimed([kept])]).toEqual([false, true]);
      expect(await claim(two, [till])).toEqual([]);
      expect(await claim(one, [till])).toMatchObject([{ other: two, till }]);
      expect(await accounts.release(one, null)).toEqual([kept]);
      expect(await claim(two, [kept])).toEqual([]);
    });

    it('go to one of many accounts that reserve them at the same moment', async () => {
      const till = newAccount();
      const results = await Promise.all(times(10, () => claim(newAccount(), [till])));
      expect(results.filter((conflicts) => conflicts.length === 0)).toHaveLength(1);
    });

    it('belong to one of two accounts that reserve them in one call', async () => {
      const { accounts } = current().store;
      const [one, two] = [newAccount(), newAccount()].toSorted() as [string, string];
      const till = newAccount();
      const of = (account: string): AccountClaim => ({
        account,
        tills: [till],
        keyHashes: [],
        listsTills: true,
      });
      expect(await accounts.claim([of(one), of(two)])).toEqual([
        { kind: 'till', account: two, other: one, till },
      ]);
      expect(await claim(two, [till])).toEqual([]);
    });
  });

  describe('the names of accounts', () => {
    const list = (filter: AccountFilter, limit = 10, after?: string) =>
      current().store.accounts.list(filter, { limit, ...(after !== undefined && { after }) });

    it('are those that a process has noted, once each, in the order of their characters', async () => {
      const { accounts } = current().store;
      const shop = newAccount();
      const names = ['', '-', '-10', '-2', 'A', '_', 'a'].map((end) => shop + end);
      await accounts.noteStarts(names.toReversed());
      await accounts.noteStarts([shop]);
      expect(await list({ beginsWith: shop })).toEqual({ items: names, next: null });
    });

    it('are found by their beginning only, and upper and lower case differ', async () => {
      const { accounts } = current().store;
      const shop = newAccount();
      await accounts.noteStarts([shop, `${shop}_1`, `${shop}1`, `x${shop}`, shop.toUpperCase()]);
      const found = async (beginsWith: string) => (await list({ beginsWith })).items;
      expect(await found(`${shop}_`)).toEqual([`${shop}_1`]);
      expect(await found(shop)).toEqual([shop, `${shop}1`, `${shop}_1`]);
      expect(await found(`${shop}%`)).toEqual([]);
      expect(await found(shop.slice(1))).toEqual([]);
    });

    it('come page by page, each once, also while others are noted', async () => {
      const { accounts } = current().store;
      const shop = newAccount();
      const names = times(5, (n) => `${shop}-${n}`);
      await accounts.noteStarts(names);
      const first = await list({ beginsWith: shop }, 2);
      expect(first.items).toEqual(names.slice(0, 2));
      await accounts.noteStarts([`${shop}-0a`]);
      const second = await list({ beginsWith: shop }, 2, first.next as string);
      const third = await list({ beginsWith: shop }, 2, second.next as string);
      expect([...second.items, ...third.items]).toEqual(names.slice(2));
      expect(third.next).toBeNull();
    });

    it('can be limited to some', async () => {
      const { accounts } = current().store;
      const [one, two, never] = [newAccount(), newAccount(), newAccount()];
      await accounts.noteStarts([one, two]);
      expect((await list({ among: [two, never] })).items).toEqual([two]);
      expect((await list({ among: [] })).items).toEqual([]);
      expect((await list({ among: [one, two], beginsWith: two })).items).toEqual([two]);
    });
  });

  describe('what needs attention in some accounts', () => {
    const nothing = (account: string): AccountAttention => ({
      account,
      open: 0,
      inReview: 0,
      deadLetters: 0,
      unrecognised: 0,
    });

    it('is counted for each of them alone, in the order of the question', async () => {
      const { store } = current();
      const [one, two, quiet] = [newAccount(), newAccount(), newAccount()];
      const key = newAccount();
      for (const account of [one, two]) {
        await changed(
          store,
          await recorded(store, aPayment(account)),
          { state: 'pending' },
          { dueInMs: 60_000 },
        );
        const settled = await recorded(store, aPayment(account, { idempotencyKey: key }));
        await changed(store, settled, { state: 'succeeded' }, { dueInMs: null });
      }
      const inReview = await recorded(store, aPayment(one));
      await changed(store, inReview, { state: 'needs_review' }, { dueInMs: null });
      await listen(store, one);
      // One of them is done, one waits, and one is dead.
      await commitEvents(store, one, ...times(3, (n) => anEvent(one, `${key} ${n}`)));
      const [done] = await claimCalls(store, one, [LISTENER], 1, 60_000);
      await store.events.finishCall(done!, { kind: 'done' });
      const [call] = await claimCalls(store, one, [LISTENER], 1, 60_000);
      await store.events.finishCall(call!, { kind: 'given_up', error: 'no' });
      const delivery = aDelivery(two);
      const { claimed } = await store.deliveries.store(delivery, 60_000);
      await store.deliveries.finish(
        { ...claimed!, account: two, id: delivery.id },
        { kind: 'given_up', error: 'strange' },
      );
      expect(await store.accounts.attention([two, quiet, one])).toEqual([
        { ...nothing(two), open: 1, unrecognised: 1 },
        nothing(quiet),
        { ...nothing(one), open: 1, inReview: 1, deadLetters: 1 },
      ]);
      await store.deliveries.reprocess(two, delivery.id);
      expect(await store.accounts.attention([two])).toEqual([{ ...nothing(two), open: 1 }]);
      expect(await store.accounts.attention([])).toEqual([]);
    });

    it('counts a payment that is about to be sent as open, and no payout that waits for approval', async () => {
      const { store } = current();
      const account = newAccount();
      await recorded(store, aPayment(account));
      await store.operations.record(aPayout(account), { sendBeforeMs: 60_000, isHeld: true });
      expect(await store.accounts.attention([account])).toEqual([{ ...nothing(account), open: 1 }]);
    });

    it('is counted up to a limit, so that a broken listener costs no more than others', async () => {
      const { store } = current();
      const account = newAccount();
      await listen(store, account);
      const events = times(MOST_COUNTED + 5, (n) => anEvent(account, `${account} ${n}`));
      await commitEvents(store, account, ...events);
      for (const call of await claimCalls(store, account, [LISTENER], events.length, 60_000))
        await store.events.finishCall(call, { kind: 'given_up', error: 'no' });
      expect(await store.accounts.attention([account])).toEqual([
        { ...nothing(account), deadLetters: MOST_COUNTED + 1 },
      ]);
    });
  });

  describe('an API key that two accounts share', () => {
    it.each([
      ['is accepted when both list their tills', true, true],
      ['is refused when the second one lists no tills', true, false],
      ['is refused when the first one lists no tills', false, true],
      ['is refused when none of them lists its tills', false, false],
    ])('%s', async (_, first, second) => {
      const [one, two, key] = [newAccount(), newAccount(), newAccount()];
      expect(await claim(one, [newAccount()], [key], first)).toEqual([]);
      const silent = [...(second ? [] : [two]), ...(first ? [] : [one])];
      expect(await claim(two, [newAccount()], [key, `another of ${two}`], second)).toEqual(
        silent.map((name) => ({ kind: 'key', account: two, other: one, silent: name })),
      );
    });
  });
}
