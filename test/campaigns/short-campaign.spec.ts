import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { runScript } from '../support/run.script.js';

const CAMPAIGN = fileURLToPath(new URL('./faults.ts', import.meta.url));

describe('the short fault campaign', () => {
  it('loses no payment, emits no event twice and charges no customer twice', async () => {
    // The output contains the seed that repeats the run.
    expect(await runScript(CAMPAIGN, '--short')).toEqual({
      code: 0,
      output: expect.stringContaining('clean'),
    });
  }, 240_000);
});
