import type { PaymentsEventName, PaymentsEvents } from '../payments.events.js';

const LISTENER = Symbol('tillkit:listener');

/** Metadata that `@OnPaymentEvent` adds to a method. */
export interface ListenerMark {
  event: PaymentsEventName;
  id?: string;
  account?: string;
}

/** Options of `@OnPaymentEvent`. @publicApi */
export interface OnPaymentEventOptions {
  /**
   * Id under which the store keeps the listener's calls. Set it when class names are minified, or before you rename the class or
   * the method. @default `ClassName.method`
   */
  id?: string;
  /** Account whose events the listener receives. @default every account */
  account?: string;
}

/**
 * Makes a method of a provider a listener for an event. The dispatcher calls each listener at least once for each event: usually
 * once, and again with the same `eventId` after an error, a timeout or a crash. When all repeats fail, the call becomes a dead
 * letter. A method with a wrong parameter type does not compile.
 * @throws PaymentsConfigurationError at start when two listeners of one event have the same id
 * @example
 * \@OnPaymentEvent('payment.succeeded')
 * async markPaid({ payment, eventId }: PaymentsEvents['payment.succeeded']) { ... }
 * @see docs/events.md
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

export function listenerMarks(method: object): ListenerMark[] {
  return (Reflect.getOwnMetadata(LISTENER, method) ?? []) as ListenerMark[];
}
