import { createHash } from 'node:crypto';
import * as sql from '../generated/sql.js';

/**
 * The functions of the schema, one in each file of this folder. They are no migrations: each version installs its whole set, and the names
 * of its functions end with the checksum of the set. So an old and a new process work side by side, each with its own functions, even when
 * their parameters differ.
 */
export const FUNCTIONS: readonly string[] = Object.entries(sql)
  .filter(([name]) => name.startsWith('functions'))
  .map(([, text]) => text);

/** The names of this version's functions end with this checksum. */
export const FUNCTION_SET = createHash('sha256')
  .update(FUNCTIONS.join(''))
  .digest('hex')
  .slice(0, 8);

/**
 * Returns a statement with the names of a schema.
 * @param statement `:schema` stands for the quoted name of the schema, and `:fn.name` for a function of this version
 */
export function qualified(statement: string, schema: string): string {
  return statement
    .replace(/:fn\.(\w+)/g, `:schema.$1_${FUNCTION_SET}`)
    .replaceAll(':schema', `"${schema}"`);
}
