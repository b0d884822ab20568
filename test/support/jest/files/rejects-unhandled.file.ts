import { setTimeout as delay } from 'node:timers/promises';
import { it } from '@jest/globals';

it('Leaves a rejection unhandled', async () => {
  void Promise.reject(new Error('nobody waits for this'));
  await delay(5);
});
