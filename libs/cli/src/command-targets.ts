import { databaseName } from '@tillkit/postgres';
import { oneName, shownAccount } from './account-names.js';
import type { DatabaseOptions, Invocation } from './command.options.js';
import { connectionOf, withStore } from './store-connection.js';

/** Returns the database, and its schema if it has another one than usual. */
export function databaseTarget(
  { environment }: Pick<Invocation, 'environment'>,
  { url, schema }: DatabaseOptions,
): string {
  const connectionString = connectionOf({ url }, environment);
  const name = `the database ${databaseName({ connectionString, schema })}`;
  return schema === undefined ? name : `${name}, schema "${schema}"`;
}

/** Returns the database, and the account as the store has it: `--account` may be left out. */
export async function accountTarget(
  invocation: Pick<Invocation, 'environment'>,
  options: DatabaseOptions & { account?: string },
): Promise<string> {
  const database = databaseTarget(invocation, options);
  const account = await withStore(invocation, options, (store) => oneName(store, options.account));
  return `${shownAccount(account)} in ${database}`;
}

export function allAccountsTarget(
  invocation: Pick<Invocation, 'environment'>,
  options: DatabaseOptions,
): string {
  return `${shownAccount(null)} in ${databaseTarget(invocation, options)}`;
}
