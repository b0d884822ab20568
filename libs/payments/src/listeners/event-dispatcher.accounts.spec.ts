import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import type { PaymentsSettings } from '../accounts/payments.settings.js';
import {
  HangingListener,
  LISTENING,
  ListeningProcesses,
  until,
} from '../testing/dispatcher.fixture.js';
import type { EventDispatcher } from './event-dispatcher.js';
import type { Listener } from './listeners-explorer.js';

Logger.overrideLogger(false);

describe('the dispatcher of several accounts', () => {
  const second: PaymentsSettings = { ...LISTENING, account: 'second', path: 'second' };
  let processes: ListeningProcesses;

  beforeEach(() => {
    processes = new ListeningProcesses();
  });
  afterEach(() => processes.close());

  const withSecond = (listener: Listener, settings = second): Promise<EventDispatcher> =>
    processes.open(['payment.reversed'], LISTENING, {
      accounts: [{ settings, listeners: [listener] }],
    });

  it('keeps places for the listeners of one account while those of the other account hang', async () => {
    const hanging = new HangingListener();
    const dispatcher = await withSecond(hanging);
    for (let n = 0; n < 40; n += 1) {
      await processes.emit(`p${n}`, 'second');
      await processes.emit(`p${n}`);
    }
    dispatcher.onApplicationBootstrap();
    await until(() => processes.called.length === 40);
    hanging.end();
  });

  it('leaves room for the listeners of a third account while those of two other accounts hang', async () => {
    const hanging = new HangingListener();
    const third: PaymentsSettings = { ...LISTENING, account: 'third', path: 'third' };
    const dispatcher = await processes.open(['payment.reversed'], LISTENING, {
      accounts: [second, third].map((settings) => ({ settings, listeners: [hanging] })),
    });
    for (let n = 0; n < 40; n += 1) {
      await processes.emit(`p${n}`, 'second');
      await processes.emit(`p${n}`, 'third');
    }
    processes.runtime.advance(1_000);
    await processes.emit('last');
    dispatcher.onApplicationBootstrap();
    await until(() => processes.called.length === 1);
    hanging.end();
  });

  it('calls only listeners of the account of the event', async () => {
    const calls: unknown[] = [];
    const dispatcher = await withSecond({
      id: 'Orders.update',
      event: 'payment.reversed',
      call: async (event) => void calls.push(event),
    });
    await processes.emit('p1', 'second');
    dispatcher.onApplicationBootstrap();
    await until(() => calls.length === 1);
    expect(calls).toMatchObject([{ account: 'second' }]);
    expect(processes.called).toEqual([]);
  });

  it('repeats a call by the schedule of its own account', async () => {
    const failing: Listener = {
      id: 'Shop.mail',
      event: 'payment.reversed',
      call: () => Promise.reject(new Error('no')),
    };
    const settings = { ...second, listeners: { ...second.listeners, retryScheduleMs: [] } };
    const dispatcher = await withSecond(failing, settings);
    await processes.emit('p1', 'second');
    dispatcher.onApplicationBootstrap();
    const { events } = processes.store;
    await until(
      async () => (await events.listDeadLetters('second', {}, { limit: 10 })).items.length === 1,
    );
  });

  it('does not call the listeners of an account without background work', async () => {
    const idle = new HangingListener();
    const dispatcher = await withSecond(idle, { ...second, background: false });
    await processes.emit('p1', 'second');
    await processes.emit();
    dispatcher.onApplicationBootstrap();
    await until(() => processes.called.length === 1);
    const [event] = await processes.store.events.list('second', 'p1');
    expect(event?.calls).toMatchObject([{ state: 'pending', attempts: 0 }]);
    expect(idle.begun).toBe(0);
  });
});
