import { setTimeout as sleep } from 'node:timers/promises';
import type { Stall } from '../campaign.database.js';
import type { Habit } from '../campaign.hosts.js';
import { PAYS, type CampaignPhase } from '../campaign.phase.js';
import type { CampaignEnvironment } from '../campaign.environment.js';

const HABITS: readonly Habit[] = ['same_key', 'new_key', 'same_key', 'new_key'];

async function stalled(
  { hosts, database }: CampaignEnvironment,
  what: Stall,
  { count, ms }: { count: number; ms: number },
): Promise<void> {
  const asking = hosts.ask(`stalled: ${what}`, count, {
    scenario: () => PAYS,
    habit: (n) => HABITS[n % HABITS.length] as Habit,
    concurrency: Math.ceil(count / 3),
  });
  await sleep(150);
  await database.stall(what, ms);
  await asking;
}

/**
 * The database stalls for longer than the statement timeout. Hosts ask again after an error, half of them with a new key. A
 * payment whose request ended in an error must never be sent, because such a customer would pay twice.
 */
export const stalledStore: CampaignPhase = {
  name: 'stalled-store',
  environment: { tuning: { statementTimeoutMs: 2_000 } },
  async run(environment, { short }) {
    if (short) {
      await stalled(environment, 'exclusive', { count: 24, ms: 5_000 });
      return;
    }
    for (const what of ['exclusive', 'access exclusive', 'commits'] as const) {
      for (const ms of [3_000, 6_500]) await stalled(environment, what, { count: 96, ms });
    }
  },
  async verify(environment) {
    const broken = new Set(
      environment.hosts.asked.filter((one) => one.broken > 0).map(({ phone }) => phone),
    );
    const times = new Map<string, number>();
    for (const { phone, charged } of environment.simulator.charges())
      if (charged) times.set(phone, (times.get(phone) ?? 0) + 1);
    const customers = environment.hosts.asked
      .filter(({ phase }) => phase.startsWith('stalled'))
      .map(({ phone }) => phone);
    for (const phone of new Set(customers)) {
      const paid = times.get(phone) ?? 0;
      if (!broken.has(phone)) environment.expect(paid <= 1, `${phone} paid ${paid} times`);
    }
  },
};
