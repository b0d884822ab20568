import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { UsageError } from './command.errors.js';

/**
 * Returns the environment with the variables of a file. The variables of a file that is named replace those of the shell: whoever names staging.env
 * means staging. The variables of the `.env` of the folder, if there is one, do not replace those of the shell, as in the application.
 */
export function withEnvironmentFile(
  environment: NodeJS.ProcessEnv,
  named: string | undefined,
  folder = process.cwd(),
): NodeJS.ProcessEnv {
  const usual = join(folder, '.env');
  const path = named ?? (existsSync(usual) ? usual : undefined);
  if (path === undefined) return environment;
  try {
    const ofFile = parseEnv(readFileSync(path, 'utf8'));
    return named === undefined ? { ...ofFile, ...environment } : { ...environment, ...ofFile };
  } catch (error) {
    const { code = String(error) } = error as NodeJS.ErrnoException;
    const what = named === undefined ? path : `--env-file ${path}`;
    throw new UsageError(
      `${what} cannot be read (${code}): give the path of a file with lines such as PAYMENTS_TILL_NUMBER=514459.`,
    );
  }
}
