import { Injectable, type Type } from '@nestjs/common';
import { ContextIdFactory, DiscoveryService, MetadataScanner, ModuleRef } from '@nestjs/core';
import type { PaymentsEventName } from '../ledger/ledger.events.js';
import { PaymentsConfigurationError } from '../payments.errors.js';
import { listenerMarks, type ListenerMark } from './on-payment-event.decorator.js';

/** A listener of the host, ready to be called. */
export interface Listener {
  id: string;
  event: PaymentsEventName;
  /** Whether it is not called again after a failure. */
  once?: boolean;
  /** Resolves when it can be called. What fails before that is repeated, also for one that is called once. */
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

  /** @throws PaymentsConfigurationError when two listeners would be remembered under one id */
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

  /** A request-scoped listener gets an instance of its own for each event, with the event as its REQUEST. */
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

/** Whether a factory or a value gives, under another name, what another provider is or gave before. */
function isGivenAgain(wrapper: Wrapper, wrappers: readonly Wrapper[]): boolean {
  if (!wrapper.isNotMetatype || !prototypeOf(wrapper)) return false;
  const { instance } = wrapper as { instance: unknown };
  const same = wrappers.filter((other) => other.instance === instance);
  return (same.find((other) => !other.isNotMetatype) ?? same[0]) !== wrapper;
}

/** Of the class that a provider is; of what a factory or a value gave, its own. */
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
    `two listeners of ${event} are both called "${id}", so one would pass for the other: give one of them a name of ` +
    `its own, @OnPaymentEvent('${event}', { id: '${id}.2' })`
  );
}
