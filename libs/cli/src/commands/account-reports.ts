import {
  ReconciliationService,
  StoreUnavailableError,
  type PaymentsAccounts,
  type PaymentsStore,
  type ReconciliationReport,
} from '@tillkit/payments';
import { DEFAULT_ACCOUNT } from '@tillkit/payments/internal/tools';
import { withAccounts, withDefaultAccount, withoutCredentials } from '../account-context.js';
import { knownNames, unseen } from '../account-names.js';
import { readSource, type AccountSource } from '../account-source.js';
import type { DatabaseOptions, Invocation } from '../command.options.js';
import { withStore } from '../store-connection.js';
import type { AccountReport } from './report-formats.js';

interface Window {
  from: Date;
  to: Date;
}

interface Reports {
  reports: AccountReport[];
  /** Each text names an account that could not be compared, and says why. */
  failures: string[];
}

/**
 * Returns the report of each account.
 * @param wanted the names; when it is empty, all accounts that the store knows if there is a source, else the account of `PAYMENTS_*`
 * @throws UsageError when the store does not know an account, or nobody has its credentials
 */
export async function reportsOf(
  window: Window,
  wanted: readonly string[],
  options: DatabaseOptions & { source?: string },
  invocation: Invocation,
): Promise<Reports> {
  const load = options.source === undefined ? null : await readSource(options.source);
  return withStore(invocation, options, async (store) => {
    const names = await chosen(store, wanted, load !== null);
    return load
      ? withSource(store, names, window, { load, areNamed: wanted.length > 0 }, invocation)
      : withEnvironment(store, window, invocation);
  });
}

async function chosen(
  store: PaymentsStore,
  wanted: readonly string[],
  hasSource: boolean,
): Promise<string[]> {
  if (hasSource && wanted.length === 0) return knownNames(store);
  const names = wanted.length > 0 ? [...new Set(wanted)] : [DEFAULT_ACCOUNT];
  const named = names.find((name) => name !== DEFAULT_ACCOUNT);
  const seen = await knownNames(store, names);
  const unseenName = names.find((name) => !seen.includes(name));
  const others = unseenName === undefined ? [] : await knownNames(store);
  if (unseenName !== undefined && (wanted.length > 0 || others.length > 0))
    throw unseen(unseenName, others);
  if (hasSource || named === undefined) return names;
  throw withoutCredentials(named);
}

/** Returns the account of `PAYMENTS_*`, as the application has it. */
async function withEnvironment(
  store: PaymentsStore,
  window: Window,
  { environment }: Invocation,
): Promise<Reports> {
  const report = await withDefaultAccount({ store, environment }, (context) =>
    context.get(ReconciliationService).report(window),
  );
  return { reports: [{ account: DEFAULT_ACCOUNT, ...report }], failures: [] };
}

/** Reads one account after the other, because each reads a list of the platform. One that fails does not keep the others from their report. */
async function withSource(
  store: PaymentsStore,
  names: readonly string[],
  window: Window,
  { load, areNamed }: { load: AccountSource; areNamed: boolean },
  { environment, output }: Invocation,
): Promise<Reports> {
  const reports: AccountReport[] = [];
  const failures: string[] = [];
  await withAccounts({ store, environment }, (accounts) =>
    output.each(names, 'comparing accounts', async (account) => {
      try {
        const report = await reportOf(accounts, account, window, load);
        if (report) reports.push({ account, ...report });
        else if (areNamed)
          failures.push(`account "${account}": the --source returned no options for it.`);
      } catch (error) {
        if (error instanceof StoreUnavailableError) throw error;
        failures.push(
          `account "${account}": ${error instanceof Error ? error.message : String(error)}`,
        );
      }
    }),
  );
  return { reports, failures };
}

/** Null when the source has no options for the account: its merchant has left, and the store still knows it. */
async function reportOf(
  accounts: PaymentsAccounts,
  account: string,
  window: Window,
  load: AccountSource,
): Promise<ReconciliationReport | null> {
  const options = await load(account);
  if (!options) return null;
  const added = await accounts.add(account, options);
  return added.get(ReconciliationService).report(window);
}
