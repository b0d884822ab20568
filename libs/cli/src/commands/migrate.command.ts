import { migrateSchema, printSchema } from '@tillkit/postgres';
import type { Command } from 'commander';
import {
  onDatabase,
  type CommonOptions,
  type DatabaseOptions,
  type Does,
  type Invocation,
} from '../command.options.js';
import { databaseTarget } from '../command-targets.js';
import { connectionOf } from '../store-connection.js';

interface MigrateOptions extends CommonOptions, DatabaseOptions {
  print?: true;
}

export function define(command: Command, does: Does): void {
  does.changes(
    onDatabase(command).option('--print', 'print the SQL for an empty database and change nothing'),
    (invocation, options) => (options.print ? null : databaseTarget(invocation, options)),
    runMigrate,
  );
}

/** Brings the schema up to date before the application starts, or prints the SQL for a role that has the right to. */
async function runMigrate(
  { output, environment }: Invocation,
  { url, schema, print }: MigrateOptions,
): Promise<void> {
  if (print) {
    const sql = printSchema(schema);
    output.exact({ sql }, () => sql);
    return;
  }
  const done = await migrateSchema({
    connectionString: connectionOf({ url }, environment),
    schema,
  });
  output.result(done, () =>
    done.applied.length === 0
      ? `Schema "${done.schema}" is up to date.`
      : `Schema "${done.schema}": applied ${done.applied.join(', ')}.`,
  );
}
