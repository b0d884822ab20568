import { expect, it } from '@jest/globals';
import { WORDS } from './english.words.js';

it('The words of the dashboard have a singular and a plural', () => {
  const { deadLetters } = WORDS.overview.tiles;
  expect([0, 1, 2].map(deadLetters)).toEqual(['dead letters', 'dead letter', 'dead letters']);
});
