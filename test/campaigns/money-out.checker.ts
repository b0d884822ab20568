import type { ReceivedEvents } from './campaign.checker.js';
import type { CampaignEnvironment } from './campaign.environment.js';
import type { AskedOut } from './money-out.hosts.js';
import { emptyResult, type PhaseResult } from './phase.result.js';

/** The books of the platform say what really happened for one key. */
interface Truth {
  /** Requests that the platform carried out. */
  requests: number;
  /** Parts that were really paid, and all parts. */
  paid: number;
  parts: number;
}

/** Compares the money that left, came back or came by links with what listeners received. */
export function checkMoneyOut(
  environment: CampaignEnvironment,
  ids: ReadonlyMap<string, string>,
  received: ReceivedEvents,
): PhaseResult[] {
  const results = new Map<string, PhaseResult>();
  const truths = {
    payouts: payouts(environment),
    refunds: refunds(environment),
    links: links(environment),
  };
  for (const asked of environment.moneyOut.asked) {
    const phase = `${asked.phase}: ${asked.kind}`;
    const result = results.get(phase) ?? emptyResult(phase);
    results.set(phase, result);
    const truth = truths[asked.kind].get(asked.key) ?? { requests: 0, paid: 0, parts: 0 };
    const id = ids.get(`${KINDS[asked.kind]} ${asked.key}`);
    compare(asked, id, truth, received, result);
  }
  return [...results.values()];
}

const KINDS = { payouts: 'payout', refunds: 'refund', links: 'payment_link' } as const;

const EVENTS = {
  payouts: {
    all: 'payout.succeeded',
    some: 'payout.partially-succeeded',
    none: ['payout.failed'],
    review: 'payout.needs_review',
  },
  refunds: {
    all: 'refund.succeeded',
    some: '',
    none: ['refund.failed'],
    review: 'refund.needs_review',
  },
  links: {
    all: 'payment-link.paid',
    some: '',
    none: ['payment-link.failed', 'payment-link.cancelled', 'payment-link.expired'],
    review: 'payment-link.needs_review',
  },
} as const;

function compare(
  { kind, key, end, broken, code }: AskedOut,
  id: string | undefined,
  { requests, paid, parts }: Truth,
  events: ReceivedEvents,
  result: PhaseResult,
): void {
  const names = EVENTS[kind];
  const count = (name: string): number => (id ? events.count(name, id) : 0);
  const [all, some, review] = [count(names.all), count(names.some), count(names.review)];
  const none = names.none.reduce((sum, name) => sum + count(name), 0);
  const lose = (what: string): void => {
    result.lost += 1;
    console.log(`lost: ${key}: ${what}`);
  };
  const contradict = (what: string): void => {
    result.contradictions += 1;
    console.log(`contradiction: ${key}: ${what}`);
  };
  result.asked += 1;
  if (end !== 'answered') result.leftAlone += 1;
  result.charged += paid;
  result.succeeded += Math.min(1, all + some);
  result.failed += Math.min(1, none);
  result.review += Math.min(1, review);
  if ((id !== undefined || end === 'answered') && all + some + none + review === 0)
    lose('no event with its outcome');
  if (paid > 0 && all + some + review === 0) lose('paid, but no event reports it');
  if (all > 1 || some > 1 || none > 1) result.doubleEvents += 1;
  if (requests > 1) result.doubleCharges += requests - 1;
  if (all > 0 && (paid === 0 || paid < parts)) contradict('succeeded, and not all was paid');
  if (some > 0 && (paid === 0 || paid === parts))
    contradict('partially succeeded, and all or none was paid');
  if (none > 0 && paid > 0 && review === 0) contradict('failed, and it was paid');
  if (end === 'error' && broken === 0 && code !== null && requests > 0)
    contradict(`sent, although the call ended in ${code}`);
}

function payouts({ simulator }: CampaignEnvironment): Map<string, Truth> {
  const truths = new Map<string, Truth>();
  for (const { metadata, destinations, sweep } of simulator.payouts()) {
    if (sweep) throw new Error('a request would have sent all funds');
    add(
      truths,
      metadata['key'],
      destinations.filter((one) => one.paid).length,
      destinations.length,
    );
  }
  return truths;
}

function refunds({ simulator }: CampaignEnvironment): Map<string, Truth> {
  const truths = new Map<string, Truth>();
  for (const { metadata, paid } of simulator.refunds())
    add(truths, metadata['key'], Number(paid), 1);
  return truths;
}

function links({ simulator }: CampaignEnvironment): Map<string, Truth> {
  const truths = new Map<string, Truth>();
  for (const { metadata, reference } of simulator.links())
    add(truths, metadata['key'], Number(reference !== null), 1);
  return truths;
}

function add(truths: Map<string, Truth>, key: unknown, paid: number, parts: number): void {
  const existing = truths.get(String(key)) ?? { requests: 0, paid: 0, parts: 0 };
  truths.set(String(key), {
    requests: existing.requests + 1,
    paid: existing.paid + paid,
    parts: existing.parts + parts,
  });
}

/** Finds persons who were paid twice under different keys, and checks that the books of the platform balance to the cent. */
export function checkBooks(environment: CampaignEnvironment): void {
  const { simulator } = environment;
  const times = new Map<string, number>();
  for (const { destinations } of simulator.payouts())
    for (const { number, paid } of destinations)
      if (paid) times.set(number, (times.get(number) ?? 0) + 1);
  const twice = [...times.values()].filter((count) => count > 1).length;
  environment.expect(twice === 0, `${twice} wallets were paid twice`);
  const refunded = simulator.refunds().filter(({ paid }) => paid);
  const references = new Set(refunded.map(({ transactionReference }) => transactionReference));
  environment.expect(refunded.length === references.size, 'a transaction was refunded twice');
  const balances = simulator.balances();
  const sum = balances.reduce((total, { balance }) => total + balance, 0);
  environment.expect(sum === 0, `the books of the platform differ by ${sum} cents`);
  for (const { account, balance } of balances)
    environment.expect(account === 'world' || balance >= 0, `${account} has ${balance} cents`);
}
