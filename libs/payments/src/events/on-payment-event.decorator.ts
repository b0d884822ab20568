import type { PaymentsEventName, PaymentsEvents } from '../ledger/ledger.events.js';

const LISTENER = Symbol('tillkit:listener');

/** What `@OnPaymentEvent` wrote on a method. */
export interface ListenerMark {
  event: PaymentsEventName;
  id?: string;
  account?: string;
}

/** @publicApi */
export interface OnPaymentEventOptions {
  /**
   * What the listener's success is remembered under. Set it where class names are minified, or before renaming a class or
   * method while events are under way. @default `ClassName.method`
   */
  id?: string;
  /** Account whose events are meant, where there are several. @default every account */
  account?: string;
}

/**
 * Calls a method of a provider for each event of a name, until it has succeeded once: at least once, usually once, each
 * listener on its own. A listener that throws is called again later; one that keeps failing becomes a dead letter. A
 * parameter of another type does not compile.
 * @example
 * \@OnPaymentEvent('payment.succeeded')
 * async markPaid({ payment, eventId }: PaymentsEvents['payment.succeeded']) { ... }
 * @publicApi
 */
export function OnPaymentEvent<K extends PaymentsEventName>(
  event: K,
  options: OnPaymentEventOptions = {},
) {
  return <M extends (event: PaymentsEvents[K]) => unknown>(
    _target: object,
    _method: string | symbol,
    descriptor: TypedPropertyDescriptor<M>,
  ): void => {
    const listener = descriptor.value as object;
    const mark: ListenerMark = { event, ...options };
    Reflect.defineMetadata(LISTENER, [...listenerMarks(listener), mark], listener);
  };
}

/** The marks of a method, in the order in which they are read from top to bottom. */
export function listenerMarks(method: object): ListenerMark[] {
  return (Reflect.getOwnMetadata(LISTENER, method) ?? []) as ListenerMark[];
}
