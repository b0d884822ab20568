import { beforeEach, describe, expect, it } from '@jest/globals';
import type { AccountReservationsService } from './account-reservations.service.js';
import { AccountRegistry } from './account-registry.js';
import { PaymentsConfigurationError } from '../payments.errors.js';
import type { PaymentsSettings } from './payments.settings.js';
import { SETTINGS } from '../testing/ledger.fixture.js';
import { AccountOpenings } from './account-openings.js';

const aShop = (account: string, changes: Partial<PaymentsSettings> = {}): PaymentsSettings => ({
  ...SETTINGS,
  account,
  path: account,
  ...changes,
});

describe('The opening of accounts', () => {
  let accounts: AccountRegistry;
  let openings: AccountOpenings;
  /** The methods that were called, with their accounts. */
  let calls: string[];
  let reservations: { problems: Map<string, PaymentsConfigurationError>; fails: Error | null };

  beforeEach(() => {
    accounts = new AccountRegistry();
    calls = [];
    reservations = { problems: new Map(), fails: null };
    const note =
      (what: string) =>
      async (all: readonly PaymentsSettings[]): Promise<void> => {
        calls.push([what, ...all.map(({ account }) => account)].join(' '));
      };
    const reserveFor = async (all: readonly PaymentsSettings[]) => {
      await note('claim')(all);
      return reservations.problems;
    };
    const begin = async (all: readonly PaymentsSettings[]): Promise<void> => {
      await note('sweeps')(all);
      if (reservations.fails) throw reservations.fails;
    };
    openings = new AccountOpenings(
      accounts,
      { reserveFor } as Partial<AccountReservationsService> as AccountReservationsService,
      [{ begin: (_all, fresh) => note('register')(fresh) }, { begin }],
    );
  });

  const open = (settings: PaymentsSettings): Promise<void> => openings.open(settings);

  it('reserves tills, registers listeners and plans work once for accounts that are opened together', async () => {
    await Promise.all([open(aShop('one')), open(aShop('two', { background: false }))]);
    expect(calls).toEqual(['claim one two', 'register one two', 'sweeps one two']);
    expect(accounts.all().map(({ account }) => account)).toEqual(['one', 'two']);
  });

  it('opens a second change of one account after the first', async () => {
    const path = 'elsewhere';
    await Promise.all([open(aShop('one')), open(aShop('one', { path }))]);
    expect(calls.filter((call) => call.startsWith('claim'))).toEqual(['claim one', 'claim one']);
    expect(accounts.settings('one').path).toBe(path);
  });

  it('refuses an account that has a till of another one, and opens the others', async () => {
    const problem = new PaymentsConfigurationError(['its till is that of another account']);
    reservations.problems.set('one', problem);
    const [one, two] = await Promise.allSettled([open(aShop('one')), open(aShop('two'))]);
    expect(one).toMatchObject({ reason: problem });
    expect(two.status).toBe('fulfilled');
    expect([accounts.has('one'), accounts.has('two')]).toEqual([false, true]);
  });

  it('refuses an account that has the path of a declared account, and reserves nothing for it', async () => {
    accounts.add(aShop('declared', { path: 'taken' }));
    await expect(open(aShop('one', { path: 'taken' }))).rejects.toThrow(/path "taken"/);
    expect(calls).toEqual(['claim']);
    expect(accounts.has('one')).toBe(false);
  });

  it('that fails leaves the settings of the account as they were', async () => {
    await open(aShop('one', { tills: ['1'] }));
    calls = [];
    reservations.fails = new Error('the store is away');
    const changed = aShop('one', { tills: ['2'], background: false });
    await expect(open(changed)).rejects.toThrow('the store is away');
    expect(accounts.settings('one').tills).toEqual(['1']);
  });

  const { reconciliation, retention } = SETTINGS;

  it.each<[string, Partial<PaymentsSettings>]>([
    ['it is removed', { isRemoved: true }],
    ['it is in the background now', { background: !SETTINGS.background }],
    ['reconciliation is disabled', { reconciliation: { ...reconciliation, enabled: false } }],
    ['sweeps come more often', { reconciliation: { ...reconciliation, sweepEveryMs: 1_000 } }],
    ['retention comes more often', { retention: { ...retention, everyMs: 1_000 } }],
  ])('plans the work of an open account again when %s', async (_, changes) => {
    await open(aShop('one'));
    calls = [];
    await open(aShop('one', changes));
    expect(calls).toEqual(['claim one', 'register', 'sweeps one']);
  });

  it('plans nothing again when only other settings of an open account change', async () => {
    await open(aShop('one'));
    calls = [];
    await open(aShop('one', { apiKeys: ['another'] }));
    expect(calls).toEqual(['claim one']);
    expect(accounts.settings('one').apiKeys).toEqual(['another']);
  });
});
