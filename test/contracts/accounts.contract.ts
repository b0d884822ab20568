import { describe, expect, it } from '@jest/globals';
import {
  MOST_COUNTED,
  type AccountAttention,
  type AccountClaim,
  type AccountFilter,
} from '@tillkit/payments/store';
import {
  aDelivery,
  anEvent,
  aPayment,
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
    areNew = false,
  ): Promise<readonly unknown[]> =>
    current().store.accounts.claim([{ account, tills, keyHashes, listsTills }], HOUR, areNew);
  /** Claims with settings that have changed. */
  const claimAnew = (account: string, tills: readonly string[]): Promise<readonly unknown[]> =>
    claim(account, tills, [], true, true);

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

  describe('the tills that an account claims', () => {
    it('are refused to another account, which then claims nothing', async () => {
      const [one, two, three] = [newAccount(), newAccount(), newAccount()];
      const [till, other] = [newAccount(), newAccount()];
      expect(await claim(one, [till])).toEqual([]);
      expect(await claim(two, [other, till])).toEqual([
        { kind: 'till', account: two, other: one, till },
      ]);
      expect(await claim(three, [other])).toEqual([]);
    });

    it('stay claimed when another replica of the account does not name them yet', async () => {
      const [one, two] = [newAccount(), newAccount()];
      const [till, added] = [newAccount(), newAccount()];
      expect(await claim(one, [till, added])).toEqual([]);
      expect(await claim(one, [till])).toEqual([]);
      expect(await claim(two, [added])).toEqual([
        { kind: 'till', account: two, other: one, till: added },
      ]);
      await current().advance(HOUR);
      expect(await claim(one, [till])).toEqual([]);
      expect(await claim(two, [added])).toEqual([]);
    });

    it('are free when the claim was not repeated in time', async () => {
      const [one, two, till] = [newAccount(), newAccount(), newAccount()];
      expect(await claim(one, [till])).toEqual([]);
      await current().advance(HOUR);
      expect(await claim(two, [till])).toEqual([]);
      expect(await claim(one, [till])).toEqual([{ kind: 'till', account: one, other: two, till }]);
    });

    it('are free as soon as its settings do not name them any more, whatever a replica with older settings claims', async () => {
      const [one, two, till, kept] = [newAccount(), newAccount(), newAccount(), newAccount()];
      await claim(one, [till, kept]);
      expect(await claimAnew(one, [kept])).toEqual([]);
      expect(await claim(one, [till, kept])).toEqual([]);
      expect(await claim(two, [kept])).toMatchObject([{ other: one, till: kept }]);
      expect(await claim(two, [till])).toEqual([]);
      expect(await claim(one, [till, kept])).toEqual([]);
    });

    it('are those of another account for as long as that has claimed them', async () => {
      const [one, two, till, other] = [newAccount(), newAccount(), newAccount(), newAccount()];
      const isClaimed = (tills: string[]): Promise<boolean> =>
        current().store.accounts.isClaimedByAnother(one, tills);
      await claim(one, [other]);
      expect(await isClaimed([till, other])).toBe(false);
      await claim(two, [till]);
      expect(await isClaimed([other, till])).toBe(true);
      expect(await isClaimed([other])).toBe(false);
      await claimAnew(two, []);
      expect(await isClaimed([till])).toBe(false);
      await claimAnew(two, [till]);
      await current().advance(HOUR);
      expect(await isClaimed([till])).toBe(false);
    });

    it('belong to it again when its settings name them again', async () => {
      const [one, two, till] = [newAccount(), newAccount(), newAccount()];
      await claim(one, [till]);
      await claimAnew(one, []);
      await claimAnew(one, [till]);
      expect(await claimAnew(two, [till])).toMatchObject([{ other: one, till }]);
    });

    it('belong to it again when somebody has still claimed them after a while, unless they are those of another account', async () => {
      const [one, two, till, moved] = [newAccount(), newAccount(), newAccount(), newAccount()];
      await claim(one, [till, moved]);
      await claimAnew(one, []);
      await current().advance(HOUR);
      await claim(two, [moved]);
      expect(await claim(one, [till])).toEqual([]);
      expect(await claim(two, [moved, till])).toMatchObject([{ other: one, till }]);
      expect(await claim(one, [moved])).toMatchObject([{ other: two, till: moved }]);
    });

    it('stay claimed when its new settings contradict the claims of another account', async () => {
      const [one, two, till, other] = [newAccount(), newAccount(), newAccount(), newAccount()];
      await claim(one, [till]);
      await claim(two, [other]);
      expect(await claimAnew(one, [other])).toHaveLength(1);
      expect(await claimAnew(two, [till])).toHaveLength(1);
    });

    it('go to one of many accounts that claim them at the same moment', async () => {
      const till = newAccount();
      const results = await Promise.all(times(10, () => claim(newAccount(), [till])));
      expect(results.filter((conflicts) => conflicts.length === 0)).toHaveLength(1);
    });

    it('may move between accounts that claim at once, and belong to one of them', async () => {
      const { accounts } = current().store;
      const [one, two] = [newAccount(), newAccount()].toSorted() as [string, string];
      const [till, other] = [newAccount(), newAccount()];
      const of = (account: string, ...tills: string[]): AccountClaim => ({
        account,
        tills,
        keyHashes: [],
        listsTills: true,
      });
      expect(await accounts.claim([of(one, till), of(two, other)], HOUR, false)).toEqual([]);
      expect(await accounts.claim([of(one, other), of(two, till)], HOUR, false)).toEqual([]);
      expect(await accounts.claim([of(one, till), of(two, till)], HOUR, false)).toEqual([
        { kind: 'till', account: two, other: one, till },
      ]);
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
      [true, true],
      [true, false],
      [false, true],
      [false, false],
    ])('is accepted only if both list their tills: %p and %p', async (first, second) => {
      const [one, two, key] = [newAccount(), newAccount(), newAccount()];
      expect(await claim(one, [newAccount()], [key], first)).toEqual([]);
      const silent = [...(second ? [] : [two]), ...(first ? [] : [one])];
      expect(await claim(two, [newAccount()], [key, `another of ${two}`], second)).toEqual(
        silent.map((name) => ({ kind: 'key', account: two, other: one, silent: name })),
      );
    });
  });
}
