import { setTimeout as sleep } from 'node:timers/promises';
import { PAYS, type CampaignPhase } from '../campaign.phase.js';

const PHASE = 'unknown, one price';
const COUNT = 300;

/**
 * Every create is answered 502 after it was carried out, and no callback comes: nobody knows the platform's id, and only what
 * the platform lists says whose money came. All cost the same.
 */
export const unknownPayments: CampaignPhase = {
  name: 'unknown-payments',
  async run({ simulator, hosts }) {
    simulator.faults.rate('create-5xx-after-commit', 1);
    simulator.faults.rate('lose', 1, { match: { delivery: 'callback' } });
    await hosts.ask(PHASE, COUNT, {
      scenario: () => PAYS,
      // Spread over a while, as customers are, so that their windows overlap and are not the same.
      before: () => sleep(50),
    });
    await simulator.idle();
    simulator.faults.clear();
  },
  async verify(world) {
    const rows = await world.database.rows<{
      key: string;
      state: string;
      cause: string | null;
      reference: string | null;
    }>(
      `select idempotency_key as key, state, cause, transaction->>'reference' as reference
       from tillkit.payment where idempotency_key like '${PHASE}%'`,
    );
    const own = new Map(
      world.simulator.charges().map(({ metadata, reference }) => [metadata['key'], reference]),
    );
    const matched = rows.filter(({ key, reference }) => reference === own.get(key));
    const foreign = rows.filter(
      ({ key, reference }) => reference !== null && reference !== own.get(key),
    );
    const states = new Map<string, number>();
    for (const { state, cause } of rows) {
      const name = cause ? `${state} (${cause})` : state;
      states.set(name, (states.get(name) ?? 0) + 1);
    }
    console.log(
      `${PHASE}: ${matched.length} of ${rows.length} have their own money, ${foreign.length} another's; ` +
        [...states].map(([state, times]) => `${state} ${times}`).join(', '),
    );
    world.expect(
      rows.length === COUNT && matched.length === COUNT,
      `${COUNT - matched.length} were not matched to their own money`,
    );
    world.expect(foreign.length === 0, `${foreign.length} were matched to another's money`);
    world.expect(
      rows.every(({ state }) => state === 'succeeded'),
      'some did not succeed',
    );
  },
};
