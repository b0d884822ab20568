import { expect, it } from '@jest/globals';

it.each(['x'.repeat(241), 'a\nb', 'c', 'c'])('This test has the value %s', (value) => {
  expect(value).not.toBe('');
});
