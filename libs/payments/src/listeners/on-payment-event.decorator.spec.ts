import { describe, expect, it } from '@jest/globals';
import { PaymentsConfigurationError } from '../payments.errors.js';
import { decoratedMethods, listenerMarks, OnPaymentEvent } from './on-payment-event.decorator.js';

const EVENT = 'payment.succeeded';

/** Another copy of a module: the same source, evaluated once more. */
const copyOf = <Module>(path: string): Promise<Module> =>
  import(new URL(`${path}?copy`, import.meta.url).href) as Promise<Module>;

/** Decorates as JavaScript does, whose compiler refuses nothing. */
const decorate = (event: string, target: object, method: unknown, descriptor?: unknown): void =>
  OnPaymentEvent(event as never)(target, method as string, descriptor as never);
const descriptorOf = (target: object, method: string | symbol): PropertyDescriptor | undefined =>
  Object.getOwnPropertyDescriptor(target, method);

class Orders {
  paid(): void {}
  get getter(): () => void {
    return this.paid;
  }
  static paid(): void {}
  [Symbol.iterator](): void {}
}

describe('@OnPaymentEvent refuses', () => {
  const { prototype } = Orders;
  const refused = (why: RegExp, ...given: Parameters<typeof decorate>): void => {
    expect(() => decorate(...given)).toThrow(PaymentsConfigurationError);
    expect(() => decorate(...given)).toThrow(why);
  };

  it('an event that does not exist, and names the one that is meant', () => {
    refused(
      /@OnPaymentEvent\('payment\.suceeded'\) of Orders\.paid .*there is no such event: did you mean 'payment\.succeeded'\?/,
      'payment.suceeded',
      prototype,
      'paid',
      descriptorOf(prototype, 'paid'),
    );
    refused(
      /@OnPaymentEvent\('undefined'\) of Orders\.paid /,
      undefined as never,
      prototype,
      'paid',
      descriptorOf(prototype, 'paid'),
    );
  });

  it('a static method', () => {
    refused(
      /Orders\.paid is on a static method.*remove "static"/,
      EVENT,
      Orders,
      'paid',
      descriptorOf(Orders, 'paid'),
    );
  });

  it('a method whose name is a symbol', () => {
    refused(
      /Orders\.Symbol\(Symbol\.iterator\) .*has no id.*give the method a name/,
      EVENT,
      prototype,
      Symbol.iterator,
      descriptorOf(prototype, Symbol.iterator),
    );
  });

  it.each([
    ['an accessor', 'getter', descriptorOf(prototype, 'getter')],
    ['a property', 'later', undefined],
  ])('%s', (_, name, descriptor) => {
    refused(
      new RegExp(`Orders\\.${name} is on an accessor or a property`),
      EVENT,
      prototype,
      name,
      descriptor,
    );
  });

  it.each([
    ['paid', false],
    ['#paid', true],
  ])('the method %s of a build with standard decorators', (name, isPrivate) => {
    const context = { kind: 'method', name, static: false, private: isPrivate };
    refused(
      new RegExp(`of ${name} is compiled as a standard decorator.*"experimentalDecorators": true`),
      EVENT,
      prototype.paid,
      context,
    );
  });
});

describe('The mark of a listener', () => {
  it('is read by every copy of the package', async () => {
    const other = await copyOf<typeof import('./on-payment-event.decorator.js')>(
      './on-payment-event.decorator.ts',
    );
    expect(other.OnPaymentEvent).not.toBe(OnPaymentEvent);
    class Listeners {
      paid(): void {}
    }
    const descriptor = descriptorOf(Listeners.prototype, 'paid') as TypedPropertyDescriptor<
      () => void
    >;
    other.OnPaymentEvent(EVENT, { id: 'orders.paid' })(Listeners.prototype, 'paid', descriptor);
    OnPaymentEvent('payment.failed')(Listeners.prototype, 'paid', descriptor);
    expect(listenerMarks(Listeners.prototype.paid)).toEqual([
      { event: EVENT, id: 'orders.paid' },
      { event: 'payment.failed' },
    ]);
    expect(decoratedMethods(Listeners.prototype)).toEqual([
      { method: 'paid', event: EVENT },
      { method: 'paid', event: 'payment.failed' },
    ]);
  });

  it('that another version has made in a form which this one cannot read is refused', () => {
    const paid = (): void => undefined;
    const mark = { form: 2, version: '9.1.0', marks: [] };
    Reflect.defineMetadata(Symbol.for('tillkit:listener'), mark, paid);
    expect(() => listenerMarks(paid)).toThrow(
      /two copies of @tillkit\/payments are installed: a listener is marked by version 9\.1\.0.*npm ls/,
    );
  });
});
