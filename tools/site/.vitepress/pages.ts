/** Says which files are pages of the site, and at which path. */
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

/** Files outside `docs/` that are pages, with the path of each. */
const ELSEWHERE: readonly [file: RegExp, page: string][] = [
  [/^libs\/([a-z]+)\/README\.md$/, 'packages/$1.md'],
  [/^sample-app\/README\.md$/, 'example-shop.md'],
  [/^CHANGELOG\.md$/, 'changelog.md'],
  [/^CONTRIBUTING\.md$/, 'contributing.md'],
  [/^SECURITY\.md$/, 'report-a-vulnerability.md'],
];

/** Returns the path of a page in the site, from the path of its file in the repository; undefined for any other file. */
export function pageOf(file: string): string | undefined {
  if (file === 'README.md') return 'index.md';
  for (const [pattern, page] of ELSEWHERE)
    if (pattern.test(file)) return file.replace(pattern, page);
  return /^docs\/.*\.md$/.test(file)
    ? file.slice('docs/'.length).replace(/(^|\/)README\.md$/, '$1index.md')
    : undefined;
}

/** Every Markdown file that is no page. The README is the page of the repository; `docs/index.md` is that of the site. */
export const NO_PAGES: readonly string[] = [
  'README.md',
  '.*/**',
  '{bench,scripts,test,tools,coverage,dist}/**',
  'sample-app/!(README.md)/**',
  'libs/*/!(README.md)/**',
];

/** Returns a path in the repository: the README of a folder, where the path names a folder that has one. */
export function fileAt(path: string): string | undefined {
  if (!existsSync(join(ROOT, path))) return undefined;
  const readme = join(path, 'README.md');
  return statSync(join(ROOT, path)).isDirectory() && existsSync(join(ROOT, readme)) ? readme : path;
}
