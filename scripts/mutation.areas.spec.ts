import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';

const load = (name: string): Promise<unknown> => import(new URL(name, import.meta.url).href);
const { AREAS, OF_MONEY, SURVIVORS } = (await load('mutation.areas.mjs')) as {
  AREAS: Record<string, string[]>;
  OF_MONEY: string[];
  SURVIVORS: { file: string; code: string }[];
};
const { mutatedSources, SOURCES } = (await load('mutation.change.mjs')) as {
  mutatedSources(root: string): string[];
  SOURCES: string;
};
const ROOT = fileURLToPath(new URL('..', import.meta.url));
const sources = mutatedSources(ROOT);

describe('The areas of mutation testing', () => {
  it('name only files whose mutants are made', () => {
    const files = Object.values(AREAS).flat();
    expect(files.filter((file) => !sources.includes(file))).toEqual([]);
  });

  it.each(OF_MONEY)('have sources for the pattern of the money path %s', (pattern) => {
    const path = new RegExp(`^${SOURCES}/${pattern}\\.ts$`);
    expect(sources.filter((file) => path.test(file))).not.toEqual([]);
  });

  it('explain survivors of lines that are still there', () => {
    const gone = SURVIVORS.filter(({ file, code }) => {
      const lines = readFileSync(`${ROOT}/${file}`, 'utf8').split('\n');
      return !lines.some((line) => line.trim() === code);
    });
    expect(gone).toEqual([]);
  });
});
