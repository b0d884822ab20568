import { PaymentsConfigurationError, type AddedAccountOptions } from '@tillkit/payments';
import {
  DEFAULT_ACCOUNT,
  resolveAddedSettings,
  resolveSettings,
  secureUrlProblem,
  type PaymentsSettings,
} from '@tillkit/payments/internal/tools';
import { pathOf } from './account-context.js';
import { readSource } from './account-source.js';
import { CommandError, UsageError } from './command.errors.js';
import type { AccountOptions } from './command.options.js';

/** The settings of the account that is examined, as far as they can be read. */
export interface ExaminedAccount {
  name: string;
  /** Path of the routes of the application, with its prefix. */
  path: string;
  /** Null when a setting is wrong. */
  settings: PaymentsSettings | null;
  problems: readonly string[];
  /** The options that the `--source` returned; null without one. */
  added: AddedAccountOptions | null;
  /** These are known even when other settings are wrong. */
  baseUrl: string | null;
  publicUrl: string | null;
  /** The platform posts webhooks to this URL, as far as a command can know; null when no public URL is known. */
  webhookUrl: string | null;
}

/** Reads the settings as the module does. */
export async function examinedAccount(
  options: AccountOptions,
  environment: NodeJS.ProcessEnv,
): Promise<ExaminedAccount> {
  const name = options.account ?? DEFAULT_ACCOUNT;
  if (options.source !== undefined && options.account === undefined)
    throw new UsageError('--source has the options of many accounts: name one with --account.');
  if (options.source === undefined && name !== DEFAULT_ACCOUNT)
    throw new UsageError(
      `PAYMENTS_* are the settings of account "${DEFAULT_ACCOUNT}": add --source <module> for account "${name}".`,
    );
  const added =
    options.source === undefined ? null : await (await readSource(options.source))(name);
  if (options.source !== undefined && !added)
    throw new CommandError(`account "${name}": the --source returned no options for it.`);
  const path = pathOf(options, environment);
  const own = added ? `${path}/accounts/${name}` : path;
  const read = (variable: string): string | undefined => environment[variable];
  const { settings, problems } = resolved(() =>
    added
      ? resolveAddedSettings({ ...added, account: name }, read, own)
      : resolveSettings({}, read, own, Object.keys(environment)),
  );
  const publicUrl =
    settings?.publicUrl ?? usable(added?.publicUrl ?? environment['PAYMENTS_PUBLIC_URL']);
  return {
    name,
    path,
    settings,
    problems,
    added,
    baseUrl: settings?.baseUrl ?? usable(added?.baseUrl ?? environment['PAYMENTS_BASE_URL']),
    publicUrl,
    webhookUrl: publicUrl && `${publicUrl.replace(/\/+$/, '')}/${own}/webhooks`,
  };
}

function resolved(resolve: () => PaymentsSettings): Pick<ExaminedAccount, 'settings' | 'problems'> {
  try {
    return { settings: resolve(), problems: [] };
  } catch (error) {
    if (error instanceof PaymentsConfigurationError)
      return { settings: null, problems: error.problems };
    throw error;
  }
}

function usable(url: string | undefined): string | null {
  const text = url?.trim();
  return text && secureUrlProblem(text) === null ? text : null;
}
