import type { AccountRegistry } from '../accounts/account-registry.js';
import { OperationKinds } from '../ledger/operation.kind.js';
import { RecentRecords } from '../ledger/recent-records.js';
import { LedgerCommits, LedgerSignals } from '../ledger/ledger-commits.js';
import type { LedgerChange } from '../store/ledger.store.js';
import { paymentEvent } from '../operations/payments/payment.js';
import type { PaymentsSettings } from '../accounts/payments.settings.js';
import type {
  EmitterListener,
  Listener,
  ListenersExplorer,
} from '../listeners/listeners-explorer.js';
import { HostTransactions } from '../listeners/host-transactions.js';
import { EventDispatcher } from '../listeners/event-dispatcher.js';
import type { PaymentsEventName } from '../payments.events.js';
import { Runtime } from '../runtime/clock.js';
import { ShutdownSignal } from '../runtime/shutdown-signal.js';
import { DueWorkFinder } from '../queue/due-work-finder.js';
import { MemoryStore } from '../memory/memory.store.js';
import { accountsOf, SETTINGS } from './ledger.fixture.js';

/** The settings of a process that repeats failed calls at once. */
export const LISTENING: PaymentsSettings = {
  ...SETTINGS,
  listeners: {
    ...SETTINGS.listeners,
    concurrency: 20,
    retryScheduleMs: Array.from({ length: 200 }, () => 5),
  },
};

/** The clocks of this machine, which a test can put forward. Timers are real. */
class ForwardRuntime extends Runtime {
  private forwardMs = 0;

  override now(): number {
    return super.now() + this.forwardMs;
  }

  override elapsed(): number {
    return super.elapsed() + this.forwardMs;
  }

  advance(ms: number): void {
    this.forwardMs += ms;
  }
}

/** A process may have these besides its listener `Orders.update`. */
interface Extras {
  /** More listeners of the account `default`. */
  others?: readonly Listener[];
  /** The host's event bus. */
  plain?: readonly Listener[];
  /** More accounts, each with its listeners. */
  accounts?: readonly { settings: PaymentsSettings; listeners: readonly Listener[] }[];
  /** Looks for due work in place of the process. */
  finder?: QuietFinder;
  /** The accounts of the process, in place of all these. */
  known?: AccountRegistry;
}

/** Finds nothing by itself: what is claimed then was claimed because the dispatcher wanted it. */
export class QuietFinder {
  /** It claims when a look finds due work; undefined while nobody looks for any. */
  claimer: Parameters<DueWorkFinder['watch']>[0] | undefined;
  /** The waits until work becomes due that the dispatcher announced, in milliseconds. */
  readonly expected: (number | undefined)[] = [];

  watch(claimer: Parameters<DueWorkFinder['watch']>[0]): () => void {
    this.claimer = claimer;
    return () => undefined;
  }

  expect(inMs?: number): void {
    this.expected.push(inMs);
  }
}

/** Processes with listeners, on one store in memory. */
export class ListeningProcesses {
  readonly runtime = new ForwardRuntime();
  readonly store = new MemoryStore(() => this.runtime.now());
  /** The events for which `Orders.update` was called, in order. A test may add the events of its own listeners. */
  readonly called: string[] = [];
  private readonly opened: EventDispatcher[] = [];

  /** Opens a process that has not begun to work. Its listener `Orders.update` listens to these events. */
  async open(
    events: readonly PaymentsEventName[],
    settings = LISTENING,
    { others = [], plain = [], accounts: more = [], finder, known }: Extras = {},
  ): Promise<EventDispatcher> {
    const { runtime, store, called } = this;
    const orders = events.map((event) => ({
      id: 'Orders.update',
      event,
      call: () => Promise.resolve(void called.push(event)),
    }));
    const listenersOf = (account: string): readonly Listener[] =>
      more.find((other) => other.settings.account === account)?.listeners ?? [...orders, ...others];
    const accounts = known ?? accountsOf(settings, ...more.map((other) => other.settings));
    const dispatcher = new EventDispatcher(
      store.events,
      new ShutdownSignal(runtime),
      { listenersOf, all: () => [], check: () => undefined } as unknown as ListenersExplorer,
      { listeners: () => plain } as unknown as EmitterListener,
      accounts,
      (finder as unknown as DueWorkFinder) ?? new DueWorkFinder(store.dueWork, accounts, runtime),
      runtime,
      new HostTransactions(),
    );
    await dispatcher.onModuleInit();
    this.opened.push(dispatcher);
    return dispatcher;
  }

  /** Returns the commits of a process, which claim the calls of its own listeners. */
  commitsOf(dispatcher: EventDispatcher): LedgerCommits {
    const { runtime, store } = this;
    const signals = new LedgerSignals(new ShutdownSignal(runtime), runtime);
    return new LedgerCommits(
      store.ledger,
      new RecentRecords(runtime, new OperationKinds([])),
      signals,
      dispatcher,
      accountsOf(LISTENING),
    );
  }

  /** Commits an event like a process that has no listeners. */
  emit(stream = 'p1', account = 'default'): Promise<unknown> {
    return this.store.ledger.commit(aChange('payment.reversed', stream, account));
  }

  /** Returns the only call of the only event of a stream. */
  async stateOf(stream: string): Promise<unknown> {
    return (await this.store.events.list('default', stream))[0]?.calls[0]?.state;
  }

  async close(): Promise<void> {
    for (const dispatcher of this.opened.splice(0)) await dispatcher.onModuleDestroy();
  }
}

/** Returns a change that only writes an event. */
export function aChange(
  name: 'payment.reversed' | 'payment.failed',
  stream: string,
  account = 'default',
): LedgerChange {
  const event = paymentEvent(name, { account, stream, via: 'webhook' }, {} as never);
  return { account, events: [event], history: [] };
}

/** A listener whose calls hang until the test ends them. */
export class HangingListener implements Listener {
  readonly id = 'Shop.mail';
  /** The number of calls that have begun. */
  begun = 0;
  end!: () => void;
  private readonly ended = new Promise<void>((resolve) => (this.end = resolve));

  constructor(
    readonly event: PaymentsEventName = 'payment.reversed',
    private readonly afterwards = (): void => undefined,
  ) {}

  async call(): Promise<void> {
    this.begun += 1;
    await this.ended;
    this.afterwards();
  }
}

/** Waits until a condition is true. */
export async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await new Promise((resolve) => setTimeout(resolve, 1));
}
