import { setTimeout as sleep } from 'node:timers/promises';
import { callReplica } from './replica.call.js';
import type { OpenRecording } from './replica.controller.js';

/** Default number of concurrent requests. */
const CONCURRENCY = 16;

/** A host asks for at most this long, so that every campaign ends. */
const GIVE_UP_MS = 90_000;

/**
 * After a failed call, a host repeats it with the same key until it has an answer, as the guide says; or it asks with a new key, as naive hosts
 * do; or it gives up.
 */
export type Habit = 'same_key' | 'new_key' | 'gives_up';

/**
 * The last call for a key ended with an answer; with an error of the library, after which nothing may be sent; with a rollback of the host; or
 * without an answer, because the connection broke: then the outcome is unknown.
 */
export type End = 'answered' | 'error' | 'rolled_back' | 'no_answer';

/** The requests with one idempotency key. */
export interface Asked {
  phase: string;
  key: string;
  phone: string;
  end: End;
  /** Null while no replica has answered. */
  paymentId: string | null;
  /** The time at which the last call began, on the monotonic clock. */
  askedAt: number;
  /** Number of calls whose connection broke, so that their outcome is unknown. */
  broken: number;
  /** Duration of the last call. */
  tookMs: number;
}

export interface Asking {
  /** Returns the scenario of the nth customer: last digits of the phone number. */
  scenario: (n: number) => string;
  habit?: (n: number) => Habit;
  /** Till of the nth payment; default: the till of the replicas. */
  till?: (n: number) => string | undefined;
  concurrency?: number;
  /** Runs before the nth request. */
  before?: (n: number, phone: string) => Promise<void> | void;
  /** Runs after the nth request. */
  after?: (asked: Asked) => Promise<void>;
}

interface Customer {
  phone: string;
  key: string;
  till: string | undefined;
}

/** The hosts: they request payments at the replicas, and remember every key. */
export class CampaignHosts {
  readonly asked: Asked[] = [];
  private customers = 0;

  /** @param port of the load balancer in front of the replicas */
  constructor(private readonly port: () => number) {}

  /** Requests one payment from each of `count` new customers. Habits may add requests. */
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

  /** Requests a payment from one customer until there is an answer or the host gives up. */
  async askAs(phase: string, customer: Customer, habit: Habit): Promise<Asked> {
    const giveUpAt = Date.now() + GIVE_UP_MS;
    let asked = this.begin(phase, customer.key, customer.phone);
    for (let tries = 1; ; tries += 1) {
      await this.call('request', asked, requestOf(customer, asked.key));
      if (asked.end === 'answered' || habit === 'gives_up' || Date.now() > giveUpAt) return asked;
      await sleep(100);
      if (habit !== 'same_key')
        asked = this.begin(phase, `${customer.key}~${tries}`, customer.phone);
    }
  }

  /** Records a payment in a transaction that the host keeps open for a while. */
  async record(
    phase: string,
    customer: Customer,
    { holdMs, end }: Pick<OpenRecording, 'holdMs' | 'end'>,
  ): Promise<Asked> {
    const asked = this.begin(phase, customer.key, customer.phone);
    const request = requestOf(customer, customer.key);
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
      const response = await callReplica(this.port(), route, body);
      const answer = (await response.json()) as { id?: string };
      asked.paymentId = answer.id ?? null;
      asked.end = response.ok ? 'answered' : 'error';
    } catch {
      // The replica is dead, frozen or not started: another one will answer.
      asked.end = 'no_answer';
      asked.broken += 1;
    }
    asked.tookMs = performance.now() - asked.askedAt;
  }
}

/** The metadata contain the key, so that the platform's charges show it. */
function requestOf({ phone, till }: Customer, key: string): OpenRecording['request'] {
  return {
    idempotencyKey: key,
    subscriber: { firstName: 'Jane', lastName: 'Doe', phoneNumber: phone },
    amount: { currency: 'KES', value: '100.00' },
    metadata: { key },
    ...(till !== undefined && { tillNumber: till }),
  };
}
