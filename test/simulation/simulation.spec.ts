import { describe, expect, it } from '@jest/globals';
import { simulate } from './simulation.process.js';

describe('the simulation', () => {
  it('finds no broken rule in 2,000 histories', async () => {
    // What it prints has the seed of a failure, its steps, and the command that repeats it.
    expect(await simulate('--histories', '2000')).toEqual({
      code: 0,
      said: expect.stringContaining('every rule held'),
    });
  }, 240_000);

  it('takes the same steps for the same seed', async () => {
    expect(await simulate('--histories', '50', '--twice')).toEqual({
      code: 0,
      said: expect.stringContaining('50 histories run twice, 0 differ'),
    });
  }, 60_000);

  it.each([
    'an idempotency key is not looked up',
    'a create of unknown outcome is sent again',
    'an acknowledgement comes before the listener',
  ])(
    'finds a planted fault: %s',
    async (name) => {
      expect(await simulate('--planted', '--name', name)).toEqual({
        code: 0,
        said: expect.stringContaining(`${name}: `),
      });
    },
    120_000,
  );
});
