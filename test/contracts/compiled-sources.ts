import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { transform } from '@swc/core';

/** Inside the project, so that Node finds its packages. */
const CACHE = fileURLToPath(new URL('../../node_modules/.cache', import.meta.url));

/**
 * Compiles a folder of sources to JavaScript, for a process that a test starts and kills.
 * @returns the folder of the compiled files
 */
export async function compileSources(
  folder: URL,
): Promise<{ path: string; remove(): Promise<void> }> {
  await mkdir(CACHE, { recursive: true });
  const path = await mkdtemp(join(CACHE, 'tillkit-'));
  await writeFile(join(path, 'package.json'), '{ "type": "module" }');
  const names = (await readdir(folder)).filter((name) => /(?<!\.spec)\.ts$/.test(name));
  for (const name of names) {
    const { code } = await transform(await readFile(new URL(name, folder), 'utf8'), {
      swcrc: false,
      jsc: { target: 'es2022', parser: { syntax: 'typescript', decorators: true } },
      module: { type: 'es6' },
    });
    await writeFile(join(path, name.replace(/\.ts$/, '.js')), code);
  }
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}
