import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  aPayment,
  aPayout,
  changed,
  newAccount,
  record,
  recorded,
} from '../../../../test/contracts/store-under-test.js';
import {
  freshDatabase,
  PATIENT,
  type TestDatabase,
} from '../../../../test/contracts/test-database.js';
import { PostgresStore } from '../postgres.store.js';

const MINUTE = 60_000;
const DAY = 86_400_000;
const SENT = { state: 'requested', sender: 'one', sentAt: new Date() } as const;

describe('A database that was restored to an earlier time', () => {
  let database: TestDatabase;
  let store: PostgresStore;
  let account: string;
  let at: Date;

  beforeEach(async () => {
    at = new Date(Date.now() - 10 * MINUTE);
    database = await freshDatabase();
    store = new PostgresStore({ ...PATIENT, connectionString: database.storeUrl });
    account = newAccount();
  });
  afterEach(async () => {
    await store.close();
    await database.drop();
  });

  const find = async (id: string): Promise<unknown> => store.operations.find(account, id);
  const before = (ms: number): Date => new Date(at.getTime() - ms);
  /** Sweeps of the account began a week before, and have read everything until a time. */
  const sweptTo = async (watermark: Date, recoveredAt: Date | null): Promise<boolean> => {
    await store.sweeps.progress(account, before(7 * DAY));
    await store.sweeps.claim(account, 'one', MINUTE);
    return store.sweeps.save(account, 'one', {
      watermark,
      recoveredAt,
      scope: 'company',
    });
  };
  const progress = () => store.sweeps.progress(account, new Date());

  it('says nothing of what an account has read that was never swept', async () => {
    await store.accounts.noteStarts([account]);
    await store.markRestored(at, 'jane');
    const start = before(DAY);
    expect(await store.sweeps.progress(account, start)).toMatchObject({ watermark: start });
  });

  it('makes a sweep due at once that a process had claimed', async () => {
    const claim = () => store.plannedWork.claim([account], 'sweep', 1, MINUTE);
    await store.plannedWork.plan([{ account, kind: 'sweep', inMs: 0 }]);
    expect(await claim()).toEqual([account]);
    await store.markRestored(at, 'jane');
    expect(await claim()).toEqual([account]);
  });

  it('treats what may have been sent as sent, without a sender, and makes it due for a read at once', async () => {
    const created = await recorded(store, aPayment(account));
    const requested = await changed(store, await recorded(store, aPayment(account)), SENT);
    await store.markRestored(at, 'jane');
    const doubtful = { state: 'unknown', sender: null };
    expect(await find(created.id)).toMatchObject({ ...doubtful, sentAt: created.createdAt });
    expect(await find(requested.id)).toMatchObject({ ...doubtful, sentAt: SENT.sentAt });
    const claim = { followed: false, limit: 9, leaseMs: MINUTE, sendLeaseMs: MINUTE };
    const due = await store.operations.claimDue([account], claim);
    expect(due.map(({ id }) => id).toSorted()).toEqual([created.id, requested.id].toSorted());
  });

  it('reads an approved payout, and one that waited for approval, and lets nobody send them', async () => {
    const waits = await recorded(store, aPayout(account, { needsApproval: true }));
    const second = aPayout(account, { needsApproval: true, idempotencyKey: 'approved' });
    const approved = await changed(
      store,
      await recorded(store, { ...second, amountMinor: '20000' }),
      { approvedBy: 'Mary' },
      { dueInMs: null },
    );
    await store.markRestored(at, 'jane');
    await store.pauses.resume(null, 'jane', 'compared');
    for (const { id, version } of [waits, approved]) {
      const operation = (await store.operations.find(account, id))!;
      expect(operation).toMatchObject({ state: 'unknown', version: version + 1 });
      // An attempt that was decided before.
      expect(
        await store.ledger.commit({
          account,
          operation: { id, version, set: SENT },
          events: [],
          history: [],
        }),
      ).toBeNull();
    }
  });

  it('says in the history of each what happened, and leaves all others as they are', async () => {
    const { id } = await recorded(store, aPayment(account));
    const failed = await changed(store, await recorded(store, aPayment(account)), {
      state: 'failed',
      reason: 'not_sent',
    });
    const pending = await changed(store, await recorded(store, aPayment(account)), {
      ...SENT,
      state: 'pending',
      platformId: 'one',
    });
    await store.markRestored(at, 'jane');
    const lines = await store.operations.history(account, id);
    expect(lines.map(({ via, what, detail }) => `${via}: ${what}: ${detail}`)).toEqual([
      'review: state: created to unknown',
      `review: note: the database was restored to ${at.toISOString()}`,
    ]);
    expect(await find(failed.id)).toMatchObject({ state: 'failed', version: failed.version });
    expect(await find(pending.id)).toMatchObject({ state: 'pending', version: pending.version });
  });

  it('names what may have been sent, account by account and oldest first', async () => {
    const other = `${account}-2`;
    const operations = [];
    for (const operation of [aPayment(other), aPayment(account), aPayout(account)])
      operations.push(await recorded(store, operation));
    const [third, first, second] = operations;
    const named = await store.markRestored(at, 'jane');
    expect(named.map(({ id }) => id)).toEqual([first?.id, second?.id, third?.id]);
    expect(named[0]).toEqual({
      account,
      kind: 'payment',
      id: first?.id,
      amount: { currency: 'KES', value: '100.00' },
      createdAt: first?.createdAt,
    });
  });

  it('sends nothing for any account, also one that it does not know, until a person resumes all', async () => {
    await store.markRestored(at, 'jane');
    const pause = { account: null, by: 'jane', at: expect.any(Date) };
    expect(await store.pauses.all()).toEqual([
      { ...pause, note: `the database was restored to ${at.toISOString()}` },
    ]);
    expect(await record(store, aPayment('added later'))).toMatchObject({ kind: 'paused' });
    await store.pauses.pause(account, 'peter', 'the till moved');
    await store.pauses.resume(account, 'peter', 'it is back');
    expect(await record(store, aPayment(account))).toMatchObject({ kind: 'paused' });
    expect(await store.pauses.resume(null, 'peter', 'compared')).toBe(true);
    expect(await record(store, aPayout(account))).toMatchObject({ kind: 'recorded' });
  });

  it('says why it is paused to whoever ends a pause of all accounts that it already had', async () => {
    await store.pauses.pause(null, 'peter', 'the database moves');
    await store.markRestored(at, 'jane');
    expect(await store.pauses.current(account)).toMatchObject({
      by: 'jane',
      note: expect.stringContaining('restored'),
    });
  });

  it('is swept again from that time on, and at once', async () => {
    await sweptTo(new Date(), null);
    await store.plannedWork.plan([{ account, kind: 'sweep', inMs: DAY }]);
    await store.markRestored(at, 'jane');
    expect(await progress()).toMatchObject({ watermark: at, recoveredAt: null });
    expect(await store.plannedWork.claim([account], 'sweep', 1, MINUTE)).toEqual([account]);
  });

  it('is swept from the end of its last sweep, if that is earlier', async () => {
    await sweptTo(before(MINUTE), null);
    await store.markRestored(at, 'jane');
    expect((await progress()).watermark).toEqual(before(MINUTE));
  });

  it('is not swept for a time before sweeps began', async () => {
    await sweptTo(new Date(), null);
    await store.markRestored(new Date(0), 'jane');
    expect((await progress()).watermark).toEqual(before(7 * DAY));
  });

  it('reads again what the lost time may have reversed', async () => {
    await sweptTo(at, at);
    await store.markRestored(at, 'jane');
    expect((await progress()).recoveredAt).toEqual(before(5 * DAY));
  });

  it('keeps no progress of a sweep that runs meanwhile', async () => {
    expect(await sweptTo(at, at)).toBe(true);
    await store.markRestored(before(60 * MINUTE), 'jane');
    expect(
      await store.sweeps.save(account, 'one', {
        watermark: at,
        recoveredAt: at,
        scope: 'company',
      }),
    ).toBe(false);
    expect((await progress()).watermark).toEqual(before(60 * MINUTE));
  });

  it('takes a correction to an earlier time', async () => {
    await sweptTo(new Date(), null);
    const { id, version } = await recorded(store, aPayment(account));
    await store.markRestored(at, 'jane');
    expect(await store.markRestored(before(MINUTE), 'jane')).toEqual([]);
    expect((await progress()).watermark).toEqual(before(MINUTE));
    expect(await find(id)).toMatchObject({ state: 'unknown', version: version + 1 });
    expect(await store.pauses.all()).toMatchObject([
      { note: expect.stringContaining(before(MINUTE).toISOString()) },
    ]);
  });
});
