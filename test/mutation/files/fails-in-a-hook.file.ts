import { afterAll, expect, it } from '@jest/globals';
import './mutant.js';

it('passes', () => {
  expect(1).toBe(1);
});

afterAll(() => {
  throw new Error('this hook always fails');
});
