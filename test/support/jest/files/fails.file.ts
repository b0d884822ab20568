import { expect, it } from '@jest/globals';

it('Fails at its own line', () => {
  const text: string = 'one';
  expect(text).toBe('other');
});
