/** The orders of a merchant: what a host keeps itself, with or without Tillkit. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import { quantile } from '../statistics.js';

export const AMOUNT = '100.00';

export type Ask = (order: OrderRequest) => Promise<unknown>;

interface OrderRequest {
  id: string;
  phoneNumber: string;
}

export interface Many {
  /** Number of the first payment. Each payment has its own order and phone. */
  from: number;
  count: number;
  concurrency: number;
}

export interface Paced {
  from: number;
  count: number;
  everyMs: number;
}

/** The orders that one process has completed since its counts were cleared, also those that another process asked for. */
export interface Completed {
  paid: number;
  transactions: number;
  /** Time of the last of them, in nanoseconds of the machine's clock. */
  lastAt: bigint;
}

export interface PaidResult {
  /** Whole payments a second: from the first call to the last order that is paid and whose transaction is stored. */
  rate: number;
  /** The time from the call to the paid order, in milliseconds. */
  p50: number;
  p99: number;
}

/** Two processes that start at once may both create a table that exists for neither: one waits for the other. */
const TABLES = `
select pg_advisory_xact_lock(hashtext('shop tables'));
create table if not exists shop_order (
  id text primary key, phone text not null, amount text not null, state text not null, location text, paid_at timestamptz);
create table if not exists shop_transaction (reference text primary key, amount text not null, phone text)`;

/** Each order has a phone of its own. */
export function phoneOf(n: number): string {
  return `+2547${String(n % 1e8).padStart(8, '0')}`;
}

/** A run that takes longer has failed. */
const MOST_MS = 10 * 60_000;

/** Orders of one process, and when each was asked for and paid. */
export class Orders {
  private readonly askedAt = new Map<string, number>();
  private readonly paidMs: number[] = [];
  private completed: Completed = { paid: 0, transactions: 0, lastAt: 0n };
  private wake: () => void = () => undefined;

  constructor(private readonly pool: Pool) {}

  async create(): Promise<void> {
    await this.pool.query(TABLES);
  }

  async insert({ id, phoneNumber }: OrderRequest): Promise<void> {
    await this.pool.query(
      `insert into shop_order (id, phone, amount, state) values ($1, $2, $3, 'new')`,
      [id, phoneNumber, AMOUNT],
    );
  }

  /** Call it when an order was paid: its row is updated. */
  paid(id: string): void {
    this.count('paid');
    const askedAt = this.askedAt.get(id);
    // Another process may have asked for it.
    if (askedAt === undefined) return;
    this.askedAt.delete(id);
    this.paidMs.push(performance.now() - askedAt);
  }

  /** Call it when a transaction was inserted. */
  received(): void {
    this.count('transactions');
  }

  /** Returns what this process has completed since the last call of `clear`. */
  progress(): Completed {
    return this.completed;
  }

  /** Begins with empty counts. */
  clear(): void {
    this.paidMs.length = 0;
    this.completed = { paid: 0, transactions: 0, lastAt: 0n };
  }

  /** Asks for this many payments at a time: each caller asks again as soon as its last call has ended. */
  async askMany(ask: Ask, { from, count, concurrency }: Many): Promise<void> {
    let next = from;
    await Promise.all(
      Array.from({ length: concurrency }, async () => {
        while (next < from + count) {
          next += 1;
          await this.ask(ask, next);
        }
      }),
    );
  }

  async payMany(ask: Ask, many: Many): Promise<PaidResult> {
    return this.measured(many.count, () => this.askMany(ask, many));
  }

  async payPaced(ask: Ask, paced: Paced): Promise<PaidResult> {
    return this.measured(paced.count, () => this.askPaced(ask, paced));
  }

  /** Asks for payments one after the other, at a constant interval. */
  private async askPaced(ask: Ask, { from, count, everyMs }: Paced): Promise<void> {
    const startedAt = performance.now();
    const asked: Promise<void>[] = [];
    for (let n = 0; n < count; n += 1) {
      await sleep(Math.max(0, startedAt + n * everyMs - performance.now()));
      asked.push(this.ask(ask, from + n + 1));
    }
    await Promise.all(asked);
  }

  /** Returns the times from the calls to the paid orders, since the last call of `clear`. */
  private latencies(): Pick<PaidResult, 'p50' | 'p99'> {
    const sorted = Float64Array.from(this.paidMs).sort();
    return { p50: quantile(sorted, 0.5), p99: quantile(sorted, 0.99) };
  }

  private async ask(ask: Ask, n: number): Promise<void> {
    const order = { id: `order-${n}`, phoneNumber: phoneOf(n) };
    this.askedAt.set(order.id, performance.now());
    await ask(order);
  }

  private async measured(count: number, work: () => Promise<void>): Promise<PaidResult> {
    this.clear();
    const startedAt = process.hrtime.bigint();
    await work();
    await this.complete(count);
    return {
      rate: count / (Number(this.completed.lastAt - startedAt) / 1e9),
      ...this.latencies(),
    };
  }

  private count(what: 'paid' | 'transactions'): void {
    this.completed[what] += 1;
    this.completed.lastAt = process.hrtime.bigint();
    this.wake();
  }

  /** Resolves when so many orders are paid and so many transactions received since the last call of `clear`. */
  private async complete(count: number): Promise<void> {
    const until = performance.now() + MOST_MS;
    for (;;) {
      const { paid, transactions } = this.completed;
      if (paid >= count && transactions >= count) return;
      if (performance.now() > until)
        throw new Error(
          `${paid} of ${count} orders were paid, ${transactions} of ${count} transactions received`,
        );
      await new Promise<void>((resolve) => {
        this.wake = resolve;
        setTimeout(resolve, 1_000).unref();
      });
    }
  }
}
