import { basename } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from '@jest/globals';

it('Finds the process as the run began it', async () => {
  expect(process.env).not.toHaveProperty('TILLKIT_LEFT_BEHIND');
  expect(process.env['PATH']).toBeDefined();
  expect(basename(process.cwd())).not.toBe('test');
  expect(Math.random()).toBeLessThan(1);
  expect(Date.now()).toBeGreaterThan(1_000_000);
  await delay(5);
});
