import { beforeEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import type { AccountsStore } from '../store/accounts.store.js';
import { AccountRegistry } from './account-registry.js';
import type { PaymentsSettings } from './payments.settings.js';
import { SETTINGS } from '../testing/ledger.fixture.js';
import { SteppedRuntime } from '../testing/stepped.runtime.js';
import { AccountRemovals } from './account-removals.js';
import type { AccountOpenings } from './account-openings.js';
import { AddedAccounts } from './added-accounts.js';

Logger.overrideLogger(false);

const SECOND = 1_000;
const DAY = 24 * 3_600 * SECOND;

describe('An account that is removed', () => {
  let runtime: SteppedRuntime;
  let accounts: AccountRegistry;
  let removals: AccountRemovals;
  /** Accounts with open work. */
  let busy: Set<string>;
  let isStoreAway: boolean;
  /** The calls of other services. */
  let asked: string[];
  const isKnown = (): boolean => accounts.has('shop');

  beforeEach(() => {
    runtime = new SteppedRuntime();
    accounts = new AccountRegistry();
    accounts.put({ ...SETTINGS, account: 'shop', path: 'shop' });
    busy = new Set();
    isStoreAway = false;
    asked = [];
    const added = new AddedAccounts(accounts);
    added.allow({ keepRemovedMs: 0 }, () => undefined, null);
    const open = async ({ account, isRemoved }: PaymentsSettings): Promise<void> =>
      void asked.push(`open ${account} ${isRemoved ? 'removed' : ''}`);
    removals = new AccountRemovals(
      {
        release: async (account: string) => void asked.push(`release ${account}`),
        withOpenWork: async (names: readonly string[]) => {
          if (isStoreAway) throw new Error('away');
          return names.filter((name) => busy.has(name));
        },
      } as unknown as AccountsStore,
      accounts,
      added,
      { open, isOpening: () => false } as unknown as AccountOpenings,
      [
        { begin: async () => undefined },
        {
          begin: async () => undefined,
          end: async ({ account }) => void asked.push(`end work of ${account}`),
        },
      ],
      runtime,
    );
  });

  /** One timer serves all removals; null: there is none. */
  const nextWait = (): number | null => {
    expect(runtime.waits.length).toBeLessThanOrEqual(1);
    return runtime.waits[0] ?? null;
  };
  /** Lets the next check run. */
  const check = async (): Promise<void> => {
    runtime.advance(nextWait() ?? 0);
    for (let n = 0; n < 20; n += 1) await Promise.resolve();
  };
  const checks = async (count: number): Promise<void> => {
    for (let n = 0; n < count; n += 1) await check();
  };
  /** Checks until the time in which a call may still record something is over. */
  const afterTheCalls = async (): Promise<void> => {
    runtime.advance(SETTINGS.sending.sendBeforeMs);
    for (let n = 0; n < 20; n += 1) await Promise.resolve();
  };

  it('takes no new requests at once, and gives up its tills', () => {
    removals.begin('shop');
    expect(accounts.settings('shop').isRemoved).toBe(true);
    expect(asked).toEqual(['open shop removed']);
  });

  it('is closed after a check that finds nothing open', async () => {
    removals.begin('shop');
    expect(isKnown()).toBe(true);
    await afterTheCalls();
    expect(isKnown()).toBe(false);
    expect(asked).toEqual(['open shop removed', 'end work of shop']);
    expect(nextWait()).toBeNull();
  });

  it('is kept for as long as a call that began before may record an operation', async () => {
    removals.begin('shop');
    await checks(5);
    expect(runtime.elapsed()).toBeLessThan(SETTINGS.sending.sendBeforeMs);
    expect(isKnown()).toBe(true);
  });

  it('is kept while something of it is open, and checked less and less often', async () => {
    busy.add('shop');
    removals.begin('shop');
    const waits: (number | null)[] = [];
    for (let n = 0; n < 11; n += 1) {
      waits.push(nextWait());
      await check();
    }
    expect(waits.slice(0, 3)).toEqual([SECOND, 2 * SECOND, 4 * SECOND]);
    expect(waits.at(-1)).toBe(300 * SECOND);
    expect(isKnown()).toBe(true);
    busy.clear();
    await check();
    expect(isKnown()).toBe(false);
  });

  it('is kept while the store is away, and for as long as the host says', async () => {
    const added = new AddedAccounts(accounts);
    added.allow({}, () => undefined, null);
    expect(added.keepRemovedMs).toBe(DAY);
    isStoreAway = true;
    removals.begin('shop');
    await afterTheCalls();
    await checks(3);
    expect(isKnown()).toBe(true);
    isStoreAway = false;
    await checks(2);
    expect(isKnown()).toBe(false);
  });

  it('is not closed when it was added again', async () => {
    removals.begin('shop');
    accounts.put({ ...accounts.settings('shop'), isRemoved: false });
    await afterTheCalls();
    await check();
    expect(isKnown()).toBe(true);
    expect(nextWait()).toBeNull();
  });

  it('begins from the start when it is removed a second time', async () => {
    removals.begin('shop');
    runtime.advance(SETTINGS.sending.sendBeforeMs - SECOND);
    removals.begin('shop');
    await checks(3);
    expect(isKnown()).toBe(true);
  });

  it('is not checked any more after the end of the application', () => {
    removals.begin('shop');
    removals.onModuleDestroy();
    expect(nextWait()).toBeNull();
    removals.begin('shop');
    expect(nextWait()).toBeNull();
  });

  it('leaves its tills to others when the host or the source removes it, and keeps them when the source has lost it', () => {
    removals.begin('shop');
    expect(asked).not.toContain('release shop');
    removals.remove('shop');
    removals.leave('shop');
    expect(asked.filter((what) => what === 'release shop')).toHaveLength(2);
  });

  it('stays removed by the host until the source says so too, or the host adds it again', () => {
    expect(removals.staysRemoved('shop', false)).toBe(false);
    removals.remove('shop');
    expect(removals.staysRemoved('shop', false)).toBe(true);
    expect(removals.staysRemoved('shop', true)).toBe(true);
    expect(removals.staysRemoved('shop', false)).toBe(false);
    removals.remove('shop');
    removals.keep('shop');
    expect(removals.staysRemoved('shop', false)).toBe(false);
  });
});
