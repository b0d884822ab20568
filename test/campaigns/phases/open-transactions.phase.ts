import { setTimeout as sleep } from 'node:timers/promises';
import type { Asked } from '../campaign.hosts.js';
import { PAYS, type CampaignPhase } from '../campaign.phase.js';
import { spread } from '../campaign.printer.js';
import type { CampaignEnvironment } from '../campaign.environment.js';

const OPEN_MS = 8_000;

/** This is longer than the replicas' `sendBeforeMs` of 10 s: after such a commit the payment is not sent. */
const TOO_LONG_MS = 12_000;

/** Five seconds in the queue behind an open transaction, three for its lock, and one for a busy machine. */
const SAME_CUSTOMER_MS = 9_000;

/** Concurrent transactions of each kind. */
const OF_EACH = 6;

const BYSTANDERS = 8;

const COMMITTED = 'open 8 s, committed';
const ROLLED_BACK = 'open 8 s, rolled back';
const TOO_LATE = 'open 12 s, committed too late';
const SAME_CUSTOMER = 'same customer meanwhile';
const UNDISTURBED = 'others, nothing open';
const MEANWHILE = 'others, transactions open';

/** Hosts keep transactions with a recorded payment open for seconds. Other customers must not wait for them. */
export const openTransactions: CampaignPhase = {
  name: 'open-transactions',
  async run(environment) {
    const { hosts } = environment;
    // Opens connections and compiles code before the measurement.
    await hosts.ask('warm-up', 60, { scenario: () => PAYS });
    await askFor(environment, UNDISTURBED, OPEN_MS);

    const open = [
      { phase: COMMITTED, holdMs: OPEN_MS, end: 'commit' },
      { phase: ROLLED_BACK, holdMs: OPEN_MS, end: 'rollback' },
      { phase: TOO_LATE, holdMs: TOO_LONG_MS, end: 'commit' },
    ] as const;
    const held = open.flatMap(({ phase, holdMs, end }) =>
      Array.from({ length: OF_EACH }, () => {
        const customer = { ...hosts.newCustomer(phase, PAYS), till: undefined };
        return { customer, ended: hosts.record(phase, customer, { holdMs, end }) };
      }),
    );
    await sleep(500);
    // Requests of the same customers wait for the open transactions, but not longer than the limit.
    const sameCustomers = held.map(({ customer }) =>
      hosts.askAs(SAME_CUSTOMER, { ...customer, key: `${customer.key}-again` }, 'gives_up'),
    );
    await askFor(environment, MEANWHILE, OPEN_MS - 1_000);
    await Promise.all([...sameCustomers, ...held.map(({ ended }) => ended)]);

    const meanwhile = durations(environment, MEANWHILE);
    console.log(`${UNDISTURBED}: ${spread(durations(environment, UNDISTURBED))}`);
    console.log(`${MEANWHILE}: ${spread(meanwhile)}`);
    console.log(`${SAME_CUSTOMER}: ${spread(durations(environment, SAME_CUSTOMER))}`);
    environment.expect(
      Math.max(...meanwhile) < OPEN_MS / 2,
      `a request waited for the open transaction of another customer`,
    );
    environment.expect(
      Math.max(...durations(environment, SAME_CUSTOMER)) < SAME_CUSTOMER_MS,
      'a call of the same customer waited for longer than it may',
    );
  },
  async verify(environment) {
    const charged = new Set(environment.simulator.charges().map(({ metadata }) => metadata['key']));
    const late = await environment.database.rows<{ state: string; reason: string }>(
      `select state, reason from tillkit.operation payment where idempotency_key like '${TOO_LATE}%'
       and idempotency_key not like '%-again'`,
    );
    environment.expect(
      late.length === OF_EACH &&
        late.every(({ state, reason }) => state === 'failed' && reason === 'not_sent'),
      `payments that were committed too late ended as ${JSON.stringify(late)}`,
    );
    for (const { phase, key } of environment.hosts.asked) {
      if (phase === COMMITTED)
        environment.expect(charged.has(key), `${key} was committed in time, but not charged`);
      if (phase === TOO_LATE)
        environment.expect(!charged.has(key), `${key} was committed too late, but charged`);
    }
  },
};

async function askFor(environment: CampaignEnvironment, phase: string, ms: number): Promise<void> {
  const until = Date.now() + ms;
  while (Date.now() < until)
    await environment.hosts.ask(phase, BYSTANDERS, {
      scenario: () => PAYS,
      concurrency: BYSTANDERS,
    });
}

function durations({ hosts }: CampaignEnvironment, phase: string): number[] {
  return hosts.asked.filter((asked: Asked) => asked.phase === phase).map(({ tookMs }) => tookMs);
}
