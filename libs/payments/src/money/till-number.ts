/**
 * True for a till number, or an online payment account number, which starts with `K`. It is a string, because a till number may have
 * leading zeros.
 * @see docs/conformance.md#incoming-payments
 */
export function isTillNumber(text: unknown): text is string {
  return typeof text === 'string' && /^K?\d{1,20}$/.test(text);
}

/** Says why a value is no till number; null when it is one. */
export function tillNumberProblem(value: unknown): string | null {
  if (isTillNumber(value)) return null;
  return typeof value === 'number'
    ? `must be a text, not a number: write '${value}' in quotes, because a till number may begin with 0`
    : 'must be digits, or K and digits for an online payment account';
}

/** Maps each other number that the platform uses for a till to the till's own number: `{ K000123: '514459' }`. */
export type TillAliases = Readonly<Record<string, string>>;

/** Returns all numbers of the till that a number belongs to, by these aliases. The given number comes first. */
export function joinedTills(tillNumber: string, aliases: TillAliases): string[] {
  const given = tillNumber.trim();
  const till = ownNumberOf(given, aliases);
  const others = Object.keys(aliases).filter((alias) => aliases[alias] === till);
  return [...new Set([given, till, ...others])];
}

/**
 * True when a number belongs to the till that has the known numbers: it is one of them, or today's aliases join it to one. Aliases are
 * applied here, when two numbers are compared, and never to a stored number. So a stored number keeps its meaning when somebody adds,
 * changes or removes an alias later.
 */
export function isSameTill(
  tillNumber: string,
  numbers: readonly string[],
  aliases: TillAliases,
): boolean {
  const till = plainNumber(ownNumberOf(tillNumber.trim(), aliases));
  return numbers.some((number) => plainNumber(ownNumberOf(number, aliases)) === till);
}

/** Returns a number without its `K`: the platform writes one number with and without it. `record_alone` of the PostgreSQL store says the same. */
export function plainNumber(tillNumber: string): string {
  return tillNumber.replace(/^[Kk](?=\d)/, '');
}

/** Returns a number with and without its `K`. */
export function formsOfTill(tillNumber: string): string[] {
  const plain = plainNumber(tillNumber);
  return [plain, `K${plain}`];
}

/** Returns the till's own number, by these aliases, with or without their `K`; a number that is no alias is its own. */
export function ownNumberOf(tillNumber: string, aliases: TillAliases): string {
  if (Object.hasOwn(aliases, tillNumber)) return aliases[tillNumber] as string;
  const plain = plainNumber(tillNumber);
  const alias = Object.keys(aliases).find((each) => plainNumber(each) === plain);
  return alias === undefined ? tillNumber : (aliases[alias] as string);
}

/**
 * True when money of a till may concern an account. The platform reports the money of all tills of a company; an account that lists its
 * tills must neither keep nor show the money of other tills.
 */
export function isOwnTill(
  { tills, tillAliases }: { tills: readonly string[]; tillAliases: TillAliases },
  tillNumber: string | null,
): boolean {
  return tills.length === 0 || tillNumber === null || isSameTill(tillNumber, tills, tillAliases);
}
