import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { access, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

const MODULE = fileURLToPath(new URL('./running.shop.mjs', import.meta.url));

/** Takes a folder, prints who has it, and runs until it is stopped or killed. */
const SHOP = `
  import { takeFolder } from ${JSON.stringify(MODULE)};
  process.on('SIGTERM', () => process.exit(0));
  const running = await takeFolder(process.argv[1], () => 'Open http://127.0.0.1:3000');
  console.log(running ?? 'taken');
  if (running === null) setInterval(() => {}, 1000);`;

describe('A shop of npm start', () => {
  let folder: string;
  const shops: ChildProcess[] = [];

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tillkit-folder-'));
  });
  afterEach(async () => {
    for (const shop of shops.splice(0)) shop.kill('SIGKILL');
    await rm(folder, { recursive: true, force: true });
  });

  const start = async (): Promise<{ shop: ChildProcess; said: string }> => {
    const shop = spawn(process.execPath, ['--input-type=module', '--eval', SHOP, folder], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    shops.push(shop);
    const [output] = (await once(shop.stdout, 'data')) as [Buffer];
    return { shop, said: output.toString().trim() };
  };

  it('takes its folder, and tells a second one where it is', async () => {
    expect((await start()).said).toBe('taken');
    expect((await start()).said).toBe('Open http://127.0.0.1:3000');
    expect((await start()).said).toBe('Open http://127.0.0.1:3000');
  });

  it('leaves its folder to the next one when it stops', async () => {
    const { shop } = await start();
    shop.kill('SIGTERM');
    await once(shop, 'exit');
    await expect(access(join(folder, '.data/running-shop.json'))).rejects.toThrow('ENOENT');
    expect((await start()).said).toBe('taken');
  });

  it('leaves its folder to the next one when it is killed', async () => {
    const { shop } = await start();
    shop.kill('SIGKILL');
    await once(shop, 'exit');
    expect((await start()).said).toBe('taken');
  });
});
