import { Injectable, type Type } from '@nestjs/common';
import { ContextIdFactory, DiscoveryService, MetadataScanner, ModuleRef } from '@nestjs/core';
import { EventEmitter2, EventEmitterReadinessWatcher } from '@nestjs/event-emitter';
import { PaymentsConfigurationError } from '../payments.errors.js';
import { EVENT_NAMES, type PaymentsEventName } from '../payments.events.js';
import type { HostTransaction } from '../store/host-transaction.js';
import { classProblems } from './listener-classes.js';
import { type ListenerMark, listenerMarks } from './on-payment-event.decorator.js';

export interface Listener {
  id: string;
  event: PaymentsEventName;
  /** True when its id is the name of its class and its method, which a build may change. */
  isNamedByCode?: boolean;
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

/** A listener as its decorator describes it. */
interface FoundListener extends Listener {
  account?: string;
}

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
    const listeners = this.all().filter((one) => (one.account ?? account) === account);
    const seen = new Set<string>();
    for (const { id, event } of listeners) {
      if (seen.has(`${id} ${event}`))
        throw new PaymentsConfigurationError([twiceProblem(id, event)]);
      seen.add(`${id} ${event}`);
    }
    return listeners;
  }

  /** Returns the listeners for all accounts. */
  all(): FoundListener[] {
    return this.holders().flatMap((wrapper) => this.listenersIn(wrapper));
  }

  /**
   * @throws PaymentsConfigurationError that names each class whose listeners would not be called, would be called without what they inject, or have
   * ids that another build may give to others
   */
  check(): void {
    const problems = this.holders().flatMap((wrapper) =>
      classProblems(
        prototypeOf(wrapper) as Record<string, unknown>,
        wrapper.isNotMetatype ? null : (wrapper.metatype as Type),
      ),
    );
    if (problems.length > 0) throw new PaymentsConfigurationError([...new Set(problems)]);
  }

  /** Returns what may have listeners: each instance once, and nothing without a prototype. */
  private holders(): Wrapper[] {
    const wrappers = [...this.discovery.getProviders(), ...this.discovery.getControllers()].filter(
      (wrapper) => !wrapper.isAlias,
    );
    return wrappers.filter(
      (wrapper) => prototypeOf(wrapper) !== null && !isGivenAgain(wrapper, wrappers),
    );
  }

  private listenersIn(wrapper: Wrapper): FoundListener[] {
    const prototype = prototypeOf(wrapper) as Record<string, Method>;
    return this.scanner
      .getAllMethodNames(prototype)
      .flatMap((name) =>
        listenerMarks(prototype[name] as Method).map((mark) =>
          this.toListener(wrapper, prototype, name, mark),
        ),
      );
  }

  private toListener(
    wrapper: Wrapper,
    prototype: object,
    method: string,
    { id, event, account, transactional }: ListenerMark,
  ): FoundListener {
    return {
      id: id ?? `${prototype.constructor.name}.${method}`,
      ...(id === undefined && { isNamedByCode: true }),
      ...(account !== undefined && { account }),
      event,
      isTransactional: transactional === true,
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
  constructor(private readonly discovery: DiscoveryService) {}

  /** Returns one listener for each event; an empty list when the host has no event emitter module. */
  listeners(): Listener[] {
    const emitter = this.optional(EventEmitter2, 'emitAsync');
    if (!emitter) return [];
    const watcher = this.optional(EventEmitterReadinessWatcher, 'waitUntilReady');
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

  /**
   * The host may have its own copy of @nestjs/event-emitter, whose classes have only the names of those that we import, and so may others.
   * @param method what we call
   */
  private optional<T>(
    type: abstract new (...args: never[]) => T,
    method: keyof T & string,
  ): T | null {
    const found = this.discovery
      .getProviders()
      .filter(({ token }) => typeof token === 'function' && token.name === type.name)
      .map(({ instance }) => instance as T | null)
      .find((instance) => typeof instance?.[method] === 'function');
    return found ?? null;
  }
}
