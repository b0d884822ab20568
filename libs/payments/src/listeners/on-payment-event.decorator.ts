import { PaymentsConfigurationError } from '../payments.errors.js';
import { EVENT_NAMES, type PaymentsEventName, type PaymentsEvents } from '../payments.events.js';
import { PAYMENTS_VERSION } from '../payments-version.js';
import { nearest } from '../runtime/nearest-name.js';
import { copiesProblem } from '../runtime/other-copies.js';

/** Every copy of this package has the same key, so that it finds what another copy has marked. */
const LISTENER = Symbol.for('tillkit:listener');

/** The form of what stands under the key. Another form has another number, so that no copy misreads it. */
const FORM = 1;

interface Marked<T> {
  form: number;
  version: string;
  marks: readonly T[];
}

/** Metadata that `@OnPaymentEvent` adds to a method. */
export interface ListenerMark {
  event: PaymentsEventName;
  id?: string;
  account?: string;
  transactional?: boolean;
}

/** Metadata that `@OnPaymentEvent` adds to the class of a method: what another function in its place does not hide. */
export interface DecoratedMethod {
  method: string;
  event: PaymentsEventName;
}

/** Options of `@OnPaymentEvent`. @publicApi */
export interface OnPaymentEventOptions {
  /**
   * Id under which the store keeps the listener's calls. Set it when a bundler or a minifier builds the application, or before you rename the
   * class or the method. @default `ClassName.method`
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
 * @throws PaymentsConfigurationError when there is no such event, or when what is decorated is no method that can be called; at start when
 * two listeners of one event have the same id, when a build seems to have changed an id, or when another method hides the decorated one
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
  return (target, method, descriptor) => {
    const problem = wrongPlace(target, method, descriptor) ?? wrongEvent(event);
    if (problem !== null)
      throw new PaymentsConfigurationError([
        `@OnPaymentEvent('${String(event)}') of ${placeOf(target, method)} ${problem}`,
      ]);
    mark<ListenerMark>(descriptor.value as object, { event, ...options });
    mark<DecoratedMethod>(target, { method: method as string, event });
  };
}

/** Decorates a method that takes these parameters, or fewer of them. */
type ListenerDecorator<Listener> = <M extends Listener>(
  target: object,
  method: string | symbol,
  descriptor: TypedPropertyDescriptor<M>,
) => void;

/**
 * Returns the marks of a method.
 * @throws PaymentsConfigurationError when another version of this package has marked it in a form that this one cannot read
 */
export function listenerMarks(method: object): readonly ListenerMark[] {
  return marksOf<ListenerMark>(method);
}

/**
 * Returns the methods that are decorated in a class itself, not in one that it extends.
 * @throws PaymentsConfigurationError as `listenerMarks`
 */
export function decoratedMethods(prototype: object): readonly DecoratedMethod[] {
  return marksOf<DecoratedMethod>(prototype);
}

function mark<T>(marked: object, added: T): void {
  const marks: Marked<T> = {
    form: FORM,
    version: PAYMENTS_VERSION,
    marks: [...marksOf<T>(marked), added],
  };
  Reflect.defineMetadata(LISTENER, marks, marked);
}

function marksOf<T>(marked: object): readonly T[] {
  const found = Reflect.getOwnMetadata(LISTENER, marked) as Marked<T> | undefined;
  if (!found) return [];
  if (found.form === FORM) return found.marks;
  throw new PaymentsConfigurationError([
    copiesProblem(
      `a listener is marked by version ${found.version}, and this one, ${PAYMENTS_VERSION}, cannot read its mark`,
    ),
  ]);
}

/** Returns what is wrong with a place that is no method which we could call; null when it is one. */
function wrongPlace(
  target: object,
  method: unknown,
  descriptor: PropertyDescriptor | undefined,
): string | null {
  if (isStandardContext(method))
    return (
      'is compiled as a standard decorator, with which NestJS finds neither methods nor injected services: set ' +
      '"experimentalDecorators": true in the tsconfig.json that the build reads'
    );
  if (typeof target === 'function')
    return 'is on a static method, and listeners are called on an instance: remove "static", or move the method into a provider';
  if (typeof method === 'symbol')
    return 'is on a method whose name is a symbol, so it has no id under which the store could keep its calls: give the method a name';
  if (typeof descriptor?.value !== 'function')
    return 'is on an accessor or a property, and only methods are called: write a method, paid(event) { ... }';
  return null;
}

/** A standard decorator gets this in place of the name of the method. */
function isStandardContext(method: unknown): method is { kind: string; name: string | symbol } {
  return typeof method === 'object' && method !== null && 'kind' in method;
}

/** TypeScript refuses a name that is none; JavaScript, and `as never`, do not. */
function wrongEvent(event: string): string | null {
  if (EVENT_NAMES.includes(event as PaymentsEventName)) return null;
  const meant = nearest(String(event), EVENT_NAMES);
  return `would never be called, because there is no such event: did you mean '${meant}'?`;
}

function placeOf(target: object, method: unknown): string {
  // A standard decorator gets the method in place of the class.
  if (isStandardContext(method)) return String(method.name);
  const { name } = typeof target === 'function' ? target : target.constructor;
  return `${name}.${String(method)}`;
}
