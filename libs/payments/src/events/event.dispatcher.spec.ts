import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { ClosingSignal } from '../http/closing.signal.js';
import { newEvent, type PaymentsEventName } from '../ledger/ledger.events.js';
import { LedgerFeed } from '../ledger/ledger.feed.js';
import { MemoryStore } from '../ledger/memory/memory.store.js';
import type { ResolvedPaymentsOptions } from '../payments.options.js';
import { Runtime } from '../runtime/runtime.js';
import { SETTINGS } from '../testing/ledger.fixture.js';
import type { EmitterListener } from './emitter.listener.js';
import { EventDispatcher } from './event.dispatcher.js';
import type { ListenersExplorer } from './listeners.explorer.js';

Logger.overrideLogger(false);

const OPTIONS: ResolvedPaymentsOptions = {
  ...SETTINGS,
  listeners: { ...SETTINGS.listeners, retryScheduleMs: Array.from({ length: 200 }, () => 5) },
};

describe('a dispatcher', () => {
  let store: MemoryStore;
  let passedMs: number;
  let heard: string[];
  const running: EventDispatcher[] = [];

  beforeEach(() => {
    passedMs = 0;
    store = new MemoryStore(() => Date.now() + passedMs);
    heard = [];
  });

  afterEach(async () => {
    for (const dispatcher of running.splice(0)) await dispatcher.onModuleDestroy();
  });

  /** A process whose one listener listens to these events. */
  const startedWith = async (
    events: readonly PaymentsEventName[],
    options = OPTIONS,
  ): Promise<EventDispatcher> => {
    const runtime = new Runtime();
    const closing = new ClosingSignal(runtime);
    const call = (event: string) => async (): Promise<void> => void heard.push(event);
    const explorer = {
      listenersOf: () => events.map((event) => ({ id: 'Orders.hear', event, call: call(event) })),
    } as unknown as ListenersExplorer;
    const emitter = { listeners: () => [] } as unknown as EmitterListener;
    const feed = new LedgerFeed(closing);
    const dispatcher = new EventDispatcher(
      store,
      feed,
      closing,
      explorer,
      emitter,
      options,
      runtime,
    );
    await dispatcher.onModuleInit();
    running.push(dispatcher);
    return dispatcher;
  };

  const emit = (name: 'payment.reversed'): Promise<unknown> =>
    store.commit({
      account: 'default',
      events: [newEvent(name, { account: 'default', stream: 'p1', via: 'webhook' }, {} as never)],
      history: [],
    });

  it('leaves an event that its version of a listener does not know to a process that does', async () => {
    const old = await startedWith(['payment.succeeded']);
    const next = await startedWith(['payment.succeeded', 'payment.reversed']);
    await emit('payment.reversed');
    const called = (): Promise<string | undefined> =>
      store.listEvents('default', 'p1').then(([event]) => event?.calls[0]?.lastError ?? undefined);
    old.onApplicationBootstrap();
    while ((await called()) === undefined) await new Promise((resolve) => setTimeout(resolve, 1));
    // The deployment goes on: else the old one could take every attempt there is.
    await old.onModuleDestroy();
    next.onApplicationBootstrap();
    while (heard.length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    expect(heard).toEqual(['payment.reversed']);
  });

  it('that works on nothing names its own listeners, too, when no other process calls them', async () => {
    const dashboard = await startedWith(['payment.reversed'], { ...OPTIONS, background: false });
    await emit('payment.reversed');
    passedMs = 11 * 60_000;
    expect(await dashboard.unheardListeners()).toMatchObject([{ listener: 'Orders.hear' }]);
    expect(await (await startedWith(['payment.reversed'])).unheardListeners()).toEqual([]);
  });
});
