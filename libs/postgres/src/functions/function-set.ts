import { createHash } from 'node:crypto';
import * as sql from '../generated/sql.js';

/**
 * The functions of the schema, one in each file of this folder. They are no migrations: a version brings its whole set, and the names of a set
 * end with its checksum. So an old and a new process work side by side, each with the functions that it knows, also when their parameters differ.
 */
export const FUNCTIONS: readonly string[] = Object.entries(sql)
  .filter(([name]) => name.startsWith('functions'))
  .map(([, text]) => text);

/** What the names of this version's functions end with. */
export const FUNCTION_SET = createHash('sha256')
  .update(FUNCTIONS.join(''))
  .digest('hex')
  .slice(0, 8);

/**
 * A statement with the names of a schema.
 * @param statement `:schema` stands for the quoted name of the schema, and `:fn.name` for a function of this version
 */
export function qualified(statement: string, schema: string): string {
  return statement
    .replace(/:fn\.(\w+)/g, `:schema.$1_${FUNCTION_SET}`)
    .replaceAll(':schema', `"${schema}"`);
}
