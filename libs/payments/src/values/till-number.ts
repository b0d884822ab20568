/** A till number, or an online payment account number, which starts with `K` (spec 4.10). A string: zeros may lead. */
export function isTillNumber(text: unknown): text is string {
  return typeof text === 'string' && /^K?\d{1,20}$/.test(text);
}

/** The other numbers that the platform uses for the same till: `{ K000123: '514459' }`. */
export type TillAliases = Readonly<Record<string, string>>;

/** The one number that stands for a till after its aliases, so that two spellings of one till compare equal. */
export function canonicalTill(tillNumber: string, aliases: TillAliases): string {
  const trimmed = tillNumber.trim();
  return Object.hasOwn(aliases, trimmed) ? (aliases[trimmed] as string) : trimmed;
}
