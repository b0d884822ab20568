import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { UsageError } from './command.errors.js';

/** The environment with the variables of a file added. A variable that is set already keeps its value. */
export function withEnvironmentFile(
  environment: NodeJS.ProcessEnv,
  path: string | undefined,
): NodeJS.ProcessEnv {
  if (path === undefined) return environment;
  try {
    return { ...parseEnv(readFileSync(path, 'utf8')), ...environment };
  } catch (error) {
    const { code = String(error) } = error as NodeJS.ErrnoException;
    throw new UsageError(
      `--env-file ${path} cannot be read (${code}): give the path of a file with lines such as PAYMENTS_TILL_NUMBER=514459.`,
    );
  }
}
