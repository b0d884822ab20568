/** A till number, or an online payment account number, which starts with `K` (spec 4.10). A string: zeros may lead. */
export function isTillNumber(text: unknown): text is string {
  return typeof text === 'string' && /^K?\d{1,20}$/.test(text);
}

/** The other numbers that the platform uses for the same till: `{ K000123: '514459' }`. */
export type TillAliases = Readonly<Record<string, string>>;

/** Every number of the till that a number belongs to by these aliases: the given one first. */
export function joinedTills(tillNumber: string, aliases: TillAliases): string[] {
  const given = tillNumber.trim();
  const till = canonical(given, aliases);
  const others = Object.keys(aliases).filter((alias) => aliases[alias] === till);
  return [...new Set([given, till, ...others])];
}

/**
 * Whether a number belongs to a till that is known by some numbers: one of them, or joined to one by today's aliases.
 * Aliases are applied here, when two numbers are compared, and never to what is stored: an alias that is added, changed
 * or removed later cannot change what a stored number meant.
 */
export function isSameTill(
  tillNumber: string,
  known: readonly string[],
  aliases: TillAliases,
): boolean {
  const given = tillNumber.trim();
  if (known.includes(given)) return true;
  const till = canonical(given, aliases);
  return known.some((number) => canonical(number, aliases) === till);
}

function canonical(tillNumber: string, aliases: TillAliases): string {
  return Object.hasOwn(aliases, tillNumber) ? (aliases[tillNumber] as string) : tillNumber;
}
