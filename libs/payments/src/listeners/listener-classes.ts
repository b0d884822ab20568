import type { Type } from '@nestjs/common';
import { decoratedMethods, listenerMarks } from './on-payment-event.decorator.js';

/** Classes without a name of their own: the compiler, or nobody, has named them. */
const UNNAMED = /^(|default|default_\d+)$/;
/** A minifier gives such names, and others with the next build. */
const SHORT = /^.{1,2}$/;

/** Nest keeps here what it injects. */
const PARAMETER_TYPES = 'design:paramtypes';
const NAMED_PARAMETERS = 'self:paramtypes';

/**
 * Returns what is wrong with the class of a provider, with the cures: decorated methods that would not be called, ids that another build may
 * give to other listeners, and services that Nest cannot inject.
 * @param type the class that Nest makes; null when a factory of the host makes the instance
 */
export function classProblems(prototype: Record<string, unknown>, type: Type | null): string[] {
  const decorated = chainOf(prototype).flatMap((one) =>
    decoratedMethods(one).map((each) => ({ ...each, declaredIn: one })),
  );
  const hidden = decorated
    .filter(({ method }) => !isListener(prototype[method]))
    .map(({ method, event, declaredIn }) => hiddenProblem(prototype, declaredIn, method, event));
  const methods = new Set(decorated.map(({ method }) => method));
  const unnamed = [...methods].flatMap((method) => nameProblems(prototype, method));
  const uninjected = type && methods.size > 0 ? injectionProblems(type) : [];
  return [...hidden, ...unnamed, ...uninjected];
}

/** Returns the prototypes of a class and of those that it extends. */
function chainOf(prototype: object): object[] {
  const chain: object[] = [];
  for (
    let next: object | null = prototype;
    next !== null && next !== Object.prototype;
    next = Object.getPrototypeOf(next) as object | null
  )
    chain.push(next);
  return chain;
}

function isListener(method: unknown): boolean {
  return typeof method === 'function' && listenerMarks(method).length > 0;
}

/** Another function stands where the decorated one was, and it has no mark. */
function hiddenProblem(
  prototype: object,
  declaredIn: object,
  method: string,
  event: string,
): string {
  const hiding = chainOf(prototype).find((one) => Object.hasOwn(one, method)) ?? prototype;
  const [name, base] = [hiding.constructor.name, declaredIn.constructor.name];
  const decorator = `@OnPaymentEvent('${event}')`;
  return hiding === declaredIn
    ? `${name}.${method} is not called for ${event}, because another decorator has replaced the method that ${decorator} has marked: ` +
        `write ${decorator} as the first of its decorators`
    : `${name}.${method} is not called for ${event}, because it overrides ${base}.${method} and lacks its decorator: write ${decorator} on ` +
        `it too; if it must not listen, give it another name`;
}

function nameProblems(prototype: Record<string, unknown>, method: string): string[] {
  const { name } = prototype.constructor;
  const marks = typeof prototype[method] === 'function' ? listenerMarks(prototype[method]) : [];
  const [mark] = marks.filter(({ id }) => id === undefined);
  if (!mark || !(UNNAMED.test(name) || SHORT.test(name))) return [];
  const why = UNNAMED.test(name)
    ? 'the class has no name'
    : `the class is named "${name}", as a minifier names classes`;
  return [
    `the listener "${name}.${method}" of ${mark.event} has an id that another build may give to another listener, with the calls that wait for ` +
      `it, because ${why}: write an id that no build changes, @OnPaymentEvent('${mark.event}', { id: '...' }). If the application ran ` +
      `before it was built so, that is the old id, the class and method of your source, such as 'Orders.${method}'`,
  ];
}

/** Nest gives `undefined` where it does not know what to inject, and NestJS 11 does not say so. */
function injectionProblems(type: Type): string[] {
  if (Reflect.hasMetadata(PARAMETER_TYPES, type)) return [];
  const named = (Reflect.getMetadata(NAMED_PARAMETERS, type) ?? []) as { index: number }[];
  const unnamed = Array.from({ length: type.length }, (_, index) => index).filter(
    (index) => !named.some((each) => each.index === index),
  );
  if (unnamed.length === 0) return [];
  return [
    `the class ${type.name} has listeners, and its constructor would get undefined as parameter ${unnamed.map((index) => index + 1).join(' and ')}: ` +
      'only the type says what is injected, and this build has left out the decorator metadata with the types, as tsx, esbuild and Vite 7 ' +
      'do. With any tool, name what is injected: constructor(@Inject(PaymentsService) payments: PaymentsService). Or build with tsc ' +
      '("emitDecoratorMetadata": true) or swc ("decoratorMetadata": true; in Vite, unplugin-swc)',
  ];
}
