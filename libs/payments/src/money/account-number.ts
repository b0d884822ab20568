/** What people write an account with. Any other sign is invisible, or makes an account of one that looks the same. */
const WRITTEN = /^[\p{L}\p{N} ./-]*$/u;

/** Why a text is no number or id of an account; null when it is one. */
export function accountProblem(value: unknown): string | null {
  if (typeof value !== 'string' || value.trim() === '') return 'must be filled in';
  if (!WRITTEN.test(value.trim().normalize('NFKC')))
    return 'must have only letters, digits, blanks, hyphens, dots and slashes: type it, a copy may have invisible characters';
  return plainAccount(value) === '' ? 'must have a letter or a digit' : null;
}

/** By what an account is recognised, however its number or id is written: people group digits, and paste wide ones or letters of another case. */
export function plainAccount(written: string): string {
  return written
    .normalize('NFKC')
    .replace(/[^\p{L}\p{N}]/gu, '')
    .toLowerCase();
}

/** By what a till or paybill number is recognised: also without its `K` and its leading zeros, in any order. */
export function plainShortCode(written: string): string {
  return plainAccount(written).replace(/^0*k?0*(?=\d)/, '');
}
