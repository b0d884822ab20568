import type { AccountScope } from '@tillkit/payments/store';

/** A scope as statements take it: names, and whether they are the accounts that it does not have. */
export function namesAndMeaning(
  scope: AccountScope,
): [names: readonly string[], isAllBut: boolean] {
  return 'allBut' in scope ? [scope.allBut, true] : [scope, false];
}
