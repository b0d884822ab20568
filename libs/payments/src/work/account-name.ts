const ACCOUNT = /^[A-Za-z0-9_-]{1,64}$/;

/** Why a value is no name of an account; null when it can be one. */
export function accountNameProblem(value: unknown): string | null {
  return typeof value === 'string' && isAccountName(value)
    ? null
    : 'must be the name of an account';
}

/** Whether a text can be the name of an account. */
export function isAccountName(text: string): boolean {
  return ACCOUNT.test(text);
}
