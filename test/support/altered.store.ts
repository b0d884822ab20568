import type { PaymentsStore } from '@tillkit/payments/internal/store';

type Method = (...args: never[]) => unknown;

/** For each method of a store: a function that gets the original method and returns the one to call instead. */
export type Alterations = {
  [Port in keyof PaymentsStore]?: {
    [Name in keyof PaymentsStore[Port]]?: PaymentsStore[Port][Name] extends Method
      ? (original: PaymentsStore[Port][Name]) => PaymentsStore[Port][Name]
      : never;
  };
};

/** Replaces methods of this store, so that a test can observe them or make them fail. */
export function altered<Store extends PaymentsStore>(
  store: Store,
  alterations: Alterations,
): Store {
  for (const [port, methods] of Object.entries(alterations)) {
    const target = store[port as keyof PaymentsStore] as unknown as Record<string, Method>;
    for (const [name, alter] of Object.entries(methods)) {
      const original = target[name] as Method;
      target[name] = (alter as (original: Method) => Method)(original.bind(target));
    }
  }
  return store;
}
