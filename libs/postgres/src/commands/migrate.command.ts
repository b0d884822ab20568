import { parseArgs } from 'node:util';
import { migrate, printMigrations } from '../migrate.js';
import { requireSchemaName } from '../postgres.options.js';
import type { Command } from './command.js';
import { DATABASE_ARGUMENTS, DATABASE_HELP, withDatabase } from './database-arguments.js';

/** Brings the schema up to date, before the application starts or by whom has the right to. */
export const MIGRATE: Command = {
  name: 'migrate',
  summary: 'bring the schema up to date, or print what would',
  help: `Usage: npx @tillkit/postgres migrate [options]

${DATABASE_HELP}
  --print            print the SQL for an empty database and change nothing`,

  async run(args, context) {
    const { values } = parseArgs({
      args,
      options: { ...DATABASE_ARGUMENTS, print: { type: 'boolean' } },
    });
    if (values.print) {
      context.write(printMigrations(requireSchemaName(values.schema)));
      return;
    }
    await withDatabase(values, context, async (database) => {
      const { applied } = await migrate(database);
      context.write(
        applied.length === 0
          ? `Schema "${database.schema}" is up to date.\n`
          : `Schema "${database.schema}": applied ${applied.join(', ')}.\n`,
      );
    });
  },
};
