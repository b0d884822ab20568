import { setTimeout as sleep } from 'node:timers/promises';
import { FAULTS, type FaultKind } from '@tillkit/simulator';
import type { Habit } from '../campaign.hosts.js';
import type { CampaignEnvironment } from '../campaign.environment.js';
import { PAYS, type CampaignPhase, type PhaseContext } from '../campaign.phase.js';
import { checkBooks } from '../money-out.checker.js';
import { PaidOrders } from '../paid.orders.js';
import { SHORT_FAULTS } from './fault.strengths.js';

/** Hosts that follow the guide, and hosts that do not. */
const HABITS: readonly Habit[] = ['same_key', 'new_key', 'same_key', 'gives_up'];

/** Most payouts are transferred; some are cancelled, lack funds, stay open, or are transferred with errors, an unknown word or no callback. */
const DESTINATIONS = ['61', '71', '81', '62', '61', '68', '91', '70', '63', '64', '67'];

const destinations = (n: number): string[] => [
  DESTINATIONS[n % DESTINATIONS.length] as string,
  ...(n % 3 === 0 ? [DESTINATIONS[(n * 7) % DESTINATIONS.length] as string] : []),
];

/** Requests payouts, of which a part is sent again by careless hosts. */
export function askForPayouts(
  { moneyOut }: CampaignEnvironment,
  phase: string,
  count: number,
): Promise<void> {
  return moneyOut.pay(phase, count, destinations, (n) => HABITS[n % HABITS.length] as Habit);
}

/** Requests payments, waits until they are paid, and refunds them, each under two keys. */
export async function refundPayments(
  environment: CampaignEnvironment,
  phase: string,
  count: number,
): Promise<void> {
  const orders = new PaidOrders(environment);
  const paid: string[] = [];
  await environment.hosts.ask(phase, count, {
    scenario: () => PAYS,
    after: async ({ paymentId, phone }) => {
      if (paid.length % 4 === 3) environment.simulator.payout(phone, 'cancelled');
      if (paymentId && (await orders.untilPaid(paymentId, 20_000))) paid.push(paymentId);
    },
  });
  orders.stop();
  await environment.moneyOut.refund(phase, paid);
}

/** Makes links. Customers pay some, the host cancels some, and some expire. */
export async function shareLinks(
  { moneyOut, simulator }: CampaignEnvironment,
  phase: string,
  count: number,
): Promise<void> {
  const links = await moneyOut.share(phase, count);
  await Promise.all(
    links.map(async (link, n) => {
      const { platformId } = link;
      if (platformId === null || n % 4 === 3) return;
      const pays = simulator
        .payLink(platformId, { phoneNumber: `+2547900${String(n).padStart(5, '0')}` })
        .catch(() => null);
      // Some links are cancelled while they are paid.
      if (n % 4 === 2) await moneyOut.cancel(link);
      await pays;
    }),
  );
}

async function mixture(
  environment: CampaignEnvironment,
  name: string,
  size: number,
  { draw }: PhaseContext,
): Promise<void> {
  const { simulator, database } = environment;
  for (const kind of Object.keys(FAULTS) as FaultKind[]) {
    if (draw() < 0.3) simulator.faults.rate(kind, 0.02 + draw() * 0.15, SHORT_FAULTS[kind]);
  }
  const asking = Promise.all([
    askForPayouts(environment, name, size),
    refundPayments(environment, name, Math.ceil(size / 6)),
    shareLinks(environment, name, Math.ceil(size / 6)),
  ]);
  if (draw() < 0.6) await sleep(300).then(() => database.cut(400));
  if (draw() < 0.4) simulator.expireTokens();
  await asking;
  simulator.faults.clear();
}

/** Payouts, refunds and payment links under random faults. */
export const moneyOut: CampaignPhase = {
  name: 'money-out',
  environment: { tuning: { listenerFaults: 0.05 } },
  async run(environment, context) {
    const mixtures = context.short ? 1 : 10;
    for (let n = 1; n <= mixtures; n += 1)
      await mixture(environment, `money out ${n}`, context.short ? 22 : 60, context);
  },
  verify: async (environment) => checkBooks(environment),
};
