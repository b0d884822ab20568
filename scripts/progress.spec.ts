import { execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

const MODULE = new URL('progress.mjs', import.meta.url).href;

describe('A line of progress', () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'tillkit-progress-'));
  });

  afterEach(() => rmSync(folder, { recursive: true }));

  const outputOf = (work: string): string => {
    const file = join(folder, 'output');
    const script = `
      import { readFileSync } from 'node:fs';
      import { progress } from '${MODULE}';
      const end = progress('Working...');
      ${work.replace('OUTPUT', `readFileSync(${JSON.stringify(file)}, 'utf8')`)}`;
    const output = openSync(file, 'w');
    execFileSync(process.execPath, ['--input-type=module', '--eval', script], {
      stdio: ['ignore', output, 'inherit'],
    });
    closeSync(output);
    return readFileSync(file, 'utf8');
  };

  it('grows while the work keeps the process busy, and ends before its output', () => {
    const busy = `while (!OUTPUT.endsWith('.....')); console.log('worked'); end();`;
    expect(outputOf(busy)).toMatch(/^Working\.{5,}\nworked\n$/);
  });

  it('ends with work that prints nothing', () => {
    expect(outputOf('end(); end();')).toBe('Working...\n');
  });
});
