import { Injectable, type Provider } from '@nestjs/common';
import { OnPaymentEvent, PaymentsService, type PaymentsEvents } from '@tillkit/payments';
import type { HostTransaction, Payment, RequestPayment } from '@tillkit/payments';
import type { HostDatabase } from '@tillkit/payments/types';
import pg from 'pg';
import { poolOf } from './pool.js';

/** A service of the host that uses its library as docs/databases.md shows it. */
export interface HostOrders {
  place(id: string, input: RequestPayment): Promise<Payment>;
}

type Work<T> = (transaction: HostTransaction) => Promise<T>;

/** The database library of a host, used as the documentation of the library says. */
export interface HostLibrary {
  database: HostDatabase;
  /** The first is its service `HostOrders`. */
  providers: [new (...args: never[]) => HostOrders, ...Provider[]];
  /** Commits when the work resolves, and rolls back when it rejects. The work gets the transaction of the library. */
  inTransaction<T>(work: Work<T>): Promise<T>;
  /** Runs work in a savepoint of a transaction. */
  nested<T>(transaction: never, work: Work<T>): Promise<T>;
  /** Runs a statement of the host in a transaction. */
  run(transaction: never, text: string, ...values: string[]): Promise<unknown>;
  /** Objects of the library that are in no transaction. */
  outside: readonly unknown[];
  /** The code of PostgreSQL in an error of the library. */
  sqlState(error: unknown): string | undefined;
  close(): Promise<void>;
}

export interface NamedLibrary {
  readonly library: string;
  open(url: string): Promise<HostLibrary>;
}

// docs/databases.md#pg
@Injectable()
export class Orders {
  constructor(
    private readonly pool: pg.Pool,
    private readonly payments: PaymentsService,
  ) {}

  async place(id: string, input: RequestPayment): Promise<Payment> {
    const client = await this.pool.connect();
    try {
      await client.query('begin');
      await client.query('insert into shop_order values ($1)', [id]);
      const payment = await this.payments.record(input, { transaction: client });
      await client.query('commit');
      return payment;
    } catch (error) {
      await client.query('rollback');
      throw error;
    } finally {
      client.release();
    }
  }

  @OnPaymentEvent('payment.succeeded', { transactional: true })
  async paid(
    { payment }: PaymentsEvents['payment.succeeded'],
    client: pg.PoolClient,
  ): Promise<void> {
    const id = payment.idempotencyKey;
    await client.query('update shop_order set paid = paid + 1 where id = $1', [id]);
  }
}
// end

/** Commits when the work resolves, and rolls back when it rejects. */
export async function transactionOn<T>(
  pool: pg.Pool,
  work: (client: pg.PoolClient) => Promise<T>,
): Promise<T> {
  const client = await pool.connect();
  try {
    await client.query('begin');
    const result = await work(client);
    await client.query('commit');
    return result;
  } catch (error) {
    await client.query('rollback');
    throw error;
  } finally {
    client.release();
  }
}

async function bare(url: string): Promise<HostLibrary> {
  const pool = poolOf(url);
  const idle = new pg.Client({ connectionString: url });
  await idle.connect();
  return {
    database: pool,
    providers: [Orders, { provide: pg.Pool, useValue: pool }],
    inTransaction: (work) => transactionOn(pool, work),
    nested: async (client: pg.PoolClient, work) => {
      await client.query('savepoint inner_part');
      try {
        return await work(client);
      } catch (error) {
        await client.query('rollback to inner_part');
        throw error;
      }
    },
    run: (client: pg.PoolClient, text, ...values) => client.query(text, values),
    outside: [pool, idle],
    sqlState: (error) => (error as { code?: string }).code,
    close: async () => {
      await Promise.all([pool.end(), idle.end()]);
    },
  };
}

// The compiler does not follow these paths, because it has the types of these libraries only where they are installed.
const libraryOf = (file: string): NamedLibrary => ({
  library: file,
  open: async (url) => {
    const path = `../hosts/libraries/${file}.js`;
    return ((await import(path)) as NamedLibrary).open(url);
  },
});

/** The libraries that `TILLKIT_HOST_LIBRARIES` names, separated by commas, are installed by npm run test:hosts. */
export function hostLibraries(): readonly NamedLibrary[] {
  const named = process.env['TILLKIT_HOST_LIBRARIES']?.split(',') ?? [];
  return [{ library: 'pg', open: bare }, ...named.map(libraryOf)];
}
