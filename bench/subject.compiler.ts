import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { transpile } from '../scripts/typescript/transpile.mjs';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const BENCHMARKS = join(ROOT, 'bench');

/** Files outside bench/ that subjects import. */
const SHARED = [join(ROOT, 'test/support/deliver.ts')];

/**
 * Compiles the subjects to JavaScript in a directory of this run. Loader hooks that compile modules at run time would
 * distort the measurements.
 */
export class CompiledSubjects {
  private constructor(private readonly directory: string) {}

  static async make(): Promise<CompiledSubjects> {
    const directory = join(BENCHMARKS, 'dist', String(process.pid));
    const sources = await readdir(BENCHMARKS, { recursive: true });
    const files = sources
      .filter((name) => name.endsWith('.ts') && !name.startsWith('node_modules'))
      .map((name) => join(BENCHMARKS, name));
    await Promise.all([...files, ...SHARED].map((file) => compile(file, directory)));
    return new CompiledSubjects(directory);
  }

  fileOf(name: string): string {
    return join(this.directory, 'bench/subjects', `${name}.subject.js`);
  }

  async remove(): Promise<void> {
    await rm(this.directory, { recursive: true, force: true });
  }
}

async function compile(file: string, directory: string): Promise<void> {
  const code = transpile(file, await readFile(file, 'utf8'));
  const compiled = join(directory, relative(ROOT, file)).replace(/\.ts$/, '.js');
  await mkdir(dirname(compiled), { recursive: true });
  await writeFile(compiled, code);
}
