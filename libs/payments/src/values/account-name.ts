const ACCOUNT = /^[A-Za-z0-9_-]{1,64}$/;

/** Whether a text can be the name of an account. */
export function isAccountName(text: string): boolean {
  return ACCOUNT.test(text);
}
