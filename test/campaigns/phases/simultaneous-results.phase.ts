import { PAYS, type CampaignPhase } from '../campaign.phase.js';
import { spread } from '../campaign.printer.js';
import { PaidOrders } from '../paid.orders.js';

const PHASE = 'callback and webhook at once';
const AT_ONCE = 50;
const TIMEOUT_MS = 300_000;

/** Callback and webhook of a payment arrive within 5 ms of each other, in either order. */
export const simultaneousResults: CampaignPhase = {
  name: 'simultaneous-results',
  environment: { subscriptions: 1 },
  async run(environment, { short, draw }) {
    const count = short ? 100 : 2_000;
    await environment.hosts.ask('warm-up', short ? 10 : 60, { scenario: () => PAYS });
    const orders = new PaidOrders(environment);
    const tookMs: number[] = [];
    const since = performance.now();
    await environment.hosts.ask(PHASE, count, {
      scenario: () => PAYS,
      concurrency: AT_ONCE,
      before: (_n, phone) => {
        const delivery = draw() < 0.5 ? 'callback' : 'webhook';
        environment.simulator.faults.once('delay', { delivery, phone }, { ms: draw() * 5 });
      },
      after: async ({ paymentId, askedAt }) => {
        const isPaid = paymentId !== null && (await orders.untilPaid(paymentId, TIMEOUT_MS));
        if (isPaid) tookMs.push(performance.now() - askedAt);
      },
    });
    const seconds = (performance.now() - since) / 1_000;
    orders.stop();
    console.log(
      `${PHASE}: ${Math.round(tookMs.length / seconds)} payments a second; request to order paid: ${spread(tookMs)}`,
    );
    environment.expect(
      tookMs.length === count,
      `${count - tookMs.length} payments had no payment.succeeded`,
    );
  },
  async verify(environment) {
    const untied = await environment.database.count(
      `select count(*) from tillkit.operation payment where idempotency_key like '${PHASE}%' and state = 'succeeded'
       and not exists (select from received_event where name = 'till.transaction.received'
         and received_event.subject = payment.transaction->>'reference' and received_event.payment_id = payment.id)`,
    );
    environment.expect(untied === 0, `${untied} till events do not name their payment`);
    const others = await environment.database.count(
      `select count(*) from tillkit.operation payment where idempotency_key like '${PHASE}%' and state <> 'succeeded'`,
    );
    environment.expect(others === 0, `${others} payments did not succeed`);
  },
};
