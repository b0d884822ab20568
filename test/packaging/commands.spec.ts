import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from '@jest/globals';

it.each(['cli/bin/tillkit.mjs', 'simulator/bin/simulator.mjs'])(
  'The command %s runs in a clone of the repository, built or not',
  (path) => {
    const command = fileURLToPath(new URL(`../../libs/${path}`, import.meta.url));
    const env = { ...process.env, NODE_OPTIONS: '' };
    expect(execFileSync(command, ['--help'], { env, encoding: 'utf8' })).toMatch(/^Usage: /);
  },
);
