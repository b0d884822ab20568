import { constants } from 'node:fs';
import { open, realpath, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { EmbeddedPostgresError } from './embedded.errors.js';

const EVERYONE_WRITES = 0o002;
const OTHERS_WRITE = 0o022;
/** In a folder with this bit, only the owner of an entry can rename or remove it. */
const STICKY = 0o1000;

/**
 * Makes sure that only this user and root decide about the content of the folder, and sets its mode. It checks and changes the open folder,
 * so that nobody can replace it between the two.
 * @throws EmbeddedPostgresError if another user owns the folder, may write to it, may replace it, or if it is a link
 */
export async function secureFolder(path: string, mode: number): Promise<void> {
  const me = process.geteuid?.();
  // Windows has no owners of this kind.
  if (me === undefined) return;
  const refused = (why: string, cure: string): EmbeddedPostgresError =>
    new EmbeddedPostgresError(
      `the data directory ${path} is not used, because ${why}: another user could read or replace its files. ${cure}`,
    );
  const folder = await open(
    path,
    constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_DIRECTORY,
  ).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ELOOP' && error.code !== 'ENOTDIR') throw error;
    throw refused('it is a link or no folder', 'Set `dataDir` to a folder, without a link');
  });
  try {
    const { uid, mode: present } = await folder.stat();
    if (uid !== me) {
      throw refused(
        `it belongs to user ${uid}, and this process runs as user ${me}`,
        `Set \`dataDir\` to a folder of your own, or, if its content is yours, run \`chown ${me} ${path}\``,
      );
    }
    if ((present & OTHERS_WRITE) !== 0) {
      throw refused('other users may write to it', `Run \`chmod go-w ${path}\``);
    }
    const open = await replaceable(await realpath(path), me);
    if (open !== null) {
      throw refused(
        `other users may replace the folder ${open} above it`,
        'Set `dataDir` to a folder that only you can write to',
      );
    }
    await folder.chmod(mode);
  } finally {
    await folder.close();
  }
}

/**
 * Returns a folder on the path that another user may replace, because the folder above it belongs to that user, or everyone may write to that; null
 * if there is none.
 */
async function replaceable(path: string, me: number): Promise<string | null> {
  const parent = dirname(path);
  if (parent === path) return null;
  const [above, { uid }] = await Promise.all([stat(parent), stat(path)]);
  if (above.uid !== me && above.uid !== 0) return path;
  const isShared = (above.mode & EVERYONE_WRITES) !== 0;
  const isKept = (above.mode & STICKY) !== 0 && (uid === me || uid === 0);
  return isShared && !isKept ? path : replaceable(parent, me);
}
