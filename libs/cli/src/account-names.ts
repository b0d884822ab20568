import type { PaymentsStore } from '@tillkit/payments';
import { DEFAULT_ACCOUNT } from '@tillkit/payments/internal/tools';
import { UsageError } from './command.errors.js';

/** Names that an error lists. */
const MOST_NAMED = 10;

/** Returns the names of all accounts that the store knows, or of those among them. */
export async function knownNames(
  store: PaymentsStore,
  among?: readonly string[],
): Promise<string[]> {
  const names: string[] = [];
  for (let after: string | null = ''; after !== null;) {
    const page = await store.accounts.list({ ...(among && { among }) }, { limit: 200, after });
    names.push(...page.items);
    after = page.next;
  }
  return names;
}

/**
 * Returns the account that a command is for.
 * @throws UsageError when the store does not know it, or knows several and none is named
 */
export async function oneName(store: PaymentsStore, wanted: string | undefined): Promise<string> {
  if (wanted !== undefined) {
    if ((await knownNames(store, [wanted])).includes(wanted)) return wanted;
    throw unseen(wanted, await knownNames(store));
  }
  const names = await knownNames(store);
  if (names.length === 0 || names.includes(DEFAULT_ACCOUNT)) return DEFAULT_ACCOUNT;
  if (names.length === 1) return names[0] as string;
  throw new UsageError(`the store has several accounts: add --account with ${listed(names)}.`);
}

export function unseen(account: string, others: readonly string[]): UsageError {
  const cure =
    others.length === 0
      ? 'it knows none yet; is this the database and the --schema of the application?'
      : `it knows ${listed(others)}: name one of these with --account.`;
  return new UsageError(`the store has never seen account "${account}"; ${cure}`);
}

/** Returns an account in words; null: all of them. */
export function shownAccount(account: string | null): string {
  return account === null ? 'all accounts' : `account "${account}"`;
}

function listed(names: readonly string[]): string {
  const quoted = names.map((name) => `"${name}"`);
  return firstOf(quoted, MOST_NAMED);
}

/** Returns the first texts of a list, and how many more there are. */
export function firstOf(texts: readonly string[], most: number): string {
  const more = texts.length > most ? ` and ${texts.length - most} more` : '';
  return `${texts.slice(0, most).join(', ')}${more}`;
}
