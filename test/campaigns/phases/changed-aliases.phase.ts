import { setTimeout as sleep } from 'node:timers/promises';
import { PAYS, type CampaignPhase } from '../campaign.phase.js';
import { OTHER_NUMBER, TILL } from '../campaign.platform.js';
import type { CampaignEnvironment } from '../campaign.environment.js';

/** The aliases with which the short form begins. This saves one restart. */
export const ALIASES = { [OTHER_NUMBER]: TILL };

/** Replicas restart with an alias added and removed, during payments and webhooks with both till numbers. */
export const changedAliases: CampaignPhase = {
  name: 'changed-aliases',
  environment: { joinsNumbers: true },
  async run(environment, { short }) {
    const count = short ? 12 : 120;
    const atTill = (phase: string): Promise<void> =>
      environment.hosts.ask(phase, count, { scenario: () => PAYS, before: () => sleep(30) });

    // The alias is added during payments.
    if (!short) {
      const before = atTill('before the alias');
      await restartWith(environment, ALIASES);
      await before;
    }

    // Webhooks with both numbers, about new transactions and about transactions whose events were emitted before.
    const joined = environment.hosts.ask('alias present', count, {
      scenario: () => PAYS,
      till: (n) => (n % 2 === 0 ? OTHER_NUMBER : TILL),
    });
    await sendWebhooksWithOtherNumber(environment);
    await joined;
    await sendWebhooksWithOtherNumber(environment);
    await environment.until(() => environment.waitingWork());

    // The alias is removed while callbacks of payments to the other number are delayed. It joined the numbers at their request.
    environment.simulator.faults.rate('delay', 1, {
      ms: short ? 1_500 : 6_000,
      match: { delivery: 'callback' },
    });
    await environment.hosts.ask('alias removed meanwhile', count, {
      scenario: () => PAYS,
      till: (n) => (n % 2 === 0 ? OTHER_NUMBER : TILL),
    });
    environment.simulator.faults.clear('delay');
    await restartWith(environment, {});
    // All events were emitted while the alias joined both numbers.
    await environment.until(() => environment.waitingWork());
    await sendWebhooksWithOtherNumber(environment, new Set(['alias present']));
    if (short) return;

    const after = atTill('after the alias');
    await sendWebhooksWithOtherNumber(environment, new Set(['alias present']));
    await after;
    await environment.until(() => environment.waitingWork());
    const again = atTill('alias added again');
    await restartWith(environment, ALIASES);
    await again;
    await sendWebhooksWithOtherNumber(environment);
  },
  async verify(environment) {
    const [review] = await environment.database.rows<{ keys: string | null }>(
      `select string_agg(idempotency_key || ' ' || coalesce(cause_detail, cause, ''), '; ') as keys
       from tillkit.operation payment where state = 'needs_review' and idempotency_key like '%alias%'`,
    );
    environment.expect(!review?.keys, `paid correctly, but in review: ${review?.keys}`);
  },
};

async function restartWith(
  environment: CampaignEnvironment,
  aliases: Record<string, string>,
): Promise<void> {
  environment.tuning.tillAliases = aliases;
  await environment.replicas.restartOneByOne();
}

/** Sends webhooks about all transactions so far, with the other number of the till. */
async function sendWebhooksWithOtherNumber(
  { simulator, hosts }: CampaignEnvironment,
  phases?: ReadonlySet<string>,
): Promise<void> {
  const phaseOf = new Map(hosts.asked.map(({ key, phase }) => [key, phase]));
  await Promise.all(
    simulator
      .charges()
      .filter(({ metadata }) => !phases || phases.has(phaseOf.get(String(metadata['key'])) ?? ''))
      .map(async ({ reference, phone, amount, initiatedAt }) => {
        if (reference === null) return;
        await simulator.emit('buygoods_transaction_received', {
          reference,
          till_number: OTHER_NUMBER,
          sender_phone_number: phone,
          amount: amount.toFixed(1),
          origination_time: initiatedAt,
        });
      }),
  );
}
