import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const PARTS = [
  'libs/pages',
  'libs/payments',
  'libs/simulator',
  'libs/postgres',
  'libs/dashboard',
  'libs/cli',
];
const TSCONFIG = {
  compilerOptions: {
    module: 'nodenext',
    rootDir: 'src',
    outDir: 'dist',
    declaration: true,
    types: [],
    lib: ['es5'],
    skipLibCheck: true,
  },
  include: ['src'],
};

/** Builds in a folder, and resolves with the parts that it built. */
const BUILD = `
  import { build } from ${JSON.stringify(join(ROOT, 'scripts/build.mjs'))};
  await build(process.argv[1], (line) => console.log(line));`;

describe('npm run build', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tillkit-build-'));
    await mkdir(join(folder, 'node_modules'));
    await mkdir(join(folder, 'scripts'));
    await cp(join(ROOT, 'scripts/build.mjs'), join(folder, 'scripts/build.mjs'));
    await writeFile(join(folder, 'package-lock.json'), '{}');
    await writeFile(join(folder, 'tsconfig.json'), '{}');
    for (const part of [...PARTS, 'sample-app']) {
      await mkdir(join(folder, part, 'src/internal'), { recursive: true });
      const isApp = part === 'sample-app';
      const options = {
        ...TSCONFIG.compilerOptions,
        ...(isApp && { outDir: '../dist/sample-app' }),
      };
      const name = isApp ? 'tsconfig.app.json' : 'tsconfig.lib.json';
      const text = JSON.stringify({ ...TSCONFIG, compilerOptions: options });
      await writeFile(join(folder, part, name), text);
      await source(part, 'index.ts', 'export const word: string = "first";\n');
    }
    for (const entry of ['types', 'health', 'microservices'])
      await source('libs/payments', `${entry}.ts`, `export { word } from './index.js';\n`);
    for (const entry of ['store', 'routes', 'tools'])
      await source(
        'libs/payments',
        `internal/${entry}.ts`,
        `export { word } from '../index.js';\n`,
      );
    await source('sample-app', 'shop.css', 'a {}\n');
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const source = (part: string, name: string, text: string): Promise<void> =>
    writeFile(join(folder, part, 'src', name), text);

  const build = async (): Promise<string[]> => {
    const child = spawn(process.execPath, ['--input-type=module', '--eval', BUILD, folder], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    const [code] = (await once(child, 'close')) as [number];
    const built = [...output.matchAll(/^Building (\S+?)\.\.\.$/gm)].map(([, part = '']) => part);
    return code === 0 ? built : [...built, 'failed'];
  };

  it('builds everything once, then only what changed, and what needs it if its types changed', async () => {
    expect(new Set(await build())).toEqual(new Set([...PARTS, 'sample-app']));
    expect(await build()).toEqual([]);
    await source('libs/simulator', 'index.ts', 'export const word: string = "second";\n');
    expect(await build()).toEqual(['libs/simulator']);
    expect(await readFile(join(folder, 'libs/simulator/dist/index.js'), 'utf8')).toContain(
      'second',
    );
    expect(await build()).toEqual([]);
    await source('libs/simulator', 'index.ts', 'export const word: number = 3;\n');
    expect(await build()).toEqual(['libs/simulator', 'libs/cli', 'sample-app']);
  }, 120_000);

  it('builds again what another compiler has written over', async () => {
    await build();
    const output = join(folder, 'libs/payments/dist/index.js');
    const built = await readFile(output, 'utf8');
    await writeFile(output, 'export const word = "of another compiler";\n');
    expect(await build()).toEqual(['libs/payments']);
    expect(await readFile(output, 'utf8')).toBe(built);
  }, 120_000);

  it('removes the output of a deleted source, and copies the files that the shop reads', async () => {
    await source('sample-app', 'old.ts', 'export {};\n');
    await build();
    await rm(join(folder, 'sample-app/src/old.ts'));
    expect(await build()).toEqual(['sample-app']);
    const output = join(folder, 'dist/sample-app');
    await expect(readFile(join(output, 'old.js'))).rejects.toThrow('ENOENT');
    expect(await readFile(join(output, 'shop.css'), 'utf8')).toBe('a {}\n');
  }, 120_000);

  it('joins the modules of the payments package, so that a host loads few files', async () => {
    await writeFile(join(folder, 'libs/payments/package.json'), '{ "type": "module" }');
    await source('libs/payments', 'word.ts', 'export class Word {}\n');
    await source('libs/payments', 'index.ts', `export { Word as word } from './word.js';\n`);
    await build();
    const output = join(folder, 'libs/payments/dist');
    const files = await readdir(output);
    expect(files).toEqual(expect.arrayContaining(['index.js', 'index.js.map', 'word.d.ts']));
    expect(files).not.toContain('word.js');
    const [index, store] = (await Promise.all(
      ['index', 'internal/store'].map(
        (name) => import(pathToFileURL(join(output, `${name}.js`)).href),
      ),
    )) as { word: { name: string } }[];
    expect(index?.word.name).toBe('Word');
    expect(store?.word).toBe(index?.word);
  }, 120_000);

  it('is repeated after it failed, even if the sources are those of the last build again', async () => {
    await build();
    await source('sample-app', 'index.ts', 'export const word: number = "text";\n');
    expect(await build()).toEqual(['sample-app', 'failed']);
    await source('sample-app', 'index.ts', 'export const word: string = "first";\n');
    expect(await build()).toEqual(['sample-app']);
  }, 120_000);
});
