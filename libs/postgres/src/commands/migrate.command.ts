import { migrate, printMigrations } from '../migrate.js';
import { Database } from '../postgres.database.js';
import { requireSchemaName, resolvePostgresOptions } from '../postgres.options.js';
import type { CommandContext, DatabaseOptions } from './command.context.js';

/** Brings the schema up to date before the application starts, or prints the SQL for a role that has the right to. */
export async function runMigrate(
  { url, schema, print }: DatabaseOptions & { print?: true },
  { write, environment }: CommandContext,
): Promise<void> {
  if (print) {
    write(printMigrations(requireSchemaName(schema)));
    return;
  }
  const options = { connectionString: url, schema, poolSize: 1 };
  const database = new Database(resolvePostgresOptions(options, environment));
  try {
    const { applied } = await migrate(database);
    write(
      applied.length === 0
        ? `Schema "${database.schema}" is up to date.\n`
        : `Schema "${database.schema}": applied ${applied.join(', ')}.\n`,
    );
  } finally {
    await database.close();
  }
}
