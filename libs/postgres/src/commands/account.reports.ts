import { Module, type DynamicModule, type INestApplicationContext } from '@nestjs/common';
import {
  PaymentsAccounts,
  PaymentsConfigurationError,
  PaymentsModule,
  PaymentsStore,
  ReconciliationService,
  StoreUnavailableError,
  type ReconciliationReport,
} from '@tillkit/payments';
import type { PostgresStoreOptions } from '../postgres.options.js';
import { PostgresStore } from '../postgres.store.js';
import { readSource, type AccountSource } from './account.source.js';
import { UsageError, type DatabaseOptions } from './command.context.js';
import type { AccountReport } from './report.formats.js';

/** The account of `PAYMENTS_*`. */
const DEFAULT_ACCOUNT = 'default';

/** Names that an error lists. */
const MOST_NAMED = 10;

interface Window {
  from: Date;
  to: Date;
}

interface Reports {
  reports: AccountReport[];
  /** Why the others could not be compared. */
  failures: string[];
}

/**
 * The report of each account.
 * @param wanted none: with a source all accounts that the store knows, else the account of `PAYMENTS_*`
 * @throws UsageError when the store does not know an account, or nobody has its credentials
 */
export async function reportsOf(
  window: Window,
  wanted: readonly string[],
  { url, schema, source }: DatabaseOptions & { source?: string },
): Promise<Reports> {
  const load = source === undefined ? null : await readSource(source);
  const store = readingStore({ connectionString: url, schema, poolSize: 2 });
  try {
    const names = await chosen(store, wanted, load !== null);
    return load
      ? await withAccounts(store, names, window, { load, areNamed: wanted.length > 0 })
      : await withEnvironment(store, window);
  } finally {
    await store.close();
  }
}

/** A store for a process that only reads. It claims no till, whose owner may be another account by now, and gives up none. */
function readingStore(options: PostgresStoreOptions): PostgresStore {
  const store = new PostgresStore(options);
  store.accounts.claim = () => Promise.resolve([]);
  return store;
}

async function chosen(
  store: PostgresStore,
  wanted: readonly string[],
  hasSource: boolean,
): Promise<string[]> {
  if (hasSource && wanted.length === 0) return known(store);
  const names = wanted.length > 0 ? [...new Set(wanted)] : [DEFAULT_ACCOUNT];
  const named = names.find((name) => name !== DEFAULT_ACCOUNT);
  const seen = await known(store, names);
  const strange = names.find((name) => !seen.includes(name));
  const others = strange === undefined ? [] : await known(store);
  if (strange !== undefined && (wanted.length > 0 || others.length > 0))
    throw unseen(strange, others);
  if (hasSource || named === undefined) return names;
  throw new UsageError(
    `nobody gives the credentials of account "${named}", because PAYMENTS_* are those of account "${DEFAULT_ACCOUNT}": add ` +
      '--source <module>, with the path of a JavaScript module whose default export returns the options of an account.',
  );
}

async function known(store: PostgresStore, among?: readonly string[]): Promise<string[]> {
  const names: string[] = [];
  for (let after: string | null = ''; after !== null;) {
    const page = await store.accounts.list({ ...(among && { among }) }, { limit: 200, after });
    names.push(...page.items);
    after = page.next;
  }
  return names;
}

function unseen(account: string, others: readonly string[]): UsageError {
  const listed = others.slice(0, MOST_NAMED).map((name) => `"${name}"`);
  const more = others.length > MOST_NAMED ? ` and ${others.length - MOST_NAMED} more` : '';
  const cure =
    others.length === 0
      ? 'it knows none yet; is this the database and the --schema of the application?'
      : `it knows ${listed.join(', ')}${more}: name one of these with --account.`;
  return new UsageError(`the store has never seen account "${account}"; ${cure}`);
}

/** The account of `PAYMENTS_*`, as the application has it. */
async function withEnvironment(store: PostgresStore, window: Window): Promise<Reports> {
  const module = PaymentsModule.forRoot({ background: false, store });
  const report = await inContext([module], (context) =>
    context.get(ReconciliationService).report(window),
  );
  return { reports: [{ account: DEFAULT_ACCOUNT, ...report }], failures: [] };
}

/** One after the other: each reads a list of the platform. One that fails does not keep the others from their report. */
async function withAccounts(
  store: PostgresStore,
  names: readonly string[],
  window: Window,
  { load, areNamed }: { load: AccountSource; areNamed: boolean },
): Promise<Reports> {
  const reports: AccountReport[] = [];
  const failures: string[] = [];
  const modules = [providing(store), PaymentsModule.forAccounts({ background: false })];
  await inContext(modules, async (context) => {
    for (const account of names) {
      try {
        const report = await reportOf(context.get(PaymentsAccounts), account, window, load);
        if (report) reports.push({ account, ...report });
        else if (areNamed)
          failures.push(`account "${account}": the --source returned no options for it.`);
      } catch (error) {
        if (error instanceof StoreUnavailableError) throw error;
        failures.push(
          `account "${account}": ${error instanceof Error ? error.message : String(error)}`,
        );
      }
    }
  });
  return { reports, failures };
}

/** Null for a merchant who has left: the store knows the account still, and the source does not have it. */
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

/** The application's own modules, without their routes and their work in the background. */
async function inContext<T>(
  imports: DynamicModule[],
  work: (context: INestApplicationContext) => Promise<T>,
): Promise<T> {
  const { NestFactory } = await import('@nestjs/core');
  @Module({ imports })
  class ReconcileModule {}
  try {
    const context = await NestFactory.createApplicationContext(ReconcileModule, {
      logger: ['error'],
      abortOnError: false,
    });
    try {
      return await work(context);
    } finally {
      await context.close();
    }
  } catch (error) {
    throw error instanceof PaymentsConfigurationError ? new UsageError(error.message) : error;
  }
}

function providing(store: PostgresStore): DynamicModule {
  return {
    module: class ReconcileStoreModule {},
    global: true,
    providers: [{ provide: PaymentsStore, useValue: store }],
    exports: [PaymentsStore],
  };
}
