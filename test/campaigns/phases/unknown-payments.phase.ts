import { setTimeout as sleep } from 'node:timers/promises';
import { PAYS, type CampaignPhase } from '../campaign.phase.js';

const PHASE = 'unknown, one price';
const COUNT = 300;

/** A payment's window ends 15 minutes after it was sent, and is whole a minute later. */
const WINDOW_MS = 17 * 60_000;

/**
 * Every create is answered 502 after it was carried out, and no callback comes: nobody knows the platform's id, and only what
 * the platform lists says whose money came. All cost the same.
 */
export const unknownPayments: CampaignPhase = {
  name: 'unknown-payments',
  async run(world) {
    const { simulator, hosts } = world;
    simulator.faults.rate('create-5xx-after-commit', 1);
    simulator.faults.rate('lose', 1, { match: { delivery: 'callback' } });
    await hosts.ask(PHASE, COUNT, {
      scenario: () => PAYS,
      // Spread over a while, as customers are, so that their windows overlap and are not the same.
      before: () => sleep(50),
    });
    await simulator.idle();
    simulator.faults.clear();
    await simulator.clock.advance(WINDOW_MS);
    // The shop goes on selling: replicas learn the platform's time from its answers, and nothing else is asked of it here.
    await hosts.ask('sold meanwhile', 80, { scenario: () => PAYS });
    await world.until(() => world.openPayments(), 90_000);
    world.expect(
      (await world.openPayments()) === 0,
      'some are open after their windows were swept',
    );
  },
  async verify(world) {
    const rows = await world.database.rows<{
      key: string;
      state: string;
      cause: string | null;
      reference: string | null;
    }>(
      `select idempotency_key as key, state, cause, transaction->>'reference' as reference
       from tillkit.operation payment where idempotency_key like '${PHASE}%'`,
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
