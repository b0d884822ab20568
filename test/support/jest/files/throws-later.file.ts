import { setTimeout as delay } from 'node:timers/promises';
import { it } from '@jest/globals';

it('Throws outside its own call', async () => {
  setTimeout(() => {
    throw new Error('nobody catches this');
  }, 1);
  await delay(20);
});
