import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { runScript } from '../support/run.script.js';
import { timesInSource } from '../support/source.fault.js';
import { PLANTED_FAULTS } from './planted.runs.js';

const ATTACK = fileURLToPath(new URL('./hostile.ts', import.meta.url));

describe('the short attack', () => {
  it('has nothing forged accepted, crashes nothing and keeps nobody from being served', async () => {
    // The output contains the seed that repeats the run.
    expect(await runScript(ATTACK, '--short')).toEqual({
      code: 0,
      output: expect.stringContaining('clean'),
    });
  }, 240_000);

  it('finds the text of each planted fault exactly once in the source', () => {
    const misplaced = PLANTED_FAULTS.filter((fault) => timesInSource(fault) !== 1);
    expect(misplaced.map(({ name }) => name)).toEqual([]);
  });
});
