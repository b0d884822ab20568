import { setTimeout as sleep } from 'node:timers/promises';
import { PAYS, type CampaignPhase } from '../campaign.phase.js';

const PHASE = 'unknown, one price';
const COUNT = 300;

/** The time window of a payment ends 15 minutes after sending, and the platform lists all of it a minute later. */
const WINDOW_MS = 17 * 60_000;

/**
 * Every create is answered 502 after it was carried out, and no callback comes. So no payment has a platform id, and only the
 * platform's list shows whose money came. All payments have the same amount.
 */
export const unknownPayments: CampaignPhase = {
  name: 'unknown-payments',
  async run(environment) {
    const { simulator, hosts } = environment;
    simulator.faults.rate('create-5xx-after-commit', 1);
    simulator.faults.rate('lose', 1, { match: { delivery: 'callback' } });
    await hosts.ask(PHASE, COUNT, {
      scenario: () => PAYS,
      // Time windows overlap and differ, as those of real customers.
      before: () => sleep(50),
    });
    await simulator.idle();
    simulator.faults.clear();
    await simulator.clock.advance(WINDOW_MS);
    // New payments go on, because replicas learn the platform's time from its answers.
    await hosts.ask('sold meanwhile', 80, { scenario: () => PAYS });
    await environment.until(() => environment.openPayments());
    environment.expect(
      (await environment.openPayments()) === 0,
      'some payments are open after their time windows were swept',
    );
  },
  async verify(environment) {
    const rows = await environment.database.rows<{
      key: string;
      state: string;
      cause: string | null;
      reference: string | null;
    }>(
      `select idempotency_key as key, state, cause, transaction->>'reference' as reference
       from tillkit.operation payment where idempotency_key like '${PHASE}%'`,
    );
    const own = new Map(
      environment.simulator
        .charges()
        .map(({ metadata, reference }) => [metadata['key'], reference]),
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
      `${PHASE}: ${matched.length} of ${rows.length} have their own transaction, ${foreign.length} that of another payment; ` +
        [...states].map(([state, times]) => `${state} ${times}`).join(', '),
    );
    environment.expect(
      rows.length === COUNT && matched.length === COUNT,
      `${COUNT - matched.length} payments were not matched to their own transaction`,
    );
    environment.expect(
      foreign.length === 0,
      `${foreign.length} payments were matched to the transaction of another payment`,
    );
    environment.expect(
      rows.every(({ state }) => state === 'succeeded'),
      'some payments did not succeed',
    );
  },
};
