import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { codeBlocks, readPage, ROOT } from './markdown.code.js';

const PAGE = 'docs/databases.md';
const LIBRARIES = 'test/hosts/libraries';

const FILES = [
  'test/support/host-libraries.ts',
  ...readdirSync(join(ROOT, LIBRARIES)).map((file) => `${LIBRARIES}/${file}`),
];

/** The code of the tests that the page shows: from a comment with the place in the page to one that says `end`. */
const SHOWN = FILES.flatMap((file) => {
  const source = readFileSync(join(ROOT, file), 'utf8');
  const places = [...source.matchAll(/^\/\/ docs\/databases\.md(#.+)\n([^]*?)\n\/\/ end$/gm)];
  return places.map(([, section, text]) => ({ file, section: section!, text: text! }));
});

/** What npm run test:hosts installs. */
const { packages } = JSON.parse(
  readFileSync(join(ROOT, 'test/hosts/package-lock.json'), 'utf8'),
) as { packages: Record<string, { version: string }> };

const ROWS = [...readPage(PAGE).matchAll(/^\| \[(.+?)\]\((#.+?)\) +\| `(.+?)` (\S+)/gm)].map(
  ([, library, section, name, version]) => ({
    library: library!,
    section: section!,
    name: name!,
    version: version!,
  }),
);

describe('The page of database libraries', () => {
  it.each(SHOWN)('shows the code of $file that runs, in $section', ({ section, text }) => {
    expect(codeBlocks(PAGE).map((block) => block.text)).toContain(text);
    expect(ROWS.map((row) => row.section)).toContain(section);
  });

  it.each(ROWS)(
    'shows code of $library, and the version of it that ran',
    ({ section, name, version }) => {
      expect(SHOWN.map((shown) => shown.section)).toContain(section);
      expect(packages[`node_modules/${name}`]?.version).toBe(version);
    },
  );
});
