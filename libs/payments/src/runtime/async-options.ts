import type { DynamicModule } from '@nestjs/common';

/** What gives the options of a module later. */
interface Sources {
  useFactory?: unknown;
  useClass?: unknown;
  useExisting?: unknown;
}

/** The options of a `forRootAsync()`, with what gives them. Those of Nest's builder may have nothing that does. */
export type WithSource<T extends Sources> = T &
  (
    | Required<Pick<T, 'useFactory'>>
    | Required<Pick<T, 'useClass'>>
    | Required<Pick<T, 'useExisting'>>
  );

/** The class of Nest's builder, as the base of a class whose asynchronous method needs something that gives the options. */
export type BaseWithSource<
  Class,
  Method extends keyof Class,
  Options extends Sources,
> = (new () => object) &
  Omit<Class, Method> &
  Record<Method, (options: WithSource<Options>) => DynamicModule>;

/**
 * Says that nothing gives the options; null when something does. Without this check, JavaScript hears from Nest that it cannot resolve `undefined`.
 * @param call the call, and the one that needs no source
 */
export function sourceProblem(
  call: readonly [called: string, without: string],
  options: Sources | undefined,
): string | null {
  const { useFactory, useClass, useExisting } = options ?? {};
  return (useFactory ?? useClass ?? useExisting)
    ? null
    : `${call[0]} has nothing that gives the options: add useFactory, useClass or useExisting, or call ${call[1]}`;
}
