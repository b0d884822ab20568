import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { transform } from '@swc/core';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const BENCHMARKS = join(ROOT, 'bench');

/** What subjects import from elsewhere in the tests. */
const SHARED = [join(ROOT, 'test/support/deliver.ts')];

/**
 * Subjects as JavaScript, in a directory of one run. Hooks that compile a process's modules while it loads them would
 * take part in what is measured there.
 */
export class CompiledSubjects {
  private constructor(private readonly directory: string) {}

  static async make(): Promise<CompiledSubjects> {
    const directory = join(ROOT, 'dist', `bench-${process.pid}`);
    const sources = await readdir(BENCHMARKS, { recursive: true });
    const files = sources
      .filter((name) => name.endsWith('.ts'))
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
  const { code } = await transform(await readFile(file, 'utf8'), {
    filename: file,
    swcrc: false,
    sourceMaps: 'inline',
    jsc: {
      target: 'es2023',
      keepClassNames: true,
      parser: { syntax: 'typescript', decorators: true },
      transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: true },
    },
    module: { type: 'es6' },
  });
  const compiled = join(directory, relative(ROOT, file)).replace(/\.ts$/, '.js');
  await mkdir(dirname(compiled), { recursive: true });
  await writeFile(compiled, code);
}
