import { it } from '@jest/globals';

it('Leaves something that throws when no file of tests runs', () => {
  setTimeout(() => {
    throw new Error('nobody is there any more');
  }, 12);
});
