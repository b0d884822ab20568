import { AccountRegistry, MOST_NAMES } from './account-registry.js';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { AccountUnavailableError } from '../account.errors.js';
import { PaymentsConfigurationError } from '../payments.errors.js';
import type { PaymentsSettings } from './payments.settings.js';
import { SteppedRuntime } from '../testing/stepped.runtime.js';
import { AccountLoader } from './account-loader.js';
import type { AccountOpenings, StoredNames } from './account-openings.js';
import type { AccountRemovals } from './account-removals.js';
import type { LoadedAccountOptions } from './account.options.js';
import { AddedAccounts } from './added-accounts.js';

Logger.overrideLogger(false);

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

const options = (changes: Partial<LoadedAccountOptions> = {}): LoadedAccountOptions => ({
  clientId: 'id',
  clientSecret: 'secret',
  apiKeys: ['an-api-key-of-the-portal'],
  ...changes,
});

describe('The accounts of a source', () => {
  let runtime: SteppedRuntime;
  let accounts: AccountRegistry;
  let loader: AccountLoader;
  /** The source has these accounts. It throws an error that stands here. */
  let source: Record<string, LoadedAccountOptions | Error | null>;
  /** The names that the source was asked for. */
  let asked: string[];
  /** Accounts that were ever in use. */
  let stored: Set<string>;
  /** The calls of the removals. */
  let removals: string[];
  /** Names that another account has the tills of. */
  let contested: Set<string>;

  beforeEach(() => {
    runtime = new SteppedRuntime();
    accounts = new AccountRegistry();
    source = { shop: options() };
    asked = [];
    stored = new Set();
    removals = [];
    contested = new Set();
    const added = new AddedAccounts(accounts);
    const common = { baseUrl: 'https://platform.example', publicUrl: 'https://shop.example' };
    const load = (account: string) => {
      asked.push(account);
      const found = source[account] ?? null;
      if (found instanceof Error) throw found;
      return Promise.resolve(found);
    };
    added.allow(common, () => undefined, { load });
    const open = async (settings: PaymentsSettings): Promise<void> => {
      if (contested.has(settings.account))
        throw new PaymentsConfigurationError(['its till is that of another account']);
      accounts.put(settings);
    };
    loader = new AccountLoader(
      added,
      { open } as unknown as AccountOpenings,
      {
        staysRemoved: (_: string, bySource: boolean) => bySource,
        begin: (account: string) => removals.push(`begin ${account}`),
        leave: (account: string) => removals.push(`leave ${account}`),
      } as unknown as AccountRemovals,
      accounts,
      { has: async (account: string) => stored.has(account) } as unknown as StoredNames,
      runtime,
    );
    loader.onModuleInit();
  });

  const fails = (): void => void (source['shop'] = new Error('the database is away'));
  const turns = async (): Promise<void> => {
    for (let n = 0; n < 20; n += 1) await Promise.resolve();
  };

  describe('on first use', () => {
    it('are loaded once, however many callers ask for one', async () => {
      expect(await Promise.all([loader.load('shop'), loader.load('shop')])).toEqual([true, true]);
      expect(await loader.load('shop')).toBe(true);
      expect(asked).toEqual(['shop']);
      expect(accounts.settings('shop')).toMatchObject({ account: 'shop', clientId: 'id' });
    });

    it('are those of the source only: another name is no account', async () => {
      expect(await loader.load('nobody')).toBe(false);
      source['other'] = options({ account: 'shop' });
      expect(await loader.load('other')).toBe(false);
      expect(accounts.all()).toEqual([]);
    });

    it('are read, and not opened, for a delivery that is not verified yet', async () => {
      expect(await Promise.all([loader.look('shop'), loader.look('shop')])).toEqual([true, true]);
      expect(accounts.has('shop')).toBe(false);
      expect(accounts.toVerify('shop')).toMatchObject({ account: 'shop', clientId: 'id' });
      expect(await loader.load('shop')).toBe(true);
      expect(accounts.has('shop')).toBe(true);
      expect(asked).toEqual(['shop']);
    });

    it('are read again for a delivery after a second, because their secrets may have changed', async () => {
      await loader.look('shop');
      runtime.advance(SECOND);
      source['shop'] = options({ apiKeys: ['a-new-key-of-the-portal'] });
      expect(await loader.look('shop')).toBe(true);
      expect(accounts.toVerify('shop')?.apiKeys).toEqual(['a-new-key-of-the-portal']);
    });

    it('are reloaded for a wrong signature as those that are open and those that do not exist: once in a second', async () => {
      await loader.look('shop');
      await loader.look('nobody');
      for (const name of ['shop', 'nobody']) {
        expect(await loader.reload(name)).toBe('same');
        expect(await loader.reload(name)).toBe('unsure');
      }
      runtime.advance(SECOND);
      for (const name of ['shop', 'nobody']) expect(await loader.reload(name)).toBe('same');
    });

    it('are still read for a delivery, and those that are left out still are, after posts to any number of names', async () => {
      await loader.look('shop');
      loader.loadForWork('gone');
      await turns();
      for (let n = 0; n < MOST_NAMES; n += 1) await loader.reload(`stranger-${n}`);
      expect(accounts.toVerify('shop')).toMatchObject({ account: 'shop' });
      expect(accounts.find('gone')?.leftOut).toMatchObject({ times: 1, isOver: false });
      expect([...accounts.known()].length).toBeLessThanOrEqual(MOST_NAMES);
    });

    it('that the source gives under another name are none of it, and the log says so', async () => {
      const lines: string[] = [];
      const keep = (line: unknown): unknown => lines.push(String(line));
      Logger.overrideLogger({ log: () => undefined, warn: keep, error: keep });
      source['SHOP'] = options({ account: 'shop' });
      expect(await loader.look('SHOP')).toBe(false);
      Logger.overrideLogger(false);
      expect(accounts.toVerify('SHOP')).toBeUndefined();
      expect(lines).toEqual([
        'the PaymentsAccountsSource was asked for the account "SHOP" and gave "shop", which is another one: it must compare names ' +
          'exactly, also the case of letters, and return null for a name that it does not have',
      ]);
    });

    it('that the source does not have are asked for again after half a minute only', async () => {
      await loader.look('nobody');
      runtime.advance(30 * SECOND - 1);
      expect(await loader.look('nobody')).toBe(false);
      expect(asked).toHaveLength(1);
      runtime.advance(1);
      expect(await loader.look('nobody')).toBe(false);
      expect(asked).toHaveLength(2);
    });

    it('that another process has opened meanwhile are asked for after a second', async () => {
      await loader.look('late');
      source['late'] = options();
      stored.add('late');
      await expect(loader.look('late')).rejects.toThrow(AccountUnavailableError);
      runtime.advance(SECOND);
      expect(await loader.look('late')).toBe(true);
    });

    it('of more than a hundred names in a second are left to a repeat, except those in use', async () => {
      for (let n = 0; n < 100; n += 1) await loader.look(`outsider-${n}`);
      await expect(loader.look('outsider-100')).rejects.toThrow('too many accounts are loaded now');
      expect(asked).toHaveLength(100);
      stored.add('shop');
      expect(await loader.look('shop')).toBe(true);
      runtime.advance(SECOND);
      expect(await loader.look('outsider-100')).toBe(false);
    });

    it('are unavailable while the source fails', async () => {
      fails();
      await expect(loader.load('shop')).rejects.toThrow(/the database is away/);
      await expect(loader.find('shop')).rejects.toThrow(AccountUnavailableError);
      source['shop'] = options();
      expect(await loader.find('shop')).toBe(true);
    });

    it('do not include those that were declared at the start', async () => {
      await loader.load('shop');
      const settings = { ...accounts.settings('shop'), account: 'declared', path: 'declared' };
      accounts.add(settings);
      expect(await loader.refresh('declared')).toBe('same');
      expect(asked).toEqual(['shop']);
    });
  });

  describe('that are old', () => {
    const refreshed = async (ageMs: number): Promise<boolean> => {
      await loader.load('shop');
      runtime.advance(ageMs);
      source['shop'] = options({ apiKeys: ['a-new-key-of-the-portal'] });
      const waits = loader.refreshOld('shop');
      await waits;
      return waits !== null;
    };
    const keys = (): readonly string[] => accounts.settings('shop').apiKeys;

    it('are not loaded again before 80 % of their time', async () => {
      expect(await refreshed(4 * MINUTE)).toBe(false);
      await turns();
      expect(asked).toHaveLength(1);
    });

    it('are loaded again after 80 % of their time, and no caller waits', async () => {
      expect(await refreshed(4 * MINUTE + 1)).toBe(false);
      await turns();
      expect(keys()).toEqual(['a-new-key-of-the-portal']);
    });

    it('are loaded again before a caller gets one when their time is over', async () => {
      expect(await refreshed(5 * MINUTE)).toBe(false);
      await turns();
      runtime.advance(5 * MINUTE + 1);
      source['shop'] = options({ apiKeys: ['the-newest-key-of-the-portal'] });
      expect(await loader.look('shop')).toBe(true);
      expect(keys()).toEqual(['the-newest-key-of-the-portal']);
    });

    it('are used while the source is away, and asked for once in a second', async () => {
      await loader.load('shop');
      runtime.advance(6 * MINUTE);
      fails();
      expect(await loader.look('shop')).toBe(true);
      expect(asked).toHaveLength(2);
      expect(loader.refreshOld('shop')).toBeNull();
      expect(asked).toHaveLength(2);
      runtime.advance(SECOND);
      expect(loader.refreshOld('shop')).toBeNull();
      await turns();
      expect(asked).toHaveLength(3);
      runtime.advance(30 * SECOND);
      source['shop'] = options({ apiKeys: ['a-new-key-of-the-portal'] });
      await loader.refreshOld('shop');
      expect(keys()).toEqual(['a-new-key-of-the-portal']);
    });
  });

  describe('whose secrets seem to have changed', () => {
    beforeEach(() => loader.load('shop'));

    it('are loaded again, at most once in a second', async () => {
      expect(await loader.reload('shop')).toBe('unsure');
      runtime.advance(SECOND);
      expect(await loader.reload('shop')).toBe('same');
      runtime.advance(SECOND);
      source['shop'] = options({ apiKeys: ['a-new-key-of-the-portal'] });
      expect(await loader.reload('shop')).toBe('changed');
      expect(asked).toHaveLength(3);
    });

    it('are left to a repeat while the source fails', async () => {
      runtime.advance(SECOND);
      fails();
      expect(await loader.reload('shop')).toBe('unsure');
      source['shop'] = options({ apiKeys: ['a-new-key-of-the-portal'] });
      expect(await loader.reload('shop')).toBe('unsure');
      runtime.advance(SECOND);
      expect(await loader.reload('shop')).toBe('changed');
    });

    it('are not asked for when the host has added them', async () => {
      accounts.put({ ...accounts.settings('shop'), account: 'own' });
      expect(await loader.reload('own')).toBe('same');
      expect(asked).toEqual(['shop']);
    });

    it('are not opened again when the source gives the same', async () => {
      const { publicUrl } = accounts.settings('shop');
      accounts.put({ ...accounts.settings('shop'), publicUrl: 'https://elsewhere.example' });
      expect(await loader.refresh('shop')).toBe('same');
      expect(accounts.settings('shop').publicUrl).toBe('https://elsewhere.example');
      loader.noteChange('shop');
      expect(await loader.refresh('shop')).toBe('changed');
      expect(accounts.settings('shop').publicUrl).toBe(publicUrl);
    });
  });

  describe('that the source does not have any more', () => {
    beforeEach(() => loader.load('shop'));

    it('are removed once, and count as changed when the source has them again', async () => {
      source['shop'] = null;
      expect(await loader.refresh('shop')).toBe('same');
      expect(removals).toEqual(['begin shop']);
      accounts.put({ ...accounts.settings('shop'), isRemoved: true });
      expect(await loader.refresh('shop')).toBe('same');
      expect(removals).toEqual(['begin shop']);
      source['shop'] = options();
      expect(await loader.refresh('shop')).toBe('changed');
      expect(accounts.settings('shop').isRemoved).toBe(false);
    });

    it('are removed when the source says so', async () => {
      source['shop'] = options({ removed: true });
      expect(await loader.refresh('shop')).toBe('changed');
      expect(removals).toEqual(['leave shop']);
      source['shop'] = options({ removed: true, apiKeys: ['a-new-key-of-the-portal'] });
      await loader.refresh('shop');
      expect(removals).toEqual(['leave shop']);
    });

    it('stay when the host has added them', async () => {
      accounts.put({ ...accounts.settings('shop'), account: 'own' });
      expect(await loader.find('own')).toBe(true);
      expect(await loader.refresh('own')).toBe('same');
      expect(removals).toEqual([]);
    });
  });

  describe('that have work in the store', () => {
    const lookedFor = (account: string): boolean => {
      const { background } = accounts.lookedFor();
      return 'allBut' in background && !background.allBut.includes(account);
    };

    it('are loaded for that work', async () => {
      loader.loadForWork('shop');
      loader.loadForWork('shop');
      await turns();
      expect(asked).toEqual(['shop']);
      expect(accounts.has('shop')).toBe(true);
    });

    it('are left out when the source does not have them: each time for longer, at most ten minutes', async () => {
      let leftOutMs = 30 * SECOND;
      for (let n = 0; n < 6; n += 1) {
        loader.loadForWork('nobody');
        await turns();
        expect(lookedFor('nobody')).toBe(false);
        runtime.advance(leftOutMs - 1);
        expect(lookedFor('nobody')).toBe(false);
        runtime.advance(1);
        expect(lookedFor('nobody')).toBe(true);
        leftOutMs = Math.min(2 * leftOutMs, 10 * MINUTE);
      }
    });

    it('are left out for a second when the source fails', async () => {
      fails();
      loader.loadForWork('shop');
      await turns();
      expect(lookedFor('shop')).toBe(false);
      runtime.advance(SECOND);
      expect(lookedFor('shop')).toBe(true);
    });

    it('are each left out for their own time', async () => {
      loader.loadForWork('nobody');
      await turns();
      fails();
      loader.loadForWork('shop');
      await turns();
      runtime.advance(SECOND);
      expect([lookedFor('shop'), lookedFor('nobody')]).toEqual([true, false]);
      runtime.advance(29 * SECOND);
      expect(lookedFor('nobody')).toBe(true);
    });
  });
});
