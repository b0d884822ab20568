import type { PaymentsEventName, PaymentsEvents } from '../payments.events.js';

const LISTENER = Symbol('tillkit:listener');

/** Metadata that `@OnPaymentEvent` adds to a method. */
export interface ListenerMark {
  event: PaymentsEventName;
  id?: string;
  account?: string;
  transactional?: boolean;
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
  /**
   * Calls the method with a transaction of your database library, which it gets as its second parameter. That the call was made is committed
   * in the same transaction, so what the method writes in it happens exactly once. When the method fails, all of it is rolled
   * back. Needs the option `transactions`, and the store in the same PostgreSQL database. @default false
   */
  transactional?: boolean;
}

/**
 * Makes a method of a provider a listener for an event. The dispatcher calls each listener at least once for each event: usually
 * once, and again with the same `eventId` after an error, a timeout or a crash. When all repeats fail, the call becomes a dead
 * letter. A method with a wrong parameter type does not compile.
 * @throws PaymentsConfigurationError at start when two listeners of one event have the same id
 * @example
 * \@OnPaymentEvent('payment.succeeded')
 * async mailReceipt({ payment, eventId }: PaymentsEvents['payment.succeeded']) { ... }
 *
 * // An effect in your own database, exactly once:
 * \@OnPaymentEvent('payment.succeeded', { transactional: true })
 * async markPaid({ payment }: PaymentsEvents['payment.succeeded'], manager: EntityManager) { ... }
 * @see docs/events.md
 * @publicApi
 */
export function OnPaymentEvent<K extends PaymentsEventName>(
  event: K,
  options: OnPaymentEventOptions & { transactional: true },
): ListenerDecorator<(event: PaymentsEvents[K], transaction: never) => unknown>;
export function OnPaymentEvent<K extends PaymentsEventName>(
  event: K,
  options?: OnPaymentEventOptions,
): ListenerDecorator<(event: PaymentsEvents[K]) => unknown>;
export function OnPaymentEvent(
  event: PaymentsEventName,
  options: OnPaymentEventOptions = {},
): ListenerDecorator<(event: never) => unknown> {
  return (_target, _method, descriptor) => {
    const listener = descriptor.value as object;
    const mark: ListenerMark = { event, ...options };
    Reflect.defineMetadata(LISTENER, [...listenerMarks(listener), mark], listener);
  };
}

/** Decorates a method that takes these parameters, or fewer of them. */
type ListenerDecorator<Listener> = <M extends Listener>(
  target: object,
  method: string | symbol,
  descriptor: TypedPropertyDescriptor<M>,
) => void;

export function listenerMarks(method: object): ListenerMark[] {
  return (Reflect.getOwnMetadata(LISTENER, method) ?? []) as ListenerMark[];
}
