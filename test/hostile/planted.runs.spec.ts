import { expect, it } from '@jest/globals';
import { timesInSource } from '../support/source.fault.js';
import { PLANTED_FAULTS } from './planted.runs.js';

it('The attack finds the text of each of its planted faults exactly once in the source', () => {
  const misplaced = PLANTED_FAULTS.filter((fault) => timesInSource(fault) !== 1);
  expect(misplaced.map(({ name }) => name)).toEqual([]);
});
