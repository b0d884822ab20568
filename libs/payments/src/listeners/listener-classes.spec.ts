import { Inject, Injectable, type Type } from '@nestjs/common';
import { describe, expect, it } from '@jest/globals';
import { classProblems } from './listener-classes.js';
import { OnPaymentEvent, type OnPaymentEventOptions } from './on-payment-event.decorator.js';

const EVENT = 'payment.succeeded';

/** Decorates a method as a build without decorator metadata does. */
function listening<Class extends Type<{ paid(): void }>>(
  type: Class,
  options?: OnPaymentEventOptions,
): Class {
  const descriptor = Object.getOwnPropertyDescriptor(type.prototype, 'paid');
  OnPaymentEvent(EVENT, options)(type.prototype as object, 'paid', descriptor as never);
  return type;
}

const problemsOf = (type: Type): string[] =>
  classProblems(type.prototype as Record<string, unknown>, type);

class Base {
  @OnPaymentEvent(EVENT)
  paid(): void {}
}

describe('A class with a listener has no problem', () => {
  it('when its method is the decorated one, also an inherited one', () => {
    expect(problemsOf(Base)).toEqual([]);
    expect(problemsOf(class Orders extends Base {})).toEqual([]);
  });

  it('when its method overrides another listener and is decorated itself', () => {
    class Orders extends Base {
      @OnPaymentEvent('payment.failed')
      override paid(): void {}
    }
    expect(problemsOf(Orders)).toEqual([]);
  });
});

describe('A listener that would not be called is named', () => {
  it('when a method without a decorator overrides it', () => {
    class Orders extends Base {
      override paid(): void {}
    }
    class Shop extends Orders {}
    for (const type of [Orders, Shop])
      expect(problemsOf(type)).toEqual([
        expect.stringMatching(
          /^Orders\.paid is not called for payment\.succeeded, because it overrides Base\.paid and lacks its decorator: write @OnPaymentEvent\('payment\.succeeded'\) on it/,
        ),
      ]);
  });

  it('when another decorator has replaced the method', () => {
    const Logged: MethodDecorator = (_target, _name, descriptor) => ({
      ...descriptor,
      value: (() => undefined) as never,
    });
    class Orders {
      @Logged
      @OnPaymentEvent(EVENT)
      paid(): void {}
    }
    class Mails {
      @OnPaymentEvent(EVENT)
      @Logged
      paid(): void {}
    }
    expect(problemsOf(Orders)).toEqual([
      expect.stringMatching(
        /^Orders\.paid is not called .* another decorator has replaced .* as the first of its decorators$/,
      ),
    ]);
    expect(problemsOf(Mails)).toEqual([]);
  });
});

describe('The name of a class that a build has made', () => {
  const renamed = (name: string, options?: OnPaymentEventOptions): Type => {
    class Orders {
      paid(): void {}
    }
    Object.defineProperty(Orders, 'name', { value: name });
    return listening(Orders, options);
  };

  it.each([
    ['', 'has no name'],
    ['default', 'has no name'],
    ['default_1', 'has no name'],
    ['o', 'is named "o", as a minifier'],
    ['$e', 'is named "\\$e", as a minifier'],
  ])('is refused when it is "%s"', (name, why) => {
    expect(problemsOf(renamed(name))).toEqual([
      expect.stringMatching(
        new RegExp(`another build .*the class ${why}.*\\{ id: '\\.\\.\\.' \\}`),
      ),
    ]);
  });

  it.each(['Fee', 'Orders2', 'PaymentsV2', 'Default'])('is allowed when it is "%s"', (name) => {
    expect(problemsOf(renamed(name))).toEqual([]);
  });

  it('does not matter when a person has written the id', () => {
    expect(problemsOf(renamed('o', { id: 'orders.paid' }))).toEqual([]);
  });
});

describe('A class with a listener and without decorator metadata', () => {
  it('is refused when its constructor takes what nothing names', () => {
    class Orders {
      constructor(
        readonly one: unknown,
        readonly other: unknown,
      ) {}
      paid(): void {}
    }
    expect(problemsOf(listening(Orders))).toEqual([
      expect.stringMatching(
        /^the class Orders has listeners, and its constructor would get undefined as parameter 1 and 2: .*tsx, esbuild and Vite 7.*@Inject\(PaymentsService\).*emitDecoratorMetadata/,
      ),
    ]);
    Inject('ONE')(Orders, undefined, 0);
    expect(problemsOf(Orders)).toEqual([expect.stringMatching(/undefined as parameter 2: /)]);
    Inject('OTHER')(Orders, undefined, 1);
    expect(problemsOf(Orders)).toEqual([]);
  });

  it('is none of ours when it has no listener, or when a factory makes it', () => {
    class Orders {
      constructor(readonly one: unknown) {}
      paid(): void {}
    }
    expect(problemsOf(Orders)).toEqual([]);
    listening(Orders);
    expect(classProblems(Orders.prototype as never, null)).toEqual([]);
  });

  it('is allowed when the constructor takes nothing that Nest must inject', () => {
    class Orders {
      constructor(readonly now = Date.now) {}
      paid(): void {}
    }
    expect(problemsOf(listening(Orders))).toEqual([]);
  });

  it('is another class than one whose metadata the build has kept', () => {
    @Injectable()
    class Orders {
      constructor(readonly base: Base) {}
      @OnPaymentEvent(EVENT)
      paid(): void {}
    }
    expect(problemsOf(Orders)).toEqual([]);
  });
});
