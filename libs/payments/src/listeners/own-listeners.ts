import type { KnownAccounts } from '../work/known-accounts.js';
import type { PaymentsSettings } from '../work/payments.settings.js';
import { LISTENER_WORK } from '../work/backoff.js';
import { SafeLogger } from '../work/safe-logger.js';
import type { EmitterListener } from './emitter.listener.js';
import type { EventsStore, ListenerCall, MissingListener } from '../store/events.store.js';
import type { Listener, ListenersExplorer } from './listeners-explorer.js';

/** The listeners that this process has, by account. */
export class OwnListeners {
  private readonly logger = new SafeLogger();
  private readonly listeners = new Map<string, readonly Listener[]>();
  private readonly idsOf = new Map<string, ReadonlySet<string>>();

  constructor(
    private readonly eventsStore: EventsStore,
    private readonly explorer: ListenersExplorer,
    private readonly emitter: EmitterListener,
    private readonly accounts: KnownAccounts,
  ) {}

  ids(account: string): ReadonlySet<string> {
    return this.idsOf.get(account) ?? new Set();
  }

  /** The ids of the listeners of events with these names. */
  idsFor(account: string, events: ReadonlySet<string>): string[] {
    const listeners = this.listeners.get(account) ?? [];
    return listeners.filter(({ event }) => events.has(event)).map(({ id }) => id);
  }

  find({ account, listener, event }: ListenerCall): Listener | undefined {
    return this.listeners.get(account)?.find((own) => own.id === listener && own.event === event);
  }

  /** The accounts whose listeners this process calls. */
  called(): PaymentsSettings[] {
    return this.accounts.inBackground().filter(({ account }) => this.ids(account).size > 0);
  }

  /** Whether this process calls listeners of an account. */
  isCalled(account: string): boolean {
    return this.accounts.isInBackground(account) && this.ids(account).size > 0;
  }

  forget(account: string): void {
    this.listeners.delete(account);
    this.idsOf.delete(account);
  }

  /** Finds the listeners of an account and registers them in the store. */
  async register({ account }: PaymentsSettings): Promise<void> {
    const found = [...this.explorer.listenersOf(account), ...this.emitter.listeners()];
    this.listeners.set(account, found);
    this.idsOf.set(account, new Set(found.map(({ id }) => id)));
    await this.eventsStore.registerListeners(
      account,
      found.map(({ event, id }) => ({ event, listener: id })),
    );
  }

  /** Warns of listeners with waiting calls that no process has. A failure to read them must not stop this process. */
  async warnOfMissing({ account }: PaymentsSettings): Promise<void> {
    const missing = await this.missing(account).catch(() => []);
    for (const { listener, calls } of missing) {
      this.logger.warn(
        `${calls} events wait for the listener ${listener}, which no process has: ` +
          `start a process that has it, or, if you removed it, call EventsService.deleteListener('${listener}')`,
        { account, listener },
      );
    }
  }

  /** Warns of accounts without listeners. */
  warnOfNone(): void {
    for (const { account } of this.accounts.inBackground()) {
      if (this.ids(account).size > 0) continue;
      this.logger.warn(
        `there is no @OnPaymentEvent listener: no listener receives payment.succeeded. ` +
          "Add @OnPaymentEvent('payment.succeeded') to a method of a provider",
        { account },
      );
    }
  }

  /** Listeners with waiting calls that no process seems to have. A process without background work calls none of its listeners. */
  async missing(account: string): Promise<MissingListener[]> {
    const { background } = this.accounts.of(account);
    const waiting = await this.eventsStore.missingListeners(account, LISTENER_WORK.missingAfterMs);
    const own = background ? this.ids(account) : new Set<string>();
    return waiting.filter(({ listener }) => !own.has(listener));
  }
}
