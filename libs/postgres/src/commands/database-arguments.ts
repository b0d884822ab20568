import { Database } from '../postgres.database.js';
import { resolvePostgresOptions } from '../postgres.options.js';
import type { CommandContext } from './command.js';

/** Arguments of every command that works on a database. */
export const DATABASE_ARGUMENTS = {
  url: { type: 'string' },
  schema: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const;

export const DATABASE_HELP = `  --url <url>        postgres://user:password@host/database [PAYMENTS_DATABASE_URL]
  --schema <schema>  schema of the tables [tillkit]`;

/** Opens the database for as long as the work takes. */
export async function withDatabase<T>(
  { url, schema }: { url?: string; schema?: string },
  { environment }: CommandContext,
  work: (database: Database) => Promise<T>,
): Promise<T> {
  const options = resolvePostgresOptions(
    { connectionString: url, schema, poolSize: 1 },
    environment,
  );
  const database = new Database(options);
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}
