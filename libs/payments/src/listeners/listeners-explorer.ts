import { Injectable, type Type } from '@nestjs/common';
import { ContextIdFactory, DiscoveryService, MetadataScanner, ModuleRef } from '@nestjs/core';
import { EventEmitter2, EventEmitterReadinessWatcher } from '@nestjs/event-emitter';
import type { AccountRegistry } from '../accounts/account-registry.js';
import type { PaymentsSettings } from '../accounts/payments.settings.js';
import { PaymentsConfigurationError } from '../payments.errors.js';
import { EVENT_NAMES, type PaymentsEventName } from '../payments.events.js';
import { MINUTE } from '../runtime/clock.js';
import { SafeLogger } from '../runtime/logging.js';
import type { HostTransaction } from '../store/host-transaction.js';
import type { EventsStore, ListenerCall, MissingListener } from '../store/events.store.js';
import type { HostTransactions } from './host-transactions.js';
import { type ListenerMark, listenerMarks } from './on-payment-event.decorator.js';

/** No process has the listener of a call that nobody claimed for this long. */
export const LISTENER_MISSING_AFTER_MS = 10 * MINUTE;

export interface Listener {
  id: string;
  event: PaymentsEventName;
  /** True when a call that failed is not repeated. */
  once?: boolean;
  /** True when it is called in a transaction of the host. */
  isTransactional?: boolean;
  /** Resolves when the listener can be called. A failure before that is always repeated. */
  ready?(): Promise<void>;
  call(payload: unknown, transaction?: HostTransaction): Promise<void>;
}

type Method = (payload: unknown, transaction?: HostTransaction) => unknown;
type Wrapper = ReturnType<DiscoveryService['getProviders']>[number];

/** Finds the host's `@OnPaymentEvent` methods. */
@Injectable()
export class ListenersExplorer {
  constructor(
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
    private readonly moduleRef: ModuleRef,
  ) {}

  /** @throws PaymentsConfigurationError when two listeners of one event have the same id */
  listenersOf(account: string): Listener[] {
    const wrappers = [...this.discovery.getProviders(), ...this.discovery.getControllers()].filter(
      (wrapper) => !wrapper.isAlias,
    );
    const listeners = wrappers
      .filter((wrapper) => !isGivenAgain(wrapper, wrappers))
      .flatMap((wrapper) => this.listenersIn(wrapper, account));
    const seen = new Set<string>();
    for (const { id, event } of listeners) {
      if (seen.has(`${id} ${event}`))
        throw new PaymentsConfigurationError([twiceProblem(id, event)]);
      seen.add(`${id} ${event}`);
    }
    return listeners;
  }

  private listenersIn(wrapper: Wrapper, account: string): Listener[] {
    const prototype = prototypeOf(wrapper);
    if (!prototype) return [];
    return this.scanner.getAllMethodNames(prototype).flatMap((name) =>
      listenerMarks(prototype[name] as Method)
        .filter((mark) => mark.account === undefined || mark.account === account)
        .map((mark) => this.toListener(wrapper, name, mark)),
    );
  }

  private toListener(wrapper: Wrapper, method: string, mark: ListenerMark): Listener {
    const id = mark.id ?? `${prototypeOf(wrapper)?.constructor.name}.${method}`;
    return {
      id,
      event: mark.event,
      isTransactional: mark.transactional === true,
      call: async (payload, ...transaction) => {
        const instance = await this.instanceOf(wrapper, payload);
        await (instance[method] as Method).call(instance, payload, ...transaction);
      },
    };
  }

  /** A request-scoped listener gets a new instance for each event, and can inject the event as `REQUEST`. */
  private async instanceOf(wrapper: Wrapper, payload: unknown): Promise<Record<string, Method>> {
    if (wrapper.isDependencyTreeStatic() && !wrapper.isTransient)
      return wrapper.instance as Record<string, Method>;
    const context = ContextIdFactory.create();
    this.moduleRef.registerRequestByContextId(payload, context);
    return this.moduleRef.resolve(wrapper.token as Type<Record<string, Method>>, context, {
      strict: false,
    });
  }
}

/** True when a factory or value provider has the same instance as another provider, so that we have found its listeners already. */
function isGivenAgain(wrapper: Wrapper, wrappers: readonly Wrapper[]): boolean {
  if (!wrapper.isNotMetatype || !prototypeOf(wrapper)) return false;
  const { instance } = wrapper as { instance: unknown };
  const same = wrappers.filter((other) => other.instance === instance);
  return (same.find((other) => !other.isNotMetatype) ?? same[0]) !== wrapper;
}

/** Returns the prototype of a class provider, or of the instance of a factory or value provider; null when there is none. */
function prototypeOf(wrapper: Wrapper): Record<string, Method> | null {
  if (!wrapper.isNotMetatype)
    return (wrapper.metatype?.prototype ?? null) as Record<string, Method> | null;
  const instance: unknown = wrapper.instance;
  const prototype: unknown =
    typeof instance === 'object' && instance && Object.getPrototypeOf(instance);
  return prototype ? (prototype as Record<string, Method>) : null;
}

function twiceProblem(id: string, event: string): string {
  return (
    `two listeners of ${event} have the id "${id}", so a completed call of one would count for the other: give one of ` +
    `them its own id, @OnPaymentEvent('${event}', { id: '${id}.2' })`
  );
}

const EMITTER_LISTENER = 'EventEmitter2';

/**
 * The host's own `EventEmitter2` as one listener, for plain `@OnEvent`. The dispatcher calls it once for each event, when the
 * emitter's listeners are loaded. It logs their errors and timeouts and repeats nothing. Use `@OnPaymentEvent` for repeats.
 */
@Injectable()
export class EmitterListener {
  constructor(private readonly moduleRef: ModuleRef) {}

  /** Returns one listener for each event; an empty list when the host has no event emitter module. */
  listeners(): Listener[] {
    const emitter = this.optional(EventEmitter2);
    if (!emitter) return [];
    const watcher = this.optional(EventEmitterReadinessWatcher);
    return EVENT_NAMES.map((event) => ({
      id: EMITTER_LISTENER,
      event,
      once: true,
      ready: async () => watcher?.waitUntilReady(),
      call: async (payload: unknown) => {
        await emitter.emitAsync(event, payload);
      },
    }));
  }

  private optional<T>(token: abstract new (...args: never[]) => T): T | null {
    try {
      return this.moduleRef.get<T>(token as never, { strict: false });
    } catch {
      return null;
    }
  }
}

/** The listeners that this process has, by account. */
export class LocalListeners {
  private readonly logger = new SafeLogger();
  private readonly listeners = new Map<string, readonly Listener[]>();
  private readonly idsOf = new Map<string, ReadonlySet<string>>();
  private hasTransactions = false;

  constructor(
    private readonly eventsStore: EventsStore,
    private readonly explorer: ListenersExplorer,
    private readonly emitter: EmitterListener,
    private readonly accounts: AccountRegistry,
    private readonly transactions: HostTransactions,
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

  /** Finds the listeners of an account and registers them in the store. */
  async register({ account }: PaymentsSettings): Promise<void> {
    const found = [...this.explorer.listenersOf(account), ...this.emitter.listeners()];
    await this.checkTransactions(found);
    this.listeners.set(account, found);
    this.idsOf.set(account, new Set(found.map(({ id }) => id)));
    await this.eventsStore.registerListeners(
      account,
      found.map(({ event, id }) => ({ event, listener: id })),
    );
  }

  /** A listener that writes in transactions of the host needs them in the database of the payments. */
  private async checkTransactions(found: readonly Listener[]): Promise<void> {
    const first = found.find(({ isTransactional }) => isTransactional);
    if (!first || this.hasTransactions) return;
    await this.eventsStore.checkTransactions(this.transactions.databaseFor(first.id));
    this.hasTransactions = true;
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

  /** Returns the listeners with waiting calls that no process seems to have. A process without background work calls none of its listeners. */
  async missing(account: string): Promise<MissingListener[]> {
    const { background } = this.accounts.settings(account);
    const waiting = await this.eventsStore.missingListeners(account, LISTENER_MISSING_AFTER_MS);
    const own = background ? this.ids(account) : new Set<string>();
    return waiting.filter(({ listener }) => !own.has(listener));
  }
}
