import { setTimeout as sleep } from 'node:timers/promises';
import { FAULTS, type FaultKind } from '@tillkit/simulator';
import { PAYS, scenario, type CampaignPhase } from '../campaign.phase.js';
import type { CampaignEnvironment } from '../campaign.environment.js';
import { DAY, SHORT_FAULTS } from './fault.strengths.js';

async function faultAlone(environment: CampaignEnvironment, kind: FaultKind): Promise<void> {
  environment.simulator.faults.rate(kind, kind.startsWith('token') ? 0.5 : 0.4, SHORT_FAULTS[kind]);
  if (kind.startsWith('token')) environment.simulator.expireTokens();
  await environment.hosts.ask(kind, 22, { scenario });
  environment.simulator.faults.clear();
}

async function wrongClock(
  environment: CampaignEnvironment,
  name: string,
  ms: number,
): Promise<void> {
  environment.simulator.clock.skew(ms);
  // We leave scenario 15 out: only a sweep finds such a payment, and a sweep emits no event for money that the platform's clock dates before our
  // first start.
  await environment.hosts.ask(name, 20, {
    scenario: (n) => (scenario(n) === '15' ? PAYS : scenario(n)),
  });
  await environment.simulator.idle();
  environment.simulator.clock.skew(-ms);
}

/** Every fault of the platform alone, a wrong clock of the platform, and the database disconnected and restarted. */
export const singleFaults: CampaignPhase = {
  name: 'single-faults',
  environment: { tuning: { listenerFaults: 0.05 } },
  async run(environment) {
    const { hosts, database, simulator } = environment;
    await hosts.ask('no fault', 30, { scenario });
    for (const kind of Object.keys(FAULTS) as FaultKind[]) await faultAlone(environment, kind);

    simulator.faults.once('duplicate', undefined, { times: 1_000 });
    await hosts.ask('duplicate x1000', 5, { scenario: () => PAYS });

    await wrongClock(environment, 'clock a day ahead', DAY);
    await wrongClock(environment, 'clock a day behind', -DAY);

    const away = hosts.ask('database away during ingest', 40, { scenario });
    for (let cut = 0; cut < 3; cut += 1) await sleep(200).then(() => database.cut(600));
    await away;

    const restarted = hosts.ask('database restarted', 40, { scenario });
    await sleep(200);
    await database.restart();
    await restarted;
  },
};
