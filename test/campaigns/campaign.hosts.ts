import { setTimeout as sleep } from 'node:timers/promises';
import type { OpenRecording } from './replica.controller.js';

/** Payments asked for at once, unless a phase says otherwise. */
const CONCURRENCY = 16;

/** After this a host takes a replica for dead. */
const PATIENCE_MS = 20_000;

/** No host asks for longer, so that a campaign ends whatever is broken. */
const GIVE_UP_MS = 90_000;

/**
 * What a host does when its call did not end well: asks again with the same key until it has an answer, as the guide says;
 * asks anew with another key, as naive hosts do, with or without `allowParallel`; or leaves it.
 */
export type Habit = 'same_key' | 'new_key' | 'new_key_parallel' | 'gives_up';

/**
 * How the last call for a key ended: with an answer; with an error of the library, after which nothing may ever be sent;
 * with the host's rollback; or no_answer, because the connection broke, which says nothing.
 */
export type End = 'answered' | 'error' | 'rolled_back' | 'no_answer';

/** One idempotency key. */
export interface Asked {
  phase: string;
  key: string;
  phone: string;
  end: End;
  /** Null while no replica has answered. */
  paymentId: string | null;
  /** On the monotonic clock, when the last call began. */
  askedAt: number;
  /** Calls whose connection broke: what they did, nobody can say. */
  broken: number;
  /** Of the last call. */
  tookMs: number;
}

export interface Asking {
  /** The scenario that the nth customer plays: last digits of the phone number. */
  scenario: (n: number) => string;
  habit?: (n: number) => Habit;
  /** Till of the nth payment, else the replicas' own. */
  till?: (n: number) => string | undefined;
  concurrency?: number;
  /** Before the nth payment is asked for. */
  before?: (n: number, phone: string) => Promise<void> | void;
  /** After the nth was answered. */
  after?: (asked: Asked) => Promise<void>;
}

interface Customer {
  phone: string;
  key: string;
  till: string | undefined;
}

/** The merchant's own code, which asks the replicas for payments. Every key that was ever used is remembered. */
export class CampaignHosts {
  readonly asked: Asked[] = [];
  private customers = 0;

  /** @param port of what spreads requests over the replicas */
  constructor(private readonly port: () => number) {}

  /** Each of so many customers is asked once, in so far as the hosts' habits have it so. */
  async ask(phase: string, count: number, asking: Asking): Promise<void> {
    const { scenario, habit, till, concurrency = CONCURRENCY, before, after } = asking;
    let next = 0;
    await Promise.all(
      Array.from({ length: Math.min(count, concurrency) }, async () => {
        for (let n = next++; n < count; n = next++) {
          const customer = { ...this.newCustomer(phase, scenario(n)), till: till?.(n) };
          await before?.(n, customer.phone);
          const asked = await this.askAs(phase, customer, habit?.(n) ?? 'same_key');
          await after?.(asked);
        }
      }),
    );
  }

  newCustomer(phase: string, scenario: string): { phone: string; key: string } {
    const serial = String(this.customers++).padStart(5, '0');
    return { phone: `+25471${serial}${scenario}`, key: `${phase}-${serial}` };
  }

  /** Asks for one customer until it is answered or the host leaves it. */
  async askAs(phase: string, customer: Customer, habit: Habit): Promise<Asked> {
    const giveUpAt = Date.now() + GIVE_UP_MS;
    let asked = this.begin(phase, customer.key, customer.phone);
    for (let tries = 1; ; tries += 1) {
      await this.call('request', asked, requestOf(customer, asked.key, habit));
      if (asked.end === 'answered' || habit === 'gives_up' || Date.now() > giveUpAt) return asked;
      await sleep(100);
      if (habit !== 'same_key')
        asked = this.begin(phase, `${customer.key}~${tries}`, customer.phone);
    }
  }

  /** Records one in a transaction that the host leaves open for a while. */
  async record(
    phase: string,
    customer: Customer,
    { holdMs, end }: Pick<OpenRecording, 'holdMs' | 'end'>,
  ): Promise<Asked> {
    const asked = this.begin(phase, customer.key, customer.phone);
    const request = requestOf(customer, customer.key, 'same_key');
    await this.call('record', asked, { request, holdMs, end });
    if (asked.end === 'answered' && end === 'rollback') asked.end = 'rolled_back';
    return asked;
  }

  private begin(phase: string, key: string, phone: string): Asked {
    const asked: Asked = {
      phase,
      key,
      phone,
      end: 'no_answer',
      paymentId: null,
      askedAt: 0,
      broken: 0,
      tookMs: 0,
    };
    this.asked.push(asked);
    return asked;
  }

  private async call(route: 'request' | 'record', asked: Asked, body: object): Promise<void> {
    asked.askedAt = performance.now();
    try {
      const response = await fetch(`http://127.0.0.1:${this.port()}/${route}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(PATIENCE_MS),
      });
      const answer = (await response.json()) as { id?: string };
      asked.paymentId = answer.id ?? null;
      asked.end = response.ok ? 'answered' : 'error';
    } catch {
      // The replica died, or is frozen, or was never there: another one will answer.
      asked.end = 'no_answer';
      asked.broken += 1;
    }
    asked.tookMs = performance.now() - asked.askedAt;
  }
}

/** The key travels with the money, so that the platform's own charges say which key each is for. */
function requestOf({ phone, till }: Customer, key: string, habit: Habit): OpenRecording['request'] {
  return {
    idempotencyKey: key,
    subscriber: { firstName: 'Jane', lastName: 'Doe', phoneNumber: phone },
    amount: { currency: 'KES', value: '100.00' },
    metadata: { key },
    ...(till !== undefined && { tillNumber: till }),
    ...(habit === 'new_key_parallel' && { allowParallel: true }),
  };
}
