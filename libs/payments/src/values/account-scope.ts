/** Some accounts: these, or all but these. */
export type AccountScope = readonly string[] | { readonly allBut: readonly string[] };

/** Whether a scope has an account. */
export function includes(scope: AccountScope, account: string): boolean {
  return 'allBut' in scope ? !scope.allBut.includes(account) : scope.includes(account);
}

/** A scope without some accounts. */
export function without(scope: AccountScope, some: readonly string[]): AccountScope {
  if (some.length === 0) return scope;
  return 'allBut' in scope
    ? { allBut: [...scope.allBut, ...some] }
    : scope.filter((account) => !some.includes(account));
}
