import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

interface Result {
  broken: string[];
  checked: number;
}

const { brokenLinks } = (await import(new URL('site.links.mjs', import.meta.url).href)) as {
  brokenLinks: (folder: string, base: string) => Result;
};

describe('The links of a built site', () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'tillkit-links-'));
  });

  afterEach(() => rmSync(folder, { recursive: true }));

  function site(files: Record<string, string>): Result {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(join(folder, dirname(path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    return brokenLinks(folder, '/docs/');
  }

  it('may lead to pages, headings, folders, files and other hosts', () => {
    const links =
      '<a href="/docs/a/b.html#one">1</a> <a class="x" href="#here">2</a> <a href="/docs/a/">3</a> <img src="/docs/a/p.png"> ' +
      '<a href="https://example.com/">4</a> <a href="a/b.html?x=1">5</a> <h2 id="here"></h2>';
    const files = {
      'index.html': links,
      'a/b.html': '<h2 id="one">',
      'a/index.html': '',
      'a/p.png': '',
    };
    expect(site(files)).toEqual({ broken: [], checked: 5 });
  });

  it.each([
    ['a page that does not exist', '<a href="/docs/no.html">', 'no such file'],
    ['a heading that does not exist', '<a href="/docs/index.html#no">', 'no such heading'],
    ['a heading of the same page that does not exist', '<a href="#no">', 'no such heading'],
    ['a picture that does not exist', '<img alt="" src="/docs/no.png">', 'no such file'],
    ['a path outside the base of the site', '<a href="/index.html">', 'outside /docs/'],
  ])('are broken when they lead to %s', (_, text, problem) => {
    expect(site({ 'index.html': text }).broken).toEqual([expect.stringContaining(problem)]);
  });
});
