import { expect, it } from '@jest/globals';
import { PLANTED_FAULTS } from './planted.faults.js';
import { timesInSource, type SourceFault } from './source.fault.js';

const ALL: readonly SourceFault[] = Object.values(PLANTED_FAULTS).flat();

it('The text of each planted fault is exactly once in the source', () => {
  const misplaced = ALL.filter((fault) => timesInSource(fault) !== 1);
  expect(misplaced.map(({ name }) => name)).toEqual([]);
});

it('Each planted fault has a name of its own', () => {
  expect(new Set(ALL.map(({ name }) => name)).size).toBe(ALL.length);
});
