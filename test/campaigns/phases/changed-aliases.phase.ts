import { setTimeout as sleep } from 'node:timers/promises';
import { PAYS, type CampaignPhase } from '../campaign.phase.js';
import { OTHER_FORM, TILL } from '../campaign.platform.js';
import type { CampaignWorld } from '../campaign.world.js';

/** With these the short form begins, which saves it one of two restarts. */
export const ALIASES = { [OTHER_FORM]: TILL };

/** Replicas are restarted with an alias added and removed, in the middle of payments and of webhooks with both forms. */
export const changedAliases: CampaignPhase = {
  name: 'changed-aliases',
  world: { joinsForms: true },
  async run(world, { short }) {
    const count = short ? 12 : 120;
    const atTill = (phase: string): Promise<void> =>
      world.hosts.ask(phase, count, { scenario: () => PAYS, before: () => sleep(30) });

    // Added in the middle of payments.
    if (!short) {
      const before = atTill('before the alias');
      await restartWith(world, ALIASES);
      await before;
    }

    // Both forms, of new money and of money that was emitted before.
    const joined = world.hosts.ask('alias present', count, {
      scenario: () => PAYS,
      till: (n) => (n % 2 === 0 ? OTHER_FORM : TILL),
    });
    await tellInOtherForm(world);
    await joined;
    await tellInOtherForm(world);
    await world.until(() => world.waitingWork(), 30_000);

    // Removed while callbacks of payments to the other form are on their way: they were joined when they were asked for.
    world.simulator.faults.rate('delay', 1, {
      ms: short ? 1_500 : 6_000,
      match: { delivery: 'callback' },
    });
    await world.hosts.ask('alias removed meanwhile', count, {
      scenario: () => PAYS,
      till: (n) => (n % 2 === 0 ? OTHER_FORM : TILL),
    });
    world.simulator.faults.clear('delay');
    await restartWith(world, {});
    // All of it was emitted while both forms were one till.
    await world.until(() => world.waitingWork(), 30_000);
    await tellInOtherForm(world, new Set(['alias present']));
    if (short) return;

    const after = atTill('after the alias');
    await tellInOtherForm(world, new Set(['alias present']));
    await after;
    await world.until(() => world.waitingWork(), 30_000);
    const again = atTill('alias added again');
    await restartWith(world, ALIASES);
    await again;
    await tellInOtherForm(world);
  },
  async verify(world) {
    const [review] = await world.database.rows<{ keys: string | null }>(
      `select string_agg(idempotency_key || ' ' || coalesce(cause_detail, cause, ''), '; ') as keys
       from tillkit.operation payment where state = 'needs_review' and idempotency_key like '%alias%'`,
    );
    world.expect(!review?.keys, `correctly paid and in review: ${review?.keys}`);
  },
};

async function restartWith(world: CampaignWorld, aliases: Record<string, string>): Promise<void> {
  world.tuning.tillAliases = aliases;
  await world.replicas.restartOneByOne();
}

/** Webhooks for the money that came so far, with the other form of the till in them. */
async function tellInOtherForm(
  { simulator, hosts }: CampaignWorld,
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
          till_number: OTHER_FORM,
          sender_phone_number: phone,
          amount: amount.toFixed(1),
          origination_time: initiatedAt,
        });
      }),
  );
}
