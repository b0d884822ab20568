/** Some accounts: these, or all but these. */
export type AccountScope = readonly string[] | { readonly allBut: readonly string[] };

/** Whether a scope has an account. */
export function includes(scope: AccountScope, account: string): boolean {
  return 'allBut' in scope ? !scope.allBut.includes(account) : scope.includes(account);
}
