import { PAYS, type CampaignPhase } from '../campaign.phase.js';
import { spread } from '../campaign.printer.js';
import { PaidOrders } from '../paid.orders.js';

const PHASE = 'callback and webhook at once';
const AT_ONCE = 50;
const PATIENCE_MS = 60_000;

/** Callback and webhook of a payment come within 5 ms of each other, in either order. */
export const simultaneousResults: CampaignPhase = {
  name: 'simultaneous-results',
  world: { subscriptions: 1 },
  async run(world, { short, draw }) {
    const count = short ? 100 : 2_000;
    await world.hosts.ask('warm-up', short ? 10 : 60, { scenario: () => PAYS });
    const orders = new PaidOrders(world);
    const tookMs: number[] = [];
    const since = performance.now();
    await world.hosts.ask(PHASE, count, {
      scenario: () => PAYS,
      concurrency: AT_ONCE,
      before: (_n, phone) => {
        const delivery = draw() < 0.5 ? 'callback' : 'webhook';
        world.simulator.faults.once('delay', { delivery, phone }, { ms: draw() * 5 });
      },
      after: async ({ paymentId, askedAt }) => {
        const isPaid = paymentId !== null && (await orders.untilPaid(paymentId, PATIENCE_MS));
        if (isPaid) tookMs.push(performance.now() - askedAt);
      },
    });
    const seconds = (performance.now() - since) / 1_000;
    orders.stop();
    console.log(
      `${PHASE}: ${Math.round(tookMs.length / seconds)} payments a second; request to order paid: ${spread(tookMs)}`,
    );
    world.expect(
      tookMs.length === count,
      `${count - tookMs.length} were not emitted as paid in 60 s`,
    );
  },
  async verify(world) {
    const untied = await world.database.count(
      `select count(*) from tillkit.operation payment where idempotency_key like '${PHASE}%' and state = 'succeeded'
       and not exists (select from received_event where name = 'till.transaction.received'
         and received_event.subject = payment.transaction->>'reference' and received_event.payment_id = payment.id)`,
    );
    world.expect(untied === 0, `${untied} till events do not carry their payment`);
    const others = await world.database.count(
      `select count(*) from tillkit.operation payment where idempotency_key like '${PHASE}%' and state <> 'succeeded'`,
    );
    world.expect(others === 0, `${others} did not succeed`);
  },
};
