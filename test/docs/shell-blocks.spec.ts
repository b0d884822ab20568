import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { codeBlocks, PAGES, readPage, ROOT } from './markdown.code.js';

interface Manifest {
  name: string;
  scripts?: Record<string, string>;
  bin?: Record<string, string>;
  peerDependencies?: Record<string, string>;
}

function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8')) as Manifest;
}

/** Returns the text of all sources of a package, without its tests. */
function sourcesOf(folder: string): string {
  const sources = join(ROOT, folder, 'src');
  return readdirSync(sources, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.spec.ts'))
    .map((path) => readFileSync(join(sources, path), 'utf8'))
    .join('\n');
}

const packages = readdirSync(join(ROOT, 'libs')).map((name) => ({
  folder: `libs/${name}`,
  manifest: readManifest(`libs/${name}`),
}));
const pages = [...PAGES, 'CONTRIBUTING.md'];

/** Finds a pattern in texts of all pages, and returns each match with its page: `README.md: npm run bench`. */
function found(pattern: RegExp, textOf: (page: string) => string): [page: string, name: string][] {
  return pages.flatMap((page) =>
    [...textOf(page).matchAll(pattern)].map(({ 1: name = '' }): [string, string] => [page, name]),
  );
}

/** Returns the commands of a page, one a line, without comments. */
function commandsOf(page: string): string {
  return codeBlocks(page)
    .filter(({ language }) => language === 'sh')
    .map(({ text }) => text.replaceAll(/\s#.*/g, ''))
    .join('\n');
}

describe('The commands of README, guide and package pages', () => {
  it('name npm scripts that exist', () => {
    const { scripts = {} } = readManifest('.');
    const names = found(/\bnpm (?:run )?((?:(?<=run )[a-z:]+)|test|start)\b/g, readPage);
    expect(names.length).toBeGreaterThan(10);
    expect(names.filter(([, name]) => !(name in scripts))).toEqual([]);
  });

  it('set environment variables that the packages read', () => {
    const code = packages.map(({ folder }) => sourcesOf(folder)).join('\n');
    const names = found(/\b(PAYMENTS_[A-Z_]+)=/g, readPage);
    expect(names.length).toBeGreaterThan(5);
    expect(names.filter(([, name]) => !code.includes(`'${name}'`))).toEqual([]);
  });

  it('install our packages, and what these need beside them', () => {
    const known = new Set(
      packages.flatMap(({ manifest: { name, peerDependencies = {} } }) => [
        name,
        ...Object.keys(peerDependencies),
      ]),
    );
    const installed = found(/npm install (.*)/g, commandsOf).flatMap(([page, names]) =>
      names
        .split(' ')
        .filter((name) => !name.startsWith('-'))
        .map((name) => [page, name]),
    );
    expect(installed.length).toBeGreaterThan(5);
    expect(installed.filter(([, name = '']) => !known.has(name))).toEqual([]);
  });

  it('call programs of our packages with options that these have', () => {
    const calls = found(/npx (@tillkit\/.*)/g, commandsOf);
    expect(calls.length).toBeGreaterThan(2);
    for (const [page, call] of calls) {
      const [name, ...words] = call.trim().split(/\s+/);
      const called = packages.find(({ manifest }) => manifest.name === name);
      // npx runs the only program of a package, whatever its name.
      expect([page, Object.keys(called?.manifest.bin ?? {})]).toEqual([page, [expect.any(String)]]);
      const code = sourcesOf(called?.folder ?? '');
      const unknown = words.filter((word) => /^[a-z-]+$/.test(word) && !code.includes(word));
      expect([page, unknown]).toEqual([page, []]);
    }
  });
});
