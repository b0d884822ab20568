import { setTimeout as sleep } from 'node:timers/promises';
import type { End, Habit } from './campaign.hosts.js';
import { callReplica } from './replica.call.js';

/** A host asks for at most this long, so that every campaign ends. */
const GIVE_UP_MS = 90_000;

const CONCURRENCY = 12;

/** The requests with one idempotency key to one of the services of money out. */
export interface AskedOut {
  phase: string;
  kind: 'payouts' | 'refunds' | 'links';
  key: string;
  /** Our id; null while no replica has answered. */
  id: string | null;
  /** The platform's id, if an answer showed it. */
  platformId: string | null;
  end: End;
  /** Number of calls whose connection broke. */
  broken: number;
  /** The code of the last error. */
  code: string | null;
}

/** Hosts that pay suppliers, refund customers and share links, at the replicas. They remember every key. */
export class MoneyOutHosts {
  readonly asked: AskedOut[] = [];
  private serial = 0;

  /** @param port of the load balancer in front of the replicas */
  constructor(private readonly port: () => number) {}

  /** Asks for payouts to two wallets each. `scenarios` are the last digits of their numbers. */
  async pay(
    phase: string,
    count: number,
    scenarios: (n: number) => readonly string[],
    habit: (n: number) => Habit = () => 'same_key',
  ): Promise<void> {
    await inParallel(count, async (n) => {
      const serial = this.next();
      const destinations = scenarios(n).map((digits, place) => ({
        type: 'mobile_wallet',
        phoneNumber: `+2547${place + 2}${serial}${digits}`,
        network: 'Safaricom',
        amount: '100.00',
        description: 'Wages',
      }));
      await this.ask(phase, 'payouts', `out-${serial}`, habit(n), (key) => ({
        idempotencyKey: key,
        currency: 'KES',
        destinations,
        metadata: { key },
      }));
    });
  }

  /** Refunds payments, each under two keys at the same moment: one of them is refused. */
  async refund(phase: string, paymentIds: readonly string[]): Promise<void> {
    await inParallel(paymentIds.length * 2, async (n) => {
      const paymentId = paymentIds[Math.floor(n / 2)] as string;
      await this.ask(phase, 'refunds', `refund-${this.next()}`, 'same_key', (key) => ({
        idempotencyKey: key,
        paymentId,
        why: 'Out of stock',
        metadata: { key },
      }));
    });
  }

  /** Makes links, and resolves with those that have an answer. */
  async share(phase: string, count: number): Promise<AskedOut[]> {
    const links: AskedOut[] = [];
    await inParallel(count, async () => {
      const asked = await this.ask(phase, 'links', `link-${this.next()}`, 'same_key', (key) => ({
        idempotencyKey: key,
        amount: { currency: 'KES', value: '77.00' },
        metadata: { key },
      }));
      links.push(asked);
    });
    return links;
  }

  /** Cancels a link; an error is as good as an answer. */
  async cancel({ id }: AskedOut): Promise<void> {
    await callReplica(this.port(), 'cancel', { id }).catch(() => null);
  }

  private next(): string {
    return String(this.serial++).padStart(5, '0');
  }

  private async ask(
    phase: string,
    kind: AskedOut['kind'],
    firstKey: string,
    habit: Habit,
    requestOf: (key: string) => object,
  ): Promise<AskedOut> {
    const giveUpAt = Date.now() + GIVE_UP_MS;
    let asked = this.begin(phase, kind, firstKey);
    for (let tries = 1; ; tries += 1) {
      await this.call(asked, requestOf(asked.key));
      const isRefused = asked.code !== null && REFUSALS.has(asked.code);
      if (asked.end === 'answered' || isRefused) return asked;
      if (habit === 'gives_up' || Date.now() > giveUpAt) return asked;
      await sleep(100);
      if (habit !== 'same_key') asked = this.begin(phase, kind, `${firstKey}~${tries}`);
    }
  }

  private begin(phase: string, kind: AskedOut['kind'], key: string): AskedOut {
    const asked: AskedOut = {
      phase,
      kind,
      key,
      id: null,
      platformId: null,
      end: 'no_answer',
      broken: 0,
      code: null,
    };
    this.asked.push(asked);
    return asked;
  }

  private async call(asked: AskedOut, body: object): Promise<void> {
    asked.code = null;
    try {
      const response = await callReplica(this.port(), asked.kind, body);
      const answer = (await response.json()) as {
        id?: string;
        platformId?: string;
        message?: string;
      };
      asked.id = answer.id ?? asked.id;
      asked.platformId = answer.platformId ?? asked.platformId;
      asked.end = response.ok ? 'answered' : 'error';
      if (!response.ok) asked.code = answer.message ?? 'unknown';
    } catch {
      asked.end = 'no_answer';
      asked.broken += 1;
    }
  }
}

/** Errors that say that another request has sent the money, or may do so. */
const REFUSALS = new Set(['PAYMENTS_PAYOUT_IN_FLIGHT', 'PAYMENTS_NOT_REFUNDABLE']);

async function inParallel(count: number, work: (n: number) => Promise<void>): Promise<void> {
  let next = 0;
  await Promise.all(
    Array.from({ length: Math.min(count, CONCURRENCY) }, async () => {
      for (let n = next++; n < count; n = next++) await work(n);
    }),
  );
}
