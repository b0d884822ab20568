import { describe, expect, it } from '@jest/globals';
import { aDelivery, newAccount, times, type StoreUnderTest } from './store-under-test.js';

export function describeDeliveries(current: () => StoreUnderTest): void {
  describe('a delivery', () => {
    it('is stored byte for byte, and claimed once', async () => {
      const { store } = current();
      const account = newAccount();
      const input = aDelivery(account, {
        kind: 'callback',
        resource: 'incoming-payments',
        resourceId: 'payment-1',
        verifiedBy: 'url',
        body: Buffer.from([0xef, 0xbb, 0xbf, 0x00, 0xff, 0x5c, 0x27, 0x22, 0x7b, 0x80]),
      });
      expect(await store.deliveries.store(input)).toEqual({ duplicate: false, claimed: null });
      expect(await store.deliveries.find(account, input.id)).toMatchObject({
        ...input,
        state: 'pending',
        attempts: 0,
        duplicates: 0,
        lastError: null,
      });
      const [claimed, ...others] = await store.deliveries.claim([account], 'callback', 10, 60_000);
      expect(others).toEqual([]);
      expect(claimed).toMatchObject({ ...input, attempts: 1, token: expect.any(String) });
      expect(claimed?.receivedAt).toBeInstanceOf(Date);
      expect(await store.deliveries.claim([account], 'callback', 10, 60_000)).toEqual([]);
    });

    it('is claimed by its process when it is stored with a lease, and by others after the lease', async () => {
      const { store, advance } = current();
      const account = newAccount();
      const input = aDelivery(account);
      const { duplicate, claimed } = await store.deliveries.store(input, 30_000);
      expect({ duplicate, claimed }).toEqual({
        duplicate: false,
        claimed: { token: expect.any(String), receivedAt: expect.any(Date) },
      });
      expect(await store.deliveries.find(account, input.id)).toMatchObject({
        attempts: 1,
        receivedAt: claimed?.receivedAt,
      });
      expect(await store.deliveries.claim([account], 'webhook', 1, 1_000)).toEqual([]);
      expect(await store.deliveries.store({ ...input, id: 'again' }, 30_000)).toEqual({
        duplicate: true,
        claimed: null,
      });
      await advance(30_001);
      const [taken] = await store.deliveries.claim([account], 'webhook', 1, 1_000);
      expect(taken).toMatchObject({ id: input.id, attempts: 1 });
      const own = { id: input.id, account, token: claimed?.token ?? '' };
      expect(await store.deliveries.finish(own, { kind: 'done' })).toBe(false);
    });

    it('is finished by its claim from the time at which it was stored', async () => {
      const { store } = current();
      const account = newAccount();
      const input = aDelivery(account);
      const { claimed } = await store.deliveries.store(input, 30_000);
      const own = { id: input.id, account, token: claimed?.token ?? '' };
      expect(await store.deliveries.finish(own, { kind: 'done' })).toBe(true);
      expect(await store.deliveries.find(account, input.id)).toMatchObject({
        state: 'done',
        attempts: 1,
      });
    });

    it('may have an empty body', async () => {
      const { store } = current();
      const account = newAccount();
      await store.deliveries.store(aDelivery(account, { body: Buffer.alloc(0) }));
      const [claimed] = await store.deliveries.claim([account], 'webhook', 1, 60_000);
      expect(claimed?.body).toEqual(Buffer.alloc(0));
    });

    it('that is a duplicate is counted and not claimed again', async () => {
      const { store } = current();
      const account = newAccount();
      const input = aDelivery(account);
      const again = times(20, () => ({ ...input, id: `other-${Math.random()}` }));
      const results = await Promise.all(
        [input, ...again].map((each) => store.deliveries.store(each)),
      );
      expect(results.filter(({ duplicate }) => !duplicate)).toHaveLength(1);
      expect(await store.deliveries.store({ ...input, id: 'later' })).toEqual({
        duplicate: true,
        claimed: null,
      });
      const [claimed, ...others] = await store.deliveries.claim([account], 'webhook', 50, 60_000);
      expect(others).toEqual([]);
      expect(claimed?.duplicates).toBe(21);
    });

    it('with the same bytes in another account is another delivery', async () => {
      const { store } = current();
      const input = aDelivery(newAccount());
      await store.deliveries.store(input);
      const other = { ...input, account: newAccount() };
      expect(await store.deliveries.store(other)).toEqual({ duplicate: false, claimed: null });
      expect(await store.deliveries.find(other.account, 'none')).toBeNull();
    });

    it('has an age by the clock of the store', async () => {
      const { store, advance } = current();
      const input = aDelivery(newAccount());
      await store.deliveries.store(input);
      await advance(60_000);
      const found = await store.deliveries.find(input.account, input.id);
      expect(found?.ageMs).toBeGreaterThanOrEqual(60_000);
    });
  });

  describe('deliveries', () => {
    it('are all stored when hundreds arrive at once, and claimed in order', async () => {
      const { store } = current();
      const account = newAccount();
      const input = times(300, () => aDelivery(account));
      await Promise.all(input.map((each) => store.deliveries.store(each)));
      const claimed = (
        await Promise.all(times(10, () => store.deliveries.claim([account], 'webhook', 40, 60_000)))
      ).flat();
      expect(new Set(claimed.map(({ id }) => id)).size).toBe(300);
      expect(claimed).toHaveLength(300);
      expect(await store.deliveries.claim([newAccount()], 'webhook', 10, 60_000)).toEqual([]);
    });

    it('have one queue for callbacks and one for webhooks', async () => {
      const { store } = current();
      const account = newAccount();
      for (const each of times(3, () => aDelivery(account))) await store.deliveries.store(each);
      const callback = aDelivery(account, { kind: 'callback', resource: 'polling' });
      await store.deliveries.store(callback);
      const claim = (kind: 'callback' | 'webhook') =>
        store.deliveries.claim([account], kind, 3, 60_000);
      expect(await claim('callback')).toMatchObject([{ id: callback.id }]);
      expect(await claim('callback')).toEqual([]);
      expect(await claim('webhook')).toHaveLength(3);
    });

    it('are claimed oldest first', async () => {
      const { store } = current();
      const account = newAccount();
      const input = times(5, () => aDelivery(account));
      for (const each of input) await store.deliveries.store(each);
      const first = await store.deliveries.claim([account], 'webhook', 3, 60_000);
      const rest = await store.deliveries.claim([account], 'webhook', 3, 60_000);
      expect([...first, ...rest].map(({ id }) => id)).toEqual(input.map(({ id }) => id));
    });

    it.each([1, 2])(
      'that were postponed are claimed after deliveries that have been due longer, with a limit of %d',
      async (limit) => {
        const { store, advance } = current();
        const account = newAccount();
        const [first, second] = [aDelivery(account), aDelivery(account)];
        const claim = () => store.deliveries.claim([account], 'webhook', limit, 60_000);
        await store.deliveries.store(first);
        const [putOff] = await claim();
        await store.deliveries.finish(putOff!, { kind: 'retry', inMs: 30_000, error: 'not yet' });
        await store.deliveries.store(second);
        await advance(30_000);
        const claimed = [...(await claim()), ...(await claim())];
        expect(claimed.map(({ id }) => id)).toEqual([second.id, first.id]);
      },
    );
  });

  describe('deliveries of several accounts', () => {
    it('are claimed in the order in which they became due, across accounts', async () => {
      const { store, advance } = current();
      const [one, other] = [newAccount(), newAccount()];
      const input = [one, other, other, one, other].map((account) => aDelivery(account));
      for (const each of input) {
        await store.deliveries.store(each);
        await advance(1_000);
      }
      const claim = () => store.deliveries.claim([other, one], 'webhook', 3, 60_000);
      const claimed = [...(await claim()), ...(await claim())];
      expect(claimed.map(({ account, id }) => [account, id])).toEqual(
        input.map(({ account, id }) => [account, id]),
      );
    });

    it('share the limit of a claim', async () => {
      const { store } = current();
      const accounts = [newAccount(), newAccount()];
      for (const each of times(6, (index) => aDelivery(accounts[index % 2]!)))
        await store.deliveries.store(each);
      expect(await store.deliveries.claim(accounts, 'webhook', 4, 60_000)).toHaveLength(4);
      expect(await store.deliveries.claim(accounts, 'webhook', 4, 60_000)).toHaveLength(2);
    });

    it('are claimed only for the accounts that the claim names, even if others have been due longer', async () => {
      const { store, advance } = current();
      const [named, other] = [aDelivery(newAccount()), aDelivery(newAccount())];
      await store.deliveries.store(other);
      await advance(1_000);
      await store.deliveries.store(named);
      const claim = (...accounts: string[]) =>
        store.deliveries.claim(accounts, 'webhook', 1, 60_000);
      expect(await claim(named.account, newAccount())).toMatchObject([{ id: named.id }]);
      expect(await claim(named.account, newAccount())).toEqual([]);
      expect(await claim()).toEqual([]);
      expect(await claim(other.account)).toMatchObject([{ id: other.id, attempts: 1 }]);
    });

    it('are finished separately, even if they have the same id', async () => {
      const { store } = current();
      const input = aDelivery(newAccount());
      const same = { ...input, account: newAccount() };
      for (const each of [input, same]) await store.deliveries.store(each);
      const accounts = [input.account, same.account];
      const claims = await store.deliveries.claim(accounts, 'webhook', 10, 60_000);
      expect(claims.map(({ account }) => account).toSorted()).toEqual(accounts.toSorted());
      const mine = claims.find(({ account }) => account === input.account);
      expect(await store.deliveries.finish(mine!, { kind: 'done' })).toBe(true);
      expect(await store.deliveries.find(input.account, input.id)).toMatchObject({ state: 'done' });
      expect(await store.deliveries.find(same.account, same.id)).toMatchObject({
        state: 'pending',
      });
    });
  });

  describe('a claim on a delivery', () => {
    const claimOne = async (account: string, leaseMs = 60_000) => {
      const [claimed] = await current().store.deliveries.claim([account], 'webhook', 1, leaseMs);
      if (!claimed) throw new Error('nothing to claim');
      return claimed;
    };

    it('can finish the delivery as done', async () => {
      const { store } = current();
      const input = aDelivery(newAccount());
      await store.deliveries.store(input);
      const claim = await claimOne(input.account);
      expect(await store.deliveries.finish(claim, { kind: 'done' })).toBe(true);
      expect(await store.deliveries.find(input.account, input.id)).toMatchObject({
        state: 'done',
        attempts: 1,
        lastError: null,
      });
      expect(await store.deliveries.finish(claim, { kind: 'done' })).toBe(false);
    });

    it('can store a note with the outcome', async () => {
      const { store } = current();
      const input = aDelivery(newAccount());
      await store.deliveries.store(input);
      await store.deliveries.finish(await claimOne(input.account), {
        kind: 'done',
        note: 'too old',
      });
      expect(await store.deliveries.find(input.account, input.id)).toMatchObject({
        state: 'done',
        lastError: 'too old',
      });
    });

    it('can postpone the delivery, and the next attempt is counted', async () => {
      const { store, advance } = current();
      const input = aDelivery(newAccount());
      await store.deliveries.store(input);
      const claim = await claimOne(input.account);
      await store.deliveries.finish(claim, { kind: 'retry', inMs: 30_000, error: 'not yet' });
      expect(await store.deliveries.find(input.account, input.id)).toMatchObject({
        state: 'pending',
        lastError: 'not yet',
      });
      expect(await store.deliveries.claim([input.account], 'webhook', 1, 60_000)).toEqual([]);
      await advance(30_000);
      const next = await claimOne(input.account);
      expect(next.attempts).toBe(2);
      await store.deliveries.finish(next, { kind: 'done' });
      expect(await store.deliveries.find(input.account, input.id)).toMatchObject({
        state: 'done',
        attempts: 2,
      });
    });

    it('can finish the delivery as unrecognised, which can then be replayed once', async () => {
      const { store } = current();
      const input = aDelivery(newAccount());
      await store.deliveries.store(input);
      expect(await store.deliveries.reprocess(input.account, input.id)).toBe(false);
      const claim = await claimOne(input.account);
      await store.deliveries.finish(claim, { kind: 'given_up', error: 'unknown topic' });
      expect(await store.deliveries.find(input.account, input.id)).toMatchObject({
        state: 'unrecognised',
        lastError: 'unknown topic',
      });
      expect(await store.deliveries.reprocess(input.account, 'none')).toBe(false);
      expect(await store.deliveries.reprocess(newAccount(), input.id)).toBe(false);
      expect(await store.deliveries.reprocess(input.account, input.id)).toBe(true);
      expect(await store.deliveries.reprocess(input.account, input.id)).toBe(false);
      const again = await claimOne(input.account);
      expect(again).toMatchObject({ id: input.id, state: 'pending', body: input.body });
      await store.deliveries.finish(again, { kind: 'done' });
      expect(await store.deliveries.find(input.account, input.id)).toMatchObject({
        state: 'done',
        lastError: null,
      });
      expect(await store.deliveries.reprocess(input.account, input.id)).toBe(true);
    });

    it('that finished the delivery as unrecognised is followed by another claim a minute after a duplicate', async () => {
      const { store, advance } = current();
      const input = aDelivery(newAccount(), { kind: 'callback', resource: 'polling' });
      const claim = () => store.deliveries.claim([input.account], 'callback', 1, 600_000);
      const again = () => store.deliveries.store({ ...input, id: 'another' });
      await store.deliveries.store(input);
      const [first] = await claim();
      await store.deliveries.finish(first!, { kind: 'given_up', error: 'unknown topic' });
      expect(await claim()).toEqual([]);
      await Promise.all(times(5, again));
      expect(await claim()).toEqual([]);
      await advance(60_000);
      const [second, ...others] = await claim();
      expect(second).toMatchObject({ id: input.id, duplicates: 5 });
      await again();
      expect([...others, ...(await claim())]).toEqual([]);
      await store.deliveries.finish(second!, { kind: 'done' });
      await again();
      expect(await claim()).toEqual([]);
    });

    it('whose lease has expired can be claimed again as the same attempt, and its acknowledgement changes nothing', async () => {
      const { store, advance } = current();
      const input = aDelivery(newAccount());
      await store.deliveries.store(input);
      const lost = await claimOne(input.account, 30_000);
      await advance(30_000);
      const held = await claimOne(input.account);
      expect(held.attempts).toBe(1);
      expect(held.token).not.toBe(lost.token);
      for (const kind of ['done', 'retry', 'given_up'] as const) {
        expect(await store.deliveries.finish(lost, { kind, inMs: 0, error: 'late' })).toBe(false);
      }
      expect(await store.deliveries.claim([input.account], 'webhook', 1, 60_000)).toEqual([]);
      const [late, good] = await Promise.all([
        store.deliveries.finish(lost, { kind: 'given_up', error: 'late' }),
        store.deliveries.finish(held, { kind: 'done' }),
      ]);
      expect([late, good]).toEqual([false, true]);
      expect(await store.deliveries.find(input.account, input.id)).toMatchObject({
        state: 'done',
        lastError: null,
      });
    });

    it('is acknowledged together with many others, each with its own outcome', async () => {
      const { store } = current();
      const account = newAccount();
      await Promise.all(times(150, () => store.deliveries.store(aDelivery(account))));
      const claims = await store.deliveries.claim([account], 'webhook', 150, 60_000);
      const results = await Promise.all(
        claims.map((claim, index) =>
          store.deliveries.finish(
            index % 2 === 0 ? claim : { ...claim, token: 'stale' },
            index % 4 === 0 ? { kind: 'done' } : { kind: 'given_up', error: String(index) },
          ),
        ),
      );
      expect(results).toEqual(claims.map((_, index) => index % 2 === 0));
      for (const [index, { id }] of claims.slice(0, 8).entries()) {
        const state = index % 2 ? 'pending' : index % 4 ? 'unrecognised' : 'done';
        expect(await store.deliveries.find(account, id)).toMatchObject({ state });
      }
    });
  });
}
