import { describe, expect, it } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';

const ROOT = new URL('../../', import.meta.url);

/** Paths of all tests. */
const TESTS = ['libs', 'test'].flatMap((folder) =>
  readdirSync(new URL(folder, ROOT), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('spec.ts') && !path.includes('node_modules'))
    .map((path) => `${folder}/${path}`),
);

/** An end-to-end test is cited by its path below `test/end-to-end`, any other by the name of its file. */
function pathOf(file: string): string | undefined {
  const wanted = file.endsWith('.ts') ? `/${file}` : `test/end-to-end/${file}.e2e-spec.ts`;
  return TESTS.find((path) => path.endsWith(wanted));
}

interface Citation {
  file: string;
  name: string;
}

/** Returns the tests that a page cites, each once: a file in backticks, then names in quotes, where `…` stands for omitted words. */
function citations(page: string): Citation[] {
  const all = readFileSync(new URL(page, ROOT), 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .flatMap((line) => {
      let file = '';
      return [...(line.split('|')[3] ?? '').matchAll(/`([^`]+)`|"([^"]+)"/g)].flatMap(
        ([, cited, name]) => {
          if (cited !== undefined) file = cited;
          return name === undefined ? [] : [{ file, name }];
        },
      );
    });
  return [...new Map(all.map((cited) => [JSON.stringify(cited), cited])).values()];
}

describe.each(['docs/conformance.md', 'docs/security.md'])('%s', (page) => {
  it('cites tests', () => expect(citations(page).length).toBeGreaterThan(20));

  it.each(citations(page))('cites an existing test of $file: "$name"', ({ file, name }) => {
    const path = pathOf(file);
    expect(path).toBeDefined();
    const text = readFileSync(new URL(path as string, ROOT), 'utf8').replace(/\s+/g, ' ');
    for (const words of name.split('…').filter((part) => part !== ''))
      expect(text).toContain(words.trim());
  });
});
