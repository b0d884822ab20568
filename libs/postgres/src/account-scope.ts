import type { AccountScope } from '@tillkit/payments/internal/store';

/** Returns a scope as a statement takes it: names, and true when these are the accounts that the scope excludes. */
export function namesAndMeaning(
  scope: AccountScope,
): [names: readonly string[], isAllBut: boolean] {
  return 'allBut' in scope ? [scope.allBut, true] : [scope, false];
}
