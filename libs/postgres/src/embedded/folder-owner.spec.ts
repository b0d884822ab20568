import {
  chmod,
  chown,
  lstat,
  mkdir,
  mkdtemp,
  readFile,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { EmbeddedPostgres } from './embedded-postgres.js';

const NOBODY = 65534;
const describeRoot = process.getuid?.() === 0 ? describe : describe.skip;

describe('The data directory of an embedded server', () => {
  let above: string;
  let dataDir: string;

  beforeEach(async () => {
    above = await mkdtemp(join(tmpdir(), 'tillkit-owner-'));
    await chmod(above, 0o755);
    dataDir = join(above, 'data');
  });
  afterEach(() => rm(above, { recursive: true, force: true }));

  const start = (): Promise<EmbeddedPostgres> => EmbeddedPostgres.start({ dataDir });

  it('is refused when it is a link', async () => {
    await mkdir(join(above, 'elsewhere'));
    await symlink(join(above, 'elsewhere'), dataDir);
    await expect(start()).rejects.toThrow(/it is a link.*Set `dataDir` to a folder/);
  });

  it('is refused when other users may write to it', async () => {
    await mkdir(dataDir);
    await chmod(dataDir, 0o777);
    await expect(start()).rejects.toThrow(`Run \`chmod go-w ${dataDir}\``);
  });

  it('is refused below a folder that everyone may write to and that keeps no owners', async () => {
    await chmod(above, 0o777);
    await expect(start()).rejects.toThrow(/other users may replace the folder/);
  });

  it('never lets the log of the server follow a link', async () => {
    await (await start()).stop();
    const victim = join(above, 'victim');
    await writeFile(victim, 'precious');
    await rm(join(dataDir, 'server.log'));
    await symlink(victim, join(dataDir, 'server.log'));
    await expect(start()).rejects.toThrow(/ELOOP/);
    expect(await readFile(victim, 'utf8')).toBe('precious');
    expect((await stat(victim)).uid).toBe(process.getuid?.());
  });

  describeRoot('of a process of root', () => {
    it('is refused when it belongs to another user', async () => {
      await mkdir(dataDir);
      await chown(dataDir, NOBODY, NOBODY);
      await expect(start()).rejects.toThrow(/it belongs to user 65534.*run `chown 0 /);
    });

    it('is refused below a folder that another user made in a folder of everyone', async () => {
      await chown(above, NOBODY, NOBODY);
      await expect(start()).rejects.toThrow(/other users may replace the folder/);
    });

    it('is refused below a folder of another user in a folder that only root may write to', async () => {
      const theirs = join(above, 'theirs');
      dataDir = join(theirs, 'own', 'data');
      await mkdir(join(theirs, 'own'), { recursive: true });
      await chown(theirs, NOBODY, NOBODY);
      await expect(start()).rejects.toThrow(
        `other users may replace the folder ${join(theirs, 'own')} above it: another user could read or replace its files. ` +
          'Set `dataDir` to a folder that only you can write to',
      );
    });

    it('belongs to root, except the data of the server', async () => {
      await (await start()).stop();
      const owners = async (...names: string[]): Promise<number[]> =>
        Promise.all(names.map(async (name) => (await lstat(join(dataDir, name))).uid));
      expect(await owners('.', 'server.log', 'users')).toEqual([0, 0, 0]);
      expect(await owners('cluster')).not.toContain(0);
      expect((await stat(dataDir)).mode & 0o777).toBe(0o711);
    });
  });
});
