import { setTimeout as sleep } from 'node:timers/promises';
import { FAULTS, type FaultKind } from '@tillkit/simulator';
import type { Habit } from '../campaign.hosts.js';
import { scenario, type CampaignPhase, type PhaseContext } from '../campaign.phase.js';
import type { CampaignEnvironment } from '../campaign.environment.js';
import { SHORT_FAULTS } from './fault.strengths.js';

/** Hosts that follow the guide, and hosts that do not. */
const HABITS: readonly Habit[] = ['same_key', 'new_key', 'same_key', 'gives_up'];

async function mixture(
  { simulator, hosts, database }: CampaignEnvironment,
  name: string,
  { draw }: PhaseContext,
): Promise<void> {
  for (const kind of Object.keys(FAULTS) as FaultKind[]) {
    if (draw() < 0.25) simulator.faults.rate(kind, 0.02 + draw() * 0.1, SHORT_FAULTS[kind]);
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

/** Mixes random faults, cut database connections, and hosts that ask again with the same key or a new one. */
export function mixtures(count: number): CampaignPhase {
  return {
    name: 'mixtures',
    environment: { tuning: { listenerFaults: 0.05 } },
    async run(environment, context) {
      for (let n = 1; n <= count; n += 1) await mixture(environment, `mixture ${n}`, context);
    },
  };
}
