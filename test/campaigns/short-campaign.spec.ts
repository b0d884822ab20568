import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';

const CAMPAIGN = fileURLToPath(new URL('./faults.ts', import.meta.url));
const HOOKS = new URL('../support/typescript.register.mjs', import.meta.url).href;

describe('the short fault campaign', () => {
  it('loses no payment, emits no event twice and charges no customer twice', async () => {
    const campaign = spawn(
      process.execPath,
      ['--conditions=@tillkit/source', '--import', HOOKS, CAMPAIGN, '--short'],
      { env: { ...process.env, NODE_OPTIONS: '' }, stdio: ['ignore', 'pipe', 'pipe'] },
    );
    let output = '';
    campaign.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    campaign.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
    const [code] = (await once(campaign, 'exit')) as [number | null];
    // The output contains the seed that repeats the run.
    expect({ code, output }).toEqual({ code: 0, output: expect.stringContaining('clean') });
  }, 240_000);
});
