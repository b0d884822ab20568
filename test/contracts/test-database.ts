import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import pg from 'pg';
import { EmbeddedPostgres } from '@tillkit/postgres/embedded';
import { PostgresStore } from '@tillkit/postgres';
import { qualified } from '../../libs/postgres/src/functions/function-set.js';

/** Names the server for the tests: `postgres://postgres@localhost:5432/postgres`. Without it, the tests start PostgreSQL from npm. */
const VARIABLE = 'TILLKIT_TEST_DATABASE_URL';

/** The local port at which a run of tests answers with the URL of its server, which it starts at the first request. */
const PORT_VARIABLE = 'TILLKIT_TEST_DATABASE_PORT';

/** Port of a PgBouncer in front of that server. The stores under test connect through it; the tests' own connections do not. */
const POOLER_PORT = process.env['TILLKIT_TEST_POOLER_PORT'];

/** Advisory lock: one test process at a time makes the template. */
const TEMPLATE_LOCK = 7411;

const TEN_MINUTES = 600_000;

/** Options of the stores under test, so that no test fails on a busy machine. */
export const PATIENT = {
  connectTimeoutMs: TEN_MINUTES,
  statementTimeoutMs: TEN_MINUTES,
} as const;

/** A database for one test file. */
export interface TestDatabase {
  url: string;
  /** The URL for the stores under test, through PgBouncer if there is one. */
  storeUrl: string;
  drop(): Promise<void>;
}

interface TestServer {
  server: EmbeddedPostgres;
  dataDir: string;
}

/** The server that this process started: the global set-up of a run, or one test file that runs without it. */
let own: Promise<TestServer> | undefined;

/** Names the server in the environment: the one that is there, the one of the run, or one that this process starts. */
export async function startTestServer(): Promise<void> {
  if (process.env[VARIABLE]) return;
  const port = process.env[PORT_VARIABLE];
  if (!port) own ??= start();
  process.env[VARIABLE] = port
    ? await text(connect(Number(port), '127.0.0.1'))
    : (await own!).server.connectionString;
}

export async function stopTestServer(): Promise<void> {
  if (!own) return;
  const { server, dataDir } = await own;
  own = undefined;
  delete process.env[VARIABLE];
  await server.stop();
  await rm(dataDir, { recursive: true, force: true });
}

/** Returns the URL of connections whose transactions have this isolation level by default. */
export function urlWithIsolation({ url }: TestDatabase, level: string): string {
  const strict = new URL(url);
  strict.searchParams.set(
    'options',
    `-c default_transaction_isolation=${level.replace(' ', '\\ ')}`,
  );
  return strict.href;
}

/** Returns a statement of the store, with the names of its schema. */
export const inSchema = (statement: string): string => qualified(statement, 'tillkit');

/** Returns a new database with the current schema. It is copied from a template, which costs less than the migrations. */
export async function freshDatabase(): Promise<TestDatabase> {
  await startTestServer();
  const name = `tillkit_test_${randomBytes(8).toString('hex')}`;
  await withServer(async (client) => {
    await client.query('select pg_advisory_lock($1)', [TEMPLATE_LOCK]);
    const template = await migratedTemplate(client);
    await client.query(`create database ${name} template ${template}`);
  });
  return {
    url: urlOf(name),
    storeUrl: urlOf(name, POOLER_PORT),
    drop: async () => {
      await withServer((client) => client.query(`drop database if exists ${name} with (force)`));
      await stopTestServer();
    },
  };
}

/** Returns the state of a database, to which it can be restored. Nobody may be connected to the database meanwhile. */
export async function snapshotOf({ url }: TestDatabase): Promise<{ restore(): Promise<void> }> {
  const name = new URL(url).pathname.slice(1);
  const copy = `${name}_copy`;
  await withServer((client) => client.query(`create database ${copy} template ${name}`));
  return {
    restore: () =>
      withServer(async (client) => {
        await client.query(`drop database ${name} with (force)`);
        await client.query(`alter database ${copy} rename to ${name}`);
      }),
  };
}

/** Returns an empty database, without the schema. */
export async function emptyDatabase(): Promise<TestDatabase> {
  const database = await freshDatabase();
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await client.query('drop schema tillkit cascade');
  await client.end();
  return database;
}

/** Lets time pass for a database, so that leases expire and rows get old without waiting. A negative time sets its clock back. */
export async function letTimePass(url: string, ms: number, schema = 'tillkit'): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(`do $do$
      begin
        execute format(
          'create or replace function ${schema}.clock() returns timestamptz language sql volatile parallel safe as '
            '$body$ select clock_timestamp() + %L::interval $body$',
          make_interval(secs => round(extract(epoch from ${schema}.clock() - clock_timestamp()), 3) + ${ms / 1000}));
      end
    $do$`);
  } finally {
    await client.end();
  }
}

async function start(): Promise<TestServer> {
  const dataDir = await mkdtemp(join(tmpdir(), 'tillkit-test-'));
  const server = await EmbeddedPostgres.start({ dataDir, settings: { max_connections: '300' } });
  return { server, dataDir };
}

/** The template is named after its migrations: a server that lives longer than one version of the schema gets another template for the next. */
async function migratedTemplate(client: pg.Client): Promise<string> {
  const { printMigrations } = await import('../../libs/postgres/src/migrate.js');
  const { createHash } = await import('node:crypto');
  const version = createHash('sha256')
    .update(printMigrations('tillkit'))
    .digest('hex')
    .slice(0, 16);
  const name = `tillkit_template_${version}`;
  const known = await client.query('select from pg_database where datname = $1', [name]);
  if (known.rowCount) return name;
  const making = `${name}_${randomBytes(4).toString('hex')}`;
  await client.query(`create database ${making}`);
  const store = new PostgresStore({ ...PATIENT, connectionString: urlOf(making), poolSize: 1 });
  await store.init();
  await store.close();
  await client.query(`alter database ${making} rename to ${name}`);
  return name;
}

async function withServer(work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ connectionString: process.env[VARIABLE] });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}

function urlOf(database: string, port?: string): string {
  const url = new URL(process.env[VARIABLE] as string);
  url.pathname = `/${database}`;
  if (port) url.port = port;
  return url.href;
}

/** Returns all rows of all tables as text. Bytes stand there in hex, and as text. */
export async function textOfDatabase(url: string): Promise<string> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows: tables } = await client.query<{ name: string }>(
      `select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname not in ('pg_catalog', 'information_schema')`,
    );
    const texts: string[] = [];
    for (const { name } of tables) {
      const { rows } = await client.query<{ row: string }>(
        `select to_jsonb(each)::text as row from ${name} as each`,
      );
      texts.push(...rows.map(({ row }) => `${name} ${row}${bytesIn(row)}`));
    }
    return texts.join('\n');
  } finally {
    await client.end();
  }
}

function bytesIn(row: string): string {
  return [...row.matchAll(/\\\\x([0-9a-f]+)/g)]
    .map(([, hex]) => Buffer.from(hex as string, 'hex').toString())
    .join(' ');
}
