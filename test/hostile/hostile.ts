/**
 * Attacks the routes of the library and the forms of the dashboard, on Express and on Fastify, with everything that an outsider on the
 * internet can send, and with mutated deliveries of the platform itself. The attacker knows by itself what was signed.
 * Usage: npm run test:hostile [-- --short | --deliveries N] [--only ATTACK] [--seed N]
 */
import { parseArgs } from 'node:util';
import { attack } from './attack.run.js';

const { values } = parseArgs({
  options: {
    short: { type: 'boolean', default: false },
    deliveries: { type: 'string' },
    only: { type: 'string', default: '' },
    seed: { type: 'string', default: String(Date.now() % 1e9) },
  },
});
const { short, only } = values;
const deliveries = Number(values.deliveries ?? (short ? 1_000 : 1_000_000));
const seed = Number(values.seed);
const say = (line: string): void => void process.stdout.write(`${line}\n`);

say(`hostile${short ? ' (short)' : ''}, ${deliveries} mutated deliveries, seed ${seed}`);
const run = async (platform: 'express' | 'fastify'): Promise<string[]> => {
  const found = await attack({
    platform,
    seed,
    scale: short ? 0.02 : 1,
    deliveries: deliveries / 2,
    onPostgres: !short,
    only,
    say: (line) => say(`${platform}: ${line}`),
  });
  return found.map((problem) => `${platform}: ${problem}`);
};
// A full run measures memory: one platform after the other.
const problems = short
  ? (await Promise.all([run('express'), run('fastify')])).flat()
  : [...(await run('express')), ...(await run('fastify'))];
for (const problem of problems) say(`  PROBLEM ${problem}`);
say(problems.length === 0 ? 'clean' : `${problems.length} problems`);
process.exit(problems.length === 0 ? 0 : 1);
