import { describe, expect, it } from '@jest/globals';
import { simulate } from './simulation.process.js';

/** Whether it works at all. How it searches: npm run test:simulation. */
describe('the simulation', () => {
  it('finds no broken rule in four histories, every second one with two accounts', async () => {
    // What it prints has the seed of a failure, its steps, and the command that repeats it.
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
