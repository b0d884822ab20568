import { describe, expect, it } from '@jest/globals';
import type { SealedToken, TokenHolder } from '@tillkit/payments/internal/store';
import { newAccount, times, type StoreUnderTest } from './store-under-test.js';

const newHolder = (): TokenHolder => ({ account: newAccount(), application: 'an application' });

const aToken = (sealed: Buffer): SealedToken => ({ sealed, expiresInMs: 60_000 });

export function describeLeases(current: () => StoreUnderTest): void {
  const start = new Date('2026-01-01T00:00:00.000Z');

  describe('the first start of an account', () => {
    it('is the time at which a process noted it first, for all later callers', async () => {
      const { store, advance } = current();
      const account = newAccount();
      expect(await store.accounts.msSinceFirstStart(account)).toBe(0);
      await store.accounts.noteStarts([account]);
      expect(await store.accounts.msSinceFirstStart(account)).toBeLessThan(60_000);
      await advance(600_000);
      await store.accounts.noteStarts([newAccount(), account]);
      await store.sweeps.claim(account, 'one', 1_000);
      expect(await store.accounts.msSinceFirstStart(account)).toBeGreaterThanOrEqual(600_000);
      expect(await store.accounts.msSinceFirstStart(newAccount())).toBeLessThan(60_000);
    });
  });

  describe('progress of sweeps', () => {
    it('begins at the time that the first call sets', async () => {
      const { store } = current();
      const account = newAccount();
      const none = { recoveredAt: null, scope: null };
      const first = { sweepFrom: start, watermark: start, ...none };
      expect(await store.sweeps.progress(account, start)).toEqual(first);
      expect(await store.sweeps.progress(account, new Date('2027-01-01T00:00:00.000Z'))).toEqual(
        first,
      );
    });

    it('is saved only by the owner of the right to sweep', async () => {
      const { store, advance } = current();
      const account = newAccount();
      const watermark = new Date('2026-01-02T00:00:00.000Z');
      const moved = { watermark, recoveredAt: start, scope: 'till 514459' };
      expect(await store.sweeps.claim(account, 'one', 30_000)).toBe(true);
      expect(await store.sweeps.save(account, 'one', moved)).toBe(false); // There is no progress yet.
      await store.sweeps.progress(account, start);
      expect(await store.sweeps.save(account, 'two', moved)).toBe(false);
      expect(await store.sweeps.save(account, 'one', moved)).toBe(true);
      expect(await store.sweeps.progress(account, start)).toEqual({
        sweepFrom: start,
        ...moved,
      });

      expect(await store.sweeps.claim(account, 'two', 30_000)).toBe(false);
      expect(await store.sweeps.claim(account, 'one', 30_000)).toBe(true); // This claim extends the lease.
      await advance(30_000);
      expect(await store.sweeps.claim(account, 'two', 30_000)).toBe(true);
      expect(await store.sweeps.save(account, 'one', { ...moved, watermark: start })).toBe(false);
      expect((await store.sweeps.progress(account, start)).watermark).toEqual(moved.watermark);
    });

    it('is claimed by one of many concurrent claims', async () => {
      const { store } = current();
      const account = newAccount();
      const results = await Promise.all(
        times(20, (index) => store.sweeps.claim(account, `owner-${index}`, 60_000)),
      );
      expect(results.filter(Boolean)).toHaveLength(1);
    });
  });

  describe('the shared token', () => {
    it('is stored as bytes, until it expires', async () => {
      const { store, advance } = current();
      const holder = newHolder();
      const sealed = Buffer.from([0, 1, 2, 255, 254, 0]);
      expect(await store.tokens.read(holder)).toBeNull();
      await store.tokens.save(holder, 'one', aToken(sealed));
      const token = await store.tokens.read(holder);
      expect(token?.sealed).toEqual(sealed);
      expect(token?.expiresInMs).toBeGreaterThan(0);
      expect(token?.expiresInMs).toBeLessThanOrEqual(60_000);
      expect(await store.tokens.read(newHolder())).toBeNull();
      await advance(60_000);
      expect(await store.tokens.read(holder)).toBeNull();
    });

    it('is deleted when it is cleared', async () => {
      const { store } = current();
      const holder = newHolder();
      await store.tokens.clear(holder);
      await store.tokens.save(holder, 'one', aToken(Buffer.from('a')));
      await store.tokens.clear(holder);
      expect(await store.tokens.read(holder)).toBeNull();
    });

    it('is renewed by one process at a time, until it is saved, the right is released, or the lease expires', async () => {
      const { store, advance } = current();
      const holder = newHolder();
      const claims = await Promise.all(
        times(20, (index) => store.tokens.claimRenewal(holder, `owner-${index}`, 30_000)),
      );
      expect(claims.filter(Boolean)).toHaveLength(1);
      const owner = `owner-${claims.indexOf(true)}`;
      await store.tokens.releaseRenewal(holder, 'other');
      expect(await store.tokens.claimRenewal(holder, 'other', 30_000)).toBe(false);
      await store.tokens.save(holder, owner, aToken(Buffer.from('a')));
      expect(await store.tokens.claimRenewal(holder, 'other', 30_000)).toBe(true);
      await store.tokens.releaseRenewal(holder, 'other');
      expect(await store.tokens.claimRenewal(holder, 'third', 30_000)).toBe(true);
      await advance(30_000);
      expect(await store.tokens.claimRenewal(holder, 'fourth', 30_000)).toBe(true);
      expect((await store.tokens.read(holder))?.sealed).toEqual(Buffer.from('a'));
    });

    it('is not renewed by another process before the end of a lease that its owner has extended', async () => {
      const { store, advance } = current();
      const holder = newHolder();
      await store.tokens.claimRenewal(holder, 'one', 30_000);
      expect(await store.tokens.claimRenewal(holder, 'one', 60_000)).toBe(true);
      await advance(30_000);
      expect(await store.tokens.claimRenewal(holder, 'two', 30_000)).toBe(false);
    });

    it('of one application is separate from that of another one', async () => {
      const { store } = current();
      const former = newHolder();
      const present = { ...former, application: 'present' };
      await store.tokens.claimRenewal(former, 'one', 600_000);
      expect(await store.tokens.claimRenewal(present, 'two', 30_000)).toBe(true);
      await store.tokens.save(present, 'two', aToken(Buffer.from('b')));
      expect(await store.tokens.read(former)).toBeNull();
      expect(await store.tokens.claimRenewal(former, 'three', 30_000)).toBe(false);
      await store.tokens.save(former, 'one', aToken(Buffer.from('a')));
      await store.tokens.clear(former);
      expect((await store.tokens.read(present))?.sealed).toEqual(Buffer.from('b'));
    });

    it('of a former application is deleted by the first save after it has expired', async () => {
      const { store, advance } = current();
      const former = newHolder();
      const present = { ...former, application: 'present' };
      await store.tokens.save(former, 'one', aToken(Buffer.from('a')));
      await store.tokens.save(present, 'one', aToken(Buffer.from('b')));
      expect((await store.tokens.read(former))?.sealed).toEqual(Buffer.from('a'));
      await advance(60_000);
      await store.tokens.save(present, 'one', aToken(Buffer.from('b')));
      expect(await store.tokens.read(former)).toBeNull();
      expect((await store.tokens.read(present))?.sealed).toEqual(Buffer.from('b'));
    });

    it('can be saved after the right to renew was lost, without ending the right of the new owner', async () => {
      const { store, advance } = current();
      const holder = newHolder();
      await store.tokens.claimRenewal(holder, 'one', 30_000);
      await advance(30_000);
      await store.tokens.claimRenewal(holder, 'two', 30_000);
      await store.tokens.save(holder, 'one', aToken(Buffer.from('late')));
      expect(await store.tokens.claimRenewal(holder, 'three', 30_000)).toBe(false);
    });
  });

  describe('anomalies', () => {
    it('are counted by kind, with the last twenty examples, each once', async () => {
      const { store } = current();
      const account = newAccount();
      expect(await store.anomalies.list(account)).toEqual([]);
      const [odd, topic] = ['unknown status Odd', 'unrecognised new_topic'];
      await Promise.all(times(10, () => store.anomalies.record(account, odd, 'one')));
      await store.anomalies.record(account, topic, 'x'.repeat(100_000));
      for (const example of [...times(30, (n) => `${n}`), '29', '20'])
        await store.anomalies.record(account, odd, example);
      const anomalies = await store.anomalies.list(account);
      expect(anomalies.toSorted((one, other) => (one.kind < other.kind ? -1 : 1))).toEqual([
        {
          kind: 'unknownStatus',
          count: 42,
          lastAt: expect.any(Date),
          examples: ['20', '29', ...times(18, (n) => `${28 - n}`).filter((n) => n !== '20'), '10']
            .slice(0, 20)
            .map((example) => ({ what: odd, example, at: expect.any(Date) })),
        },
        {
          kind: 'unrecognised',
          count: 1,
          lastAt: expect.any(Date),
          examples: [{ what: topic, example: 'x'.repeat(500), at: expect.any(Date) }],
        },
      ]);
      const [{ lastAt, examples } = anomalies[0]!] = anomalies;
      expect(examples[0]?.at.getTime()).toBe(Math.floor(lastAt.getTime()));
    });
  });
}
