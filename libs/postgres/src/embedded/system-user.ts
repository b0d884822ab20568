import { lstat, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { EmbeddedPostgresError } from './embedded.errors.js';

/** The user that the server runs as; undefined for the user of this process. */
export type SystemUser = { uid: number; gid: number } | undefined;

/**
 * PostgreSQL refuses to run as root. If this process is root (often in a container), the server runs as the owner of its cluster,
 * else as the user `postgres`, else as `nobody`: `initdb` needs a user with a name.
 */
export async function serverUser(dataDir: string): Promise<SystemUser> {
  if (process.getuid?.() !== 0) return undefined;
  const owner = await lstat(join(dataDir, 'cluster')).catch(() => undefined);
  if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  const users = await readFile('/etc/passwd', 'utf8').catch(() => '');
  for (const name of ['postgres', 'nobody']) {
    const fields = users
      .split('\n')
      .find((line) => line.startsWith(`${name}:`))
      ?.split(':');
    if (fields) return { uid: Number(fields[2]), gid: Number(fields[3]) };
  }
  throw new EmbeddedPostgresError(
    'PostgreSQL refuses to run as root, and this machine has no user `postgres` or `nobody`. ' +
      'Run the application as another user, or add the user: `useradd --system postgres`',
  );
}
