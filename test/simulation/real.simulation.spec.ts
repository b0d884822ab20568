import { describe, expect, it } from '@jest/globals';
import { simulate } from './simulation.process.js';

const EVERY_RULE_HELD = { code: 0, output: expect.stringContaining('every rule held') };

describe('the simulation', () => {
  it('finds no broken rule in 25 histories through the container and both HTTP servers', async () => {
    expect(await simulate('--container', '25')).toEqual(EVERY_RULE_HELD);
  }, 240_000);

  it('finds no broken rule in 6 histories on PostgreSQL', async () => {
    expect(await simulate('--store', 'postgres', '--histories', '6')).toEqual(EVERY_RULE_HELD);
  }, 240_000);
});
