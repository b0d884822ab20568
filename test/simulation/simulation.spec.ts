import { describe, expect, it } from '@jest/globals';
import { simulate } from './simulation.process.js';

/** This tests only that the simulation works at all. `npm run test:simulation` does the search. */
describe('the simulation', () => {
  it('finds no broken rule in four histories, every second one with two accounts', async () => {
    // The output contains the seed of a failure, its steps, and the command that repeats it.
    expect(await simulate('--histories', '4')).toEqual({
      code: 0,
      output: expect.stringContaining('every rule held'),
    });
  });

  it('takes the same steps for the same seed', async () => {
    expect(await simulate('--histories', '2', '--twice')).toEqual({
      code: 0,
      output: expect.stringContaining('2 histories run twice, 0 differ'),
    });
  });
});
