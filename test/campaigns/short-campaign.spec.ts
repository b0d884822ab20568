import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';

const CAMPAIGN = fileURLToPath(new URL('./faults.ts', import.meta.url));
const HOOKS = new URL('../support/typescript.register.mjs', import.meta.url).href;

describe('the fault campaign in its short form', () => {
  it('loses nothing, tells nothing twice and charges nobody twice', async () => {
    const campaign = spawn(
      process.execPath,
      ['--conditions=@tillkit/source', '--import', HOOKS, CAMPAIGN, '--short'],
      { env: { ...process.env, NODE_OPTIONS: '' }, stdio: ['ignore', 'pipe', 'pipe'] },
    );
    let said = '';
    campaign.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
    campaign.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
    const [code] = (await once(campaign, 'exit')) as [number | null];
    // What it printed has the seed, with which it can be repeated.
    expect({ code, said }).toEqual({ code: 0, said: expect.stringContaining('clean') });
  }, 240_000);
});
