import { PostgresStore } from '@tillkit/postgres';
import { oneName } from './account-names.js';
import type { AccountOptions, DatabaseOptions, Invocation } from './command.options.js';

/**
 * Returns a store for a command. It changes no schema and makes no account known. It reserves no till and gives none up, because the owner of a till
 * may be another account by now.
 */
function openStore(
  { url, schema }: DatabaseOptions,
  environment: NodeJS.ProcessEnv,
  connectTimeoutMs = 5_000,
): PostgresStore {
  const store = new PostgresStore({
    connectionString: connectionOf({ url }, environment),
    schema,
    poolSize: 2,
    migrate: false,
    connectTimeoutMs,
  });
  store.accounts.claim = () => Promise.resolve([]);
  store.accounts.noteStarts = () => Promise.resolve();
  return store;
}

export function connectionOf(
  { url }: DatabaseOptions,
  environment: NodeJS.ProcessEnv,
): string | undefined {
  return url ?? environment['PAYMENTS_DATABASE_URL'];
}

/** Works on the store, and closes it. */
export async function withStore<T>(
  { environment }: Pick<Invocation, 'environment'>,
  options: DatabaseOptions,
  work: (store: PostgresStore) => Promise<T>,
  connectTimeoutMs?: number,
): Promise<T> {
  const store = openStore(options, environment, connectTimeoutMs);
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

/** Works on the store for the account of a command, as {@link oneName} finds it. */
export function withAccountStore<T>(
  invocation: Invocation,
  options: AccountOptions,
  work: (store: PostgresStore, account: string) => Promise<T>,
): Promise<T> {
  return withStore(invocation, options, async (store) =>
    work(store, await oneName(store, options.account)),
  );
}
