import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { PLANTED_FAULTS } from './planted.runs.js';

const ATTACK = fileURLToPath(new URL('./hostile.ts', import.meta.url));
const HOOKS = new URL('../support/typescript.register.mjs', import.meta.url).href;

describe('the short attack', () => {
  it('has nothing forged accepted, crashes nothing and keeps nobody from being served', async () => {
    const run = spawn(
      process.execPath,
      ['--conditions=@tillkit/source', '--import', HOOKS, ATTACK, '--short'],
      { env: { ...process.env, NODE_OPTIONS: '' }, stdio: ['ignore', 'pipe', 'pipe'] },
    );
    let output = '';
    run.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    run.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
    const [code] = (await once(run, 'exit')) as [number | null];
    // The output contains the seed that repeats the run.
    expect({ code, output }).toEqual({ code: 0, output: expect.stringContaining('clean') });
  }, 240_000);

  it('finds the text of each planted fault exactly once in the source', () => {
    const misplaced = PLANTED_FAULTS.filter(({ file, find }) => {
      const source = readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');
      return source.split(find).length !== 2;
    });
    expect(misplaced.map(({ name }) => name)).toEqual([]);
  });
});
