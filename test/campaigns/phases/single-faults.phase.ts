import { setTimeout as sleep } from 'node:timers/promises';
import { FAULTS, type FaultKind } from '@tillkit/simulator';
import { PAYS, scenario, type CampaignPhase } from '../campaign.phase.js';
import type { CampaignWorld } from '../campaign.world.js';
import { DAY, QUICKER } from './fault.strengths.js';

async function faultAlone(world: CampaignWorld, kind: FaultKind): Promise<void> {
  world.simulator.faults.rate(kind, kind.startsWith('token') ? 0.5 : 0.4, QUICKER[kind]);
  if (kind.startsWith('token')) world.simulator.expireTokens();
  await world.hosts.ask(kind, 22, { scenario });
  world.simulator.faults.clear();
}

async function wrongClock(world: CampaignWorld, name: string, ms: number): Promise<void> {
  world.simulator.clock.skew(ms);
  // What only a sweep finds, and the platform's own clock puts before our first start, is history by the rules.
  await world.hosts.ask(name, 20, {
    scenario: (n) => (scenario(n) === '15' ? PAYS : scenario(n)),
  });
  await world.simulator.idle();
  world.simulator.clock.skew(-ms);
}

/** Every fault of the platform alone, its clock wrong, and the database cut off and restarted. */
export const singleFaults: CampaignPhase = {
  name: 'single-faults',
  world: { tuning: { listenerFaults: 0.05 } },
  async run(world) {
    const { hosts, database, simulator } = world;
    await hosts.ask('no fault', 30, { scenario });
    for (const kind of Object.keys(FAULTS) as FaultKind[]) await faultAlone(world, kind);

    simulator.faults.once('duplicate', undefined, { times: 1_000 });
    await hosts.ask('duplicate x1000', 5, { scenario: () => PAYS });

    await wrongClock(world, 'clock a day ahead', DAY);
    await wrongClock(world, 'clock a day behind', -DAY);

    const away = hosts.ask('database away during ingest', 40, { scenario });
    for (let cut = 0; cut < 3; cut += 1) await sleep(200).then(() => database.cut(600));
    await away;

    const restarted = hosts.ask('database restarted', 40, { scenario });
    await sleep(200);
    await database.restart();
    await restarted;
  },
};
