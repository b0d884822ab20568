import { Logger } from '@nestjs/common';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { keepWarnings } from '../../../../test/support/warnings.js';
import type { PaymentsSettings } from '../accounts/payments.settings.js';
import { MemoryStore } from '../memory/memory.store.js';
import { aChange } from '../testing/dispatcher.fixture.js';
import { accountsOf, SETTINGS } from '../testing/ledger.fixture.js';
import { HostTransactions } from './host-transactions.js';
import type { EmitterListener, Listener, ListenersExplorer } from './listeners-explorer.js';
import { LocalListeners } from './local-listeners.js';

const EVENT = 'payment.reversed';

describe('The listeners of a process', () => {
  let now = 0;
  let store: MemoryStore;
  let lines: string[];

  beforeEach(() => {
    store = new MemoryStore(() => now);
    lines = [];
    keepWarnings(lines);
  });
  afterEach(() => void Logger.overrideLogger(false));

  const listenersOf = (
    ids: readonly string[],
    {
      expectsMore = false,
      settings = SETTINGS,
    }: { expectsMore?: boolean; settings?: PaymentsSettings } = {},
  ): LocalListeners => {
    const own = ids.map((id): Listener => ({
      id,
      event: EVENT,
      isNamedByCode: true,
      call: () => Promise.resolve(),
    }));
    const accounts = accountsOf(settings);
    if (expectsMore) accounts.expectMore({ background: true, reconciled: false });
    const explorer = { all: () => own, listenersOf: () => own, check: () => undefined };
    const emitter = { listeners: () => [] };
    return new LocalListeners(
      store.events,
      explorer as unknown as ListenersExplorer,
      emitter as unknown as EmitterListener,
      accounts,
      new HostTransactions(),
      'this start',
    );
  };
  const register = (account: string, listener: string): Promise<void> =>
    store.events.registerListeners(account, [{ event: EVENT, listener }], 'a start before');

  it('are compared with those of accounts that may still come', async () => {
    await register('shop-7', 'Orders.paid');
    const listeners = listenersOf(['Orders2.paid'], { expectsMore: true });
    await expect(listeners.check()).rejects.toThrow(/delete Orders\.paid --account shop-7\./);
    await register('shop-8', 'Orders.paid');
    await expect(listeners.check()).rejects.toThrow(/delete Orders\.paid --all\./);
  });

  it('are not compared with those of accounts that other applications have', async () => {
    await register('shop-7', 'Orders.paid');
    await listenersOf(['Orders2.paid']).check();
    await register('shop-8', 'Orders2.paid');
    await listenersOf(['Orders2.paid'], { expectsMore: true }).check();
    expect(lines).toEqual([]);
  });

  it('are all named when several of them are suspects', async () => {
    await register('default', 'Orders.paid');
    await register('default', 'Mails.paid');
    const failed = listenersOf(['Orders2.paid', 'Mails2.paid']).check();
    await expect(failed).rejects.toMatchObject({
      problems: [expect.stringContaining('Orders2.paid'), expect.stringContaining('Mails2.paid')],
    });
  });

  it('are registered with the start of the process', async () => {
    await listenersOf(['Orders.paid']).register(SETTINGS);
    expect(await store.events.registeredListeners(['default'])).toMatchObject([
      { listener: 'Orders.paid', start: 'this start' },
    ]);
  });

  it('are not named at the start while another process may be busy with them, and this one calls none', async () => {
    const settings = { ...SETTINGS, background: false };
    const listeners = listenersOf(['Orders.paid'], { settings });
    await listeners.register(settings);
    await store.ledger.commit(aChange(EVENT, 'p1'));
    await listeners.warnOfMissing(settings);
    expect(lines).toEqual([]);
    now += 10 * 60_000;
    await listeners.warnOfMissing(settings);
    expect(lines).toEqual([
      expect.stringMatching(
        /^1 events wait for the listener Orders\.paid, .*start a process that has it; or,/,
      ),
    ]);
  });
});
