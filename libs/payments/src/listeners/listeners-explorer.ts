import { Injectable, type Type } from '@nestjs/common';
import { ContextIdFactory, DiscoveryService, MetadataScanner, ModuleRef } from '@nestjs/core';
import { PaymentsConfigurationError } from '../payments.errors.js';
import { listenerMarks, type ListenerMark } from './on-payment-event.decorator.js';
import type { PaymentsEventName } from '../store/payments.events.js';

/** A listener of the host. */
export interface Listener {
  id: string;
  event: PaymentsEventName;
  /** Whether a call that failed is not repeated. */
  once?: boolean;
  /** Resolves when the listener can be called. A failure before that is always repeated. */
  ready?(): Promise<void>;
  call(payload: unknown): Promise<void>;
}

type Method = (payload: unknown) => unknown;
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
      call: async (payload) => {
        const instance = await this.instanceOf(wrapper, payload);
        await (instance[method] as Method).call(instance, payload);
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

/** Whether a factory or value provider has the same instance as another provider, so that its listeners are already found. */
function isGivenAgain(wrapper: Wrapper, wrappers: readonly Wrapper[]): boolean {
  if (!wrapper.isNotMetatype || !prototypeOf(wrapper)) return false;
  const { instance } = wrapper as { instance: unknown };
  const same = wrappers.filter((other) => other.instance === instance);
  return (same.find((other) => !other.isNotMetatype) ?? same[0]) !== wrapper;
}

/** The prototype of a class provider, or of the instance of a factory or value provider; null when there is none. */
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
