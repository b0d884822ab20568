import { StoreUnavailableError } from '@tillkit/payments';
import {
  inspectSchema,
  PostgresConfigurationError,
  type PostgresStore,
  type SchemaInspection,
} from '@tillkit/postgres';
import {
  LISTENER_MISSING_AFTER_MS,
  memoryRisk,
  UNUSED_DATABASE,
} from '@tillkit/payments/internal/tools';
import { firstOf, knownNames, shownAccount } from '../account-names.js';
import type { AccountOptions } from '../command.options.js';
import { connectionOf, withStore } from '../store-connection.js';
import { failed, ok, skipped, warning, type Check, type Finding } from './check.js';

const OLDEST_SERVER = 13;

/** We look at the listeners of at most this many accounts. */
const MOST_ACCOUNTS = 500;

/** The text names at most this many listeners, or pauses. */
const MOST_NAMED = 5;

/**
 * Checks that the database can be reached, its version, its migrations and its sequences; and names listeners that nobody has, what is paused, and
 * what waits for a person.
 */
export function databaseChecks(
  options: AccountOptions,
  environment: NodeJS.ProcessEnv,
  limitMs: number,
): Check[] {
  const connectionString = connectionOf(options, environment);
  const inStore = (work: (store: PostgresStore) => Promise<Finding>): Promise<Finding> =>
    withStore({ environment }, options, work, limitMs);
  let inspection: SchemaInspection | null = null;
  return [
    {
      name: 'database',
      run: async () => {
        if (connectionString === undefined) {
          const risk = memoryRisk((name) => environment[name]);
          return risk
            ? failed(risk.cause, `${risk.cure}.`)
            : skipped(
                'no PAYMENTS_DATABASE_URL is set: without a database, payments are lost when the application restarts',
              );
        }
        try {
          const limits = { connectTimeoutMs: limitMs, statementTimeoutMs: limitMs };
          inspection = await inspectSchema({ connectionString, schema: options.schema, ...limits });
        } catch (error) {
          return unusable(error);
        }
        return judgeServer(inspection.serverVersion, connectionString);
      },
    },
    {
      name: 'migrations',
      needs: ['database'],
      run: () => Promise.resolve(judgeMigrations(inspection as SchemaInspection)),
    },
    {
      name: 'sequences',
      needs: ['migrations'],
      run: () => inStore(behindSequences),
    },
    {
      name: 'application',
      needs: ['migrations'],
      run: () => inStore(applicationOf),
    },
    {
      name: 'listeners',
      needs: ['migrations'],
      run: () => inStore((store) => orphanedListeners(store, options.account)),
    },
    {
      name: 'sending',
      needs: ['migrations'],
      run: () => inStore((store) => pausedSending(store, options.account)),
    },
    {
      name: 'reviews',
      needs: ['migrations'],
      run: () => inStore((store) => waitingDecisions(store, options.account)),
    },
  ];
}

function unusable(error: unknown): Finding {
  if (error instanceof PostgresConfigurationError)
    return failed(error.message, 'Correct PAYMENTS_DATABASE_URL, or --url and --schema.');
  if (!(error instanceof StoreUnavailableError)) throw error;
  return failed(
    error.message,
    'Check host, port, user, password and database in PAYMENTS_DATABASE_URL, and whether PostgreSQL accepts connections from here (pg_hba.conf, firewall).',
  );
}

function judgeServer(version: string, connectionString: string): Finding {
  const found = `PostgreSQL ${version} answers`;
  if (Number.parseInt(version, 10) < OLDEST_SERVER)
    return failed(found, `Use PostgreSQL ${OLDEST_SERVER} or newer.`);
  return isUnencrypted(connectionString)
    ? warning(
        `${found}, over a connection that is not encrypted`,
        'Add ?sslmode=verify-full to PAYMENTS_DATABASE_URL: payments contain names and phone numbers.',
      )
    : ok(found);
}

/** True when the connection goes to another machine, and its settings do not mention encryption. */
export function isUnencrypted(connectionString: string): boolean {
  if (!URL.canParse(connectionString)) return false;
  const { hostname, searchParams } = new URL(connectionString);
  const host = searchParams.get('host') ?? hostname;
  if (host === '' || host.startsWith('/') || /^(localhost|127\.|\[?::1)/.test(host)) return false;
  const mode = searchParams.get('sslmode') ?? searchParams.get('ssl') ?? 'disable';
  return mode === 'disable' || mode === 'false' || mode === '0';
}

function judgeMigrations({ schema, pending, problem }: SchemaInspection): Finding {
  if (problem)
    return failed(
      problem,
      'Use the version of the packages that made the schema, or give its --schema.',
    );
  if (pending.length === 0) return ok(`schema "${schema}" is up to date`);
  return failed(
    `schema "${schema}" lacks ${pending.length} migrations, the first is ${pending[0]}`,
    'Run tillkit migrate, or start the application without migrate: false.',
  );
}

/** A copy by logical replication has none of the values: inserts collide with the rows that it has. */
async function behindSequences(store: PostgresStore): Promise<Finding> {
  const behind = await store.sequencesBehind();
  if (behind.length === 0) return ok('no sequence is behind its rows');
  return failed(
    `sequences are behind the rows of ${behind.join(', ')}, as in a copy by logical replication: pauses and deliveries cannot be stored`,
    'Stop every process and run tillkit restored, which raises them, as docs/production.md says in "Restore the database".',
  );
}

/** An application that has the URL and not the module keeps its payments in memory, and leaves no trace in the database. */
async function applicationOf(store: PostgresStore): Promise<Finding> {
  if ((await knownNames(store)).length > 0) return ok('an application has used this database');
  return warning(
    'no application has used this database yet',
    `If yours has started, its payments are not here: ${UNUSED_DATABASE.cure}. Else start it.`,
  );
}

/** Finds listeners whose calls nobody makes: their code is gone, they have another id, or their process does not run. */
async function orphanedListeners(store: PostgresStore, only?: string): Promise<Finding> {
  const all = await knownNames(store, only === undefined ? undefined : [only]);
  const looked = all.slice(0, MOST_ACCOUNTS);
  const missing: string[] = [];
  for (const account of looked) {
    const found = await store.events.missingListeners(account, LISTENER_MISSING_AFTER_MS);
    missing.push(
      ...found.map(
        ({ listener, calls }) => `${listener} of ${shownAccount(account)} (${calls} calls)`,
      ),
    );
  }
  const where = looked.length < all.length ? ` of the first ${looked.length} accounts` : '';
  if (missing.length === 0) return ok(`no listener${where} waits for a process that has it`);
  return warning(
    `no process has the listener ${firstOf(missing, MOST_NAMED)}`,
    "Start a process that has it. If its id has changed, write the old one: @OnPaymentEvent(name, { id: '<id>' }). If you removed it: tillkit listeners delete <id>.",
  );
}

/** Finds pauses, because somebody may still have to resume. */
async function pausedSending(store: PostgresStore, only?: string): Promise<Finding> {
  const pauses = await store.pauses.all();
  const concerned = pauses.filter(
    ({ account }) => account === null || account === (only ?? account),
  );
  if (concerned.length === 0) return ok('nothing is paused');
  const named = concerned.map(
    ({ account, by, at }) => `sending of ${shownAccount(account)} (by ${by}, ${at.toISOString()})`,
  );
  return warning(
    `paused: ${firstOf(named, MOST_NAMED)}`,
    'When the reason is gone, run tillkit resume.',
  );
}

/** Finds reviews, in each of which an order waits, and requests that passed another one. Each such request may be a second charge. */
async function waitingDecisions(store: PostgresStore, only?: string): Promise<Finding> {
  const queues = (await store.statistics.queues()).filter(
    ({ account }) => account === (only ?? account),
  );
  const passed = queues
    .filter(({ queue }) => queue === 'passed_guard')
    .reduce((sum, { count }) => sum + count, 0);
  const passing = `${passed} requests of the last 24 hours passed another one`;
  const waiting = queues.filter(({ queue }) => queue === 'in_review');
  if (waiting.length === 0) return ok(`nothing waits for a decision; ${passing}`);
  const named = waiting.map(
    ({ account, count, oldestMs }) =>
      `${count} of ${shownAccount(account)}, the oldest since ${new Date(Date.now() - oldestMs).toISOString()}`,
  );
  return warning(
    `waiting for a decision: ${firstOf(named, MOST_NAMED)}; ${passing}`,
    'Look at them with tillkit reviews list, and decide them in the dashboard or with tillkit reviews resolve.',
  );
}
