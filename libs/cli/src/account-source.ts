import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { AddedAccountOptions } from '@tillkit/payments';
import { UsageError } from './command.errors.js';

/** Loads the options of an account, as the `PaymentsAccountsSource` of the application does. */
export type AccountSource = (
  account: string,
) => AddedAccountOptions | null | Promise<AddedAccountOptions | null>;

/** @throws UsageError when the file is no module with such a function */
export async function readSource(path: string): Promise<AccountSource> {
  const { default: source } = await imported(path);
  if (typeof source === 'function') return source as AccountSource;
  throw new UsageError(
    `--source ${path} has no default export that is a function: write ` +
      'export default async (account) => ({ clientId, clientSecret, apiKeys, tillNumber }).',
  );
}

async function imported(path: string): Promise<{ default?: unknown }> {
  try {
    return (await import(pathToFileURL(resolve(path)).href)) as { default?: unknown };
  } catch (error) {
    throw new UsageError(`--source ${path} cannot be imported: ${String(error)}`);
  }
}
