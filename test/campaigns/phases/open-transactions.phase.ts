import { setTimeout as sleep } from 'node:timers/promises';
import type { Asked } from '../campaign.hosts.js';
import { PAYS, type CampaignPhase } from '../campaign.phase.js';
import { spread } from '../campaign.printer.js';
import type { CampaignWorld } from '../campaign.world.js';

const OPEN_MS = 8_000;

/** The replicas' `sendBeforeMs` is 10 s: a commit after that comes too late to be sent. */
const TOO_LONG_MS = 12_000;

/** Five seconds in the line of those that wait for an open transaction, three for its end, and one for a busy machine. */
const SAME_CUSTOMER_MS = 9_000;

/** Transactions of each kind at once. */
const OF_EACH = 6;

const BYSTANDERS = 8;

const COMMITTED = 'open 8 s, committed';
const ROLLED_BACK = 'open 8 s, rolled back';
const TOO_LATE = 'open 12 s, committed too late';
const SAME_CUSTOMER = 'same customer meanwhile';
const UNDISTURBED = 'others, nothing open';
const MEANWHILE = 'others, transactions open';

/** Hosts keep transactions with a recorded payment open for seconds: that is nobody else's business. */
export const openTransactions: CampaignPhase = {
  name: 'open-transactions',
  async run(world) {
    const { hosts } = world;
    // The first payments pay for connections and compiled code, which is not what is compared.
    await hosts.ask('warm-up', 60, { scenario: () => PAYS });
    await askFor(world, UNDISTURBED, OPEN_MS);

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
    // They wait for the open transaction, as they must, and for no longer than a host would.
    const sameCustomers = held.map(({ customer }) =>
      hosts.askAs(SAME_CUSTOMER, { ...customer, key: `${customer.key}-again` }, 'gives_up'),
    );
    await askFor(world, MEANWHILE, OPEN_MS - 1_000);
    await Promise.all([...sameCustomers, ...held.map(({ ended }) => ended)]);

    const meanwhile = durations(world, MEANWHILE);
    console.log(`${UNDISTURBED}: ${spread(durations(world, UNDISTURBED))}`);
    console.log(`${MEANWHILE}: ${spread(meanwhile)}`);
    console.log(`${SAME_CUSTOMER}: ${spread(durations(world, SAME_CUSTOMER))}`);
    world.expect(
      Math.max(...meanwhile) < OPEN_MS / 2,
      `somebody waited for another customer's open transaction`,
    );
    world.expect(
      Math.max(...durations(world, SAME_CUSTOMER)) < SAME_CUSTOMER_MS,
      'a call of the same customer waited for longer than it may',
    );
  },
  async verify(world) {
    const charged = new Set(world.simulator.charges().map(({ metadata }) => metadata['key']));
    const late = await world.database.rows<{ state: string; reason: string }>(
      `select state, reason from tillkit.operation payment where idempotency_key like '${TOO_LATE}%'
       and idempotency_key not like '%-again'`,
    );
    world.expect(
      late.length === OF_EACH &&
        late.every(({ state, reason }) => state === 'failed' && reason === 'not_sent'),
      `what was committed too late ended as ${JSON.stringify(late)}`,
    );
    for (const { phase, key } of world.hosts.asked) {
      if (phase === COMMITTED)
        world.expect(charged.has(key), `${key} was committed in time and not charged`);
      if (phase === TOO_LATE)
        world.expect(!charged.has(key), `${key} was committed too late and charged`);
    }
  },
};

async function askFor(world: CampaignWorld, phase: string, ms: number): Promise<void> {
  const until = Date.now() + ms;
  while (Date.now() < until)
    await world.hosts.ask(phase, BYSTANDERS, { scenario: () => PAYS, concurrency: BYSTANDERS });
}

function durations({ hosts }: CampaignWorld, phase: string): number[] {
  return hosts.asked.filter((asked: Asked) => asked.phase === phase).map(({ tookMs }) => tookMs);
}
