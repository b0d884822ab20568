import { type AccountRegistry, namesOf } from '../accounts/account-registry.js';
import type { PaymentsSettings } from '../accounts/payments.settings.js';
import { PaymentsConfigurationError } from '../payments.errors.js';
import { MINUTE } from '../runtime/clock.js';
import { SafeLogger } from '../runtime/logging.js';
import { nearest } from '../runtime/nearest-name.js';
import {
  classOf,
  type EventsStore,
  type ListenerCall,
  type MissingListener,
  type RegisteredListener,
} from '../store/events.store.js';
import { type Suspect, suspectsOf, suspectText } from './built-ids.js';
import type { HostTransactions } from './host-transactions.js';
import type { EmitterListener, Listener, ListenersExplorer } from './listeners-explorer.js';

/** No process has the listener of a call that nobody claimed for this long. */
export const LISTENER_MISSING_AFTER_MS = 10 * MINUTE;

/** The listeners that this process has, by account. */
export class LocalListeners {
  private readonly logger = new SafeLogger();
  private readonly listeners = new Map<string, readonly Listener[]>();
  private readonly idsOf = new Map<string, ReadonlySet<string>>();

  constructor(
    private readonly eventsStore: EventsStore,
    private readonly explorer: ListenersExplorer,
    private readonly emitter: EmitterListener,
    private readonly accounts: AccountRegistry,
    private readonly transactions: HostTransactions,
    /** The start of this process, by which the store knows what it has registered. */
    private readonly start: string,
  ) {}

  ids(account: string): ReadonlySet<string> {
    return this.idsOf.get(account) ?? new Set();
  }

  /** Returns the ids of the listeners of events with these names. */
  idsFor(account: string, events: ReadonlySet<string>): string[] {
    const listeners = this.listeners.get(account) ?? [];
    return listeners.filter(({ event }) => events.has(event)).map(({ id }) => id);
  }

  find({ account, listener, event }: ListenerCall): Listener | undefined {
    return this.listeners.get(account)?.find((own) => own.id === listener && own.event === event);
  }

  /** Returns the accounts whose listeners this process calls. */
  called(): PaymentsSettings[] {
    return this.accounts.inBackground().filter(({ account }) => this.ids(account).size > 0);
  }

  /** True when this process calls listeners of an account. */
  isCalled(account: string): boolean {
    return this.accounts.isInBackground(account) && this.ids(account).size > 0;
  }

  remove(account: string): void {
    this.listeners.delete(account);
    this.idsOf.delete(account);
  }

  /**
   * Refuses listeners that would not be called as their code says. It runs before any is registered: a listener that the store knows is no
   * suspect any more.
   * @throws PaymentsConfigurationError that names each of them, with its cures
   */
  async check(): Promise<void> {
    this.explorer.check();
    const all = this.explorer.all();
    const first = all.find(({ isTransactional }) => isTransactional);
    if (first) await this.eventsStore.checkTransactions(this.transactions.databaseFor(first.id));
    if (!all.some(({ isNamedByCode }) => isNamedByCode)) return;
    const declared = namesOf(this.accounts.all());
    const known = await this.eventsStore.registeredListeners(
      this.accounts.expectsMore ? { allBut: [] } : declared,
    );
    const suspects = this.suspects(all, known, declared);
    const problems: string[] = [];
    for (const suspect of suspects) {
      const others = known.filter(({ listener }) => listener === suspect.old.listener);
      const text = suspectText(suspect, [...new Set(others.map(({ account }) => account))]);
      if (await this.isCertain(suspect)) problems.push(text);
      else this.logger.warn(text, { listener: suspect.own.id });
    }
    if (problems.length > 0) throw new PaymentsConfigurationError(problems);
  }

  /** Accounts that are added later are compared as one, because this process does not know which of those in the store will come. */
  private suspects(
    all: ReturnType<ListenersExplorer['all']>,
    known: readonly RegisteredListener[],
    declared: readonly string[],
  ): Suspect[] {
    const ids = new Set(all.map(({ id }) => id));
    const found = [
      ...declared.flatMap((account) =>
        suspectsOf(
          all.filter((one) => (one.account ?? account) === account),
          ids,
          known.filter((one) => one.account === account),
        ),
      ),
      ...suspectsOf(
        all,
        ids,
        known.filter(({ account }) => !declared.includes(account)),
      ),
    ];
    return [...new Map(found.map((one) => [`${one.own.id} ${one.old.listener}`, one])).values()];
  }

  /** The old listener of a suspect may be of another application. If its calls wait, no application has it. */
  private async isCertain({ kind, old }: Suspect): Promise<boolean> {
    if (kind !== 'doubtful') return true;
    const missing = await this.eventsStore.missingListeners(old.account, LISTENER_MISSING_AFTER_MS);
    return missing.some(({ listener }) => listener === old.listener);
  }

  /** Finds the listeners of an account and registers them in the store. */
  async register({ account }: PaymentsSettings): Promise<void> {
    const found = [...this.explorer.listenersOf(account), ...this.emitter.listeners()];
    this.listeners.set(account, found);
    this.idsOf.set(account, new Set(found.map(({ id }) => id)));
    await this.eventsStore.registerListeners(
      account,
      found.map(({ event, id }) => ({ event, listener: id })),
      this.start,
    );
  }

  /**
   * Warns at once of waiting calls of listeners that this process does not have and that no other one makes. A failure to read them must not stop
   * this process.
   */
  async warnOfMissing({ account, background }: PaymentsSettings): Promise<void> {
    const waiting = await this.eventsStore.missingListeners(account, 0).catch(() => []);
    const own = this.ids(account);
    const missing = waiting.filter(({ listener, waitingMs }) =>
      // Another process has the own listeners of one without background work. It may be busy.
      own.has(listener) ? !background && waitingMs >= LISTENER_MISSING_AFTER_MS : true,
    );
    const named = [...own].filter((id) => classOf(id) !== null);
    for (const { listener, calls } of missing) {
      const meant = nearest(listener, named);
      const renamed =
        meant !== undefined && !own.has(listener)
          ? `if ${meant} is the same listener, write { id: '${listener}' } in its @OnPaymentEvent; `
          : '';
      this.logger.warn(
        `${calls} events wait for the listener ${listener}, and no process makes its calls: start a process that has it; ${renamed}` +
          `or, if you removed it, call EventsService.deleteListener('${listener}')`,
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

  /** Returns the listeners with waiting calls that no process seems to have. A process without background work calls none of its listeners. */
  async missing(account: string): Promise<MissingListener[]> {
    const { background } = this.accounts.settings(account);
    const waiting = await this.eventsStore.missingListeners(account, LISTENER_MISSING_AFTER_MS);
    const own = background ? this.ids(account) : new Set<string>();
    return waiting.filter(({ listener }) => !own.has(listener));
  }
}
