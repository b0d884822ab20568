import { setTimeout as sleep } from 'node:timers/promises';
import { FAULTS, type FaultKind } from '@tillkit/simulator';
import type { Habit } from '../campaign.hosts.js';
import { scenario, type CampaignPhase, type PhaseContext } from '../campaign.phase.js';
import type { CampaignWorld } from '../campaign.world.js';
import { QUICKER } from './fault.strengths.js';

/** Hosts that do as the guide says, and hosts that don't. */
const HABITS: readonly Habit[] = ['same_key', 'new_key_parallel', 'same_key', 'gives_up'];

async function mixture(
  { simulator, hosts, database }: CampaignWorld,
  name: string,
  { draw }: PhaseContext,
): Promise<void> {
  for (const kind of Object.keys(FAULTS) as FaultKind[]) {
    if (draw() < 0.25) simulator.faults.rate(kind, 0.02 + draw() * 0.1, QUICKER[kind]);
  }
  const asking = hosts.ask(name, 40, {
    scenario,
    habit: (n) => HABITS[n % HABITS.length] as Habit,
  });
  if (draw() < 0.6) await sleep(300).then(() => database.cut(400));
  if (draw() < 0.4) simulator.expireTokens();
  await asking;
  simulator.faults.clear();
}

/** Random faults together, the database cut off now and then, and hosts that ask again with the same key or with a new one. */
export function mixtures(count: number): CampaignPhase {
  return {
    name: 'mixtures',
    world: { tuning: { listenerFaults: 0.05 } },
    async run(world, context) {
      for (let n = 1; n <= count; n += 1) await mixture(world, `mixture ${n}`, context);
    },
  };
}
