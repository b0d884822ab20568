import { Logger } from '@nestjs/common';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { AccountRegistry } from './account-registry.js';
import { StoreUnavailableError } from '../payments.errors.js';
import { ShutdownSignal } from '../runtime/shutdown-signal.js';
import { MemoryStore } from '../memory/memory.store.js';
import { SETTINGS } from '../testing/ledger.fixture.js';
import { SkippingRuntime } from '../testing/skipping.runtime.js';
import { AccountReservationsService } from './account-reservations.service.js';

const CLAIM = { keyHashes: [], listsTills: true };
const turns = async (): Promise<void> => {
  for (let n = 0; n < 50; n += 1) await new Promise(setImmediate);
};

describe('The tills of an account', () => {
  let store: MemoryStore;
  let shutdown: ShutdownSignal;
  let accounts: AccountRegistry;
  let reservations: AccountReservationsService;
  let isAway: boolean;
  const lines: string[] = [];

  beforeEach(() => {
    lines.length = 0;
    const keep = (line: unknown): number => lines.push(String(line));
    Logger.overrideLogger({ log: keep, warn: keep, error: keep });
    isAway = true;
    store = new MemoryStore();
    const claim = store.accounts.claim.bind(store.accounts);
    store.accounts.claim = async (...args) => {
      if (isAway) throw new StoreUnavailableError('away');
      return claim(...args);
    };
    const runtime = new SkippingRuntime();
    shutdown = new ShutdownSignal(runtime);
    accounts = new AccountRegistry();
    accounts.add({ ...SETTINGS, account: 'one', path: 'one', tillNumber: '111', apiKeys: ['a'] });
    accounts.add({ ...SETTINGS, account: 'two', path: 'two', tillNumber: '222', apiKeys: ['b'] });
    reservations = new AccountReservationsService(store.accounts, accounts, shutdown, runtime);
  });
  afterEach(async () => {
    Logger.overrideLogger(false);
    await reservations.onModuleDestroy();
  });

  it('that could not be reserved at the start suspend the work of the account while another account owns one of them', async () => {
    await reservations.onModuleInit();
    isAway = false;
    await store.accounts.claim([{ ...CLAIM, account: 'other', tills: ['222'] }]);
    reservations.onApplicationBootstrap();
    await turns();
    expect(accounts.inBackground().map(({ account }) => account)).toEqual(['one']);
    expect(lines).toEqual([
      expect.stringMatching(
        /work of account two is suspended.*"two" and "other" both have till 222/,
      ),
    ]);
    await store.accounts.release('other', ['222']);
    await turns();
    expect(accounts.inBackground().map(({ account }) => account)).toEqual(['one', 'two']);
    expect(lines).toHaveLength(2);
  });
});
