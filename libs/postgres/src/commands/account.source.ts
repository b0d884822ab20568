import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { AddedAccountOptions } from '@tillkit/payments';
import { UsageError } from './command.context.js';

/** Loads the options of an account, as the `PaymentsAccountsSource` of the application does. */
export type AccountSource = (
  account: string,
) => AddedAccountOptions | null | Promise<AddedAccountOptions | null>;

/** @throws UsageError when the file is no module with such a function */
export async function readSource(path: string): Promise<AccountSource> {
  const module = await import(pathToFileURL(resolve(path)).href).catch((error: unknown) => {
    throw new UsageError(`--source ${path} cannot be imported: ${String(error)}`);
  });
  const { default: source } = module as { default?: unknown };
  if (typeof source === 'function') return source as AccountSource;
  throw new UsageError(
    `--source ${path} has no default export that is a function: write ` +
      'export default async (account) => ({ clientId, clientSecret, apiKeys, tillNumber }).',
  );
}
