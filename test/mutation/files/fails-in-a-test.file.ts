import { expect, it } from '@jest/globals';
import './mutant.js';

it('passes', () => {
  expect(1).toBe(1);
});

it('fails', () => {
  expect(1).toBe(2);
});
