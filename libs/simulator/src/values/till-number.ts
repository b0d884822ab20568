/** True for the number of a till or of an online payment account (K…). It is a string because of leading zeros. */
export function isTillNumber(value: unknown): boolean {
  return typeof value === 'string' && /^K?\d+$/.test(value);
}
