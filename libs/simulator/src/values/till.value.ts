/** A till number or an online payment account, which starts with K; a string: zeros may lead. */
export function isTillNumber(value: unknown): boolean {
  return typeof value === 'string' && /^K?\d+$/.test(value);
}
