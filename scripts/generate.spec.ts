import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import * as dashboard from '../libs/dashboard/src/generated/assets.js';
import * as pages from '../libs/pages/src/generated/assets.js';
import * as simulator from '../libs/simulator/src/generated/assets.js';

const ROOT = join(import.meta.dirname, '..');

describe('The generate script', () => {
  let root: string;

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'tillkit-generate-'));
  });

  afterEach(() => rmSync(root, { recursive: true }));

  const generate = (): void => {
    execFileSync(process.execPath, [join(ROOT, 'scripts/generate.mjs'), root], { stdio: 'pipe' });
  };

  const sourcePath = (path: string): string => join(root, 'libs/shop/src', path);

  const write = (path: string, text: string): void => {
    mkdirSync(dirname(sourcePath(path)), { recursive: true });
    writeFileSync(sourcePath(path), text);
  };

  const read = (path: string): string => readFileSync(sourcePath(path), 'utf8');

  it('names a statement by its path and an asset by its file name', () => {
    write('operations/find-many.sql', 'SELECT 1;\n');
    write('pages/assets/shop.css', 'a {\n}\n');
    write('pages/assets/shop.js', 'const text = `\\n${"it\'s"}`;\n');
    generate();
    expect(read('generated/sql.ts')).toContain(
      '/** `operations/find-many.sql` */\nexport const operationsFindManySql: string = "SELECT 1;\\n";\n',
    );
    expect(read('generated/assets.ts')).toContain('export const shopCss: string = "a {\\n}\\n";\n');
    expect(read('generated/assets.ts')).toContain(
      `export const shopJs: string = ${JSON.stringify(read('pages/assets/shop.js'))};\n`,
    );
  });

  it('refuses two files with the same constant and names both', () => {
    write('handsets/page.css', '');
    write('control/page.css', '');
    expect(generate).toThrow(
      'control/page.css and handsets/page.css would both become the constant pageCss. Rename one of them.',
    );
  });

  it('leaves a module alone when no source changed', () => {
    write('shop.css', 'a {}');
    generate();
    const before = statSync(sourcePath('generated/assets.ts'), { bigint: true });
    generate();
    const after = statSync(sourcePath('generated/assets.ts'), { bigint: true });
    expect(after.mtimeNs).toBe(before.mtimeNs);
  });

  it('deletes a module that has no source any more', () => {
    write('shop.css', 'a {}');
    write('orders/find.sql', 'SELECT 1');
    generate();
    rmSync(sourcePath('orders/find.sql'));
    generate();
    expect(existsSync(sourcePath('generated/assets.ts'))).toBe(true);
    expect(existsSync(sourcePath('generated/sql.ts'))).toBe(false);
    rmSync(sourcePath('shop.css'));
    generate();
    expect(existsSync(sourcePath('generated'))).toBe(false);
  });
});

/** The files of other packages that the dashboard has, as they are installed. */
const OF_PACKAGES: Record<string, string> = {
  'chart.js': join(ROOT, 'node_modules/chart.js/dist/chart.umd.min.js'),
  'idiomorph.js': join(ROOT, 'node_modules/idiomorph/dist/idiomorph.min.js'),
};

describe('The generated modules', () => {
  it.each(Object.entries({ dashboard, pages, simulator }))(
    'of %s equal the files that they are made from',
    (name, module) => {
      const sources = join(ROOT, 'libs', name, 'src');
      const text = readFileSync(join(sources, 'generated/assets.ts'), 'utf8');
      const files = [...text.matchAll(/^\/\*\* `(.+)` \*\/\nexport const (\w+): string =/gm)];
      expect(new Set(files.map(([, , constant]) => constant))).toEqual(
        new Set(Object.keys(module)),
      );
      for (const [, path, constant] of files) {
        const file = OF_PACKAGES[path!] ?? join(sources, path!);
        expect((module as Record<string, string>)[constant!]).toBe(readFileSync(file, 'utf8'));
      }
    },
  );
});
