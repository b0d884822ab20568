import {
  phoneHash,
  type DeliveryFilter,
  type DeliverySummary,
  type Page,
  type PageRequest,
  type PaymentFilter,
  type PaymentRecord,
  type Statistics,
  type StoredEvent,
  type TransactionFilter,
  type TransactionRecord,
} from '@tillkit/payments/store';
import type { Database } from '../postgres.database.js';
import { readDeliverySummary } from '../rows/delivery.row.js';
import { readPayment } from '../rows/payment.row.js';
import { json, number, text, time, type Row } from '../rows/row.js';
import { readTransaction } from '../rows/transaction.row.js';
import { readCursor, type Cursor } from '../sql/conditions.js';
import {
  BACKLOG,
  COUNT_REASONS,
  COUNT_ROADS,
  COUNT_STATES,
  DELIVERIES_PER_MINUTE,
  TIME_TO_FINAL,
} from '../sql/statistics.sql.js';
import {
  LIST_EVENTS,
  listDeliveries,
  listPayments,
  listTransactions,
  type Query,
} from '../sql/views.sql.js';
import { storableText } from '../storable.js';

const MAX_PAGE = 200;

/** What operators and reports look at. Reads only. */
export class Views {
  constructor(private readonly database: Database) {}

  payments(
    account: string,
    filter: PaymentFilter,
    page: PageRequest,
  ): Promise<Page<PaymentRecord>> {
    const { phoneNumber } = filter;
    const asked = phoneNumber === undefined ? {} : { phoneHash: phoneHash(phoneNumber) };
    return this.page(page, readPayment, (limit, after) =>
      listPayments(account, { ...filter, ...asked }, limit, after),
    );
  }

  transactions(
    account: string,
    filter: TransactionFilter,
    page: PageRequest,
  ): Promise<Page<TransactionRecord>> {
    return this.page(page, readTransaction, (limit, after) =>
      listTransactions(account, filter, limit, after),
    );
  }

  deliveries(
    account: string,
    filter: DeliveryFilter,
    page: PageRequest,
  ): Promise<Page<DeliverySummary>> {
    return this.page(page, readDeliverySummary, (limit, after) =>
      listDeliveries(account, filter, limit, after),
    );
  }

  async events(account: string, stream: string): Promise<StoredEvent[]> {
    const rows = await this.database.rows(LIST_EVENTS, [account, storableText(stream)]);
    return rows.map((row) => ({
      id: text(row, 'id'),
      name: text(row, 'name') as StoredEvent['name'],
      stream: text(row, 'stream'),
      at: time(row, 'at'),
      via: text(row, 'via') as StoredEvent['via'],
      calls: readCalls(row),
    }));
  }

  async statistics(account: string, { from, to }: { from: Date; to: Date }): Promise<Statistics> {
    const window = [account, from.getTime(), to.getTime()];
    const counts = async <K extends string>(statement: string, name: K) =>
      (await this.database.rows(statement, window)).map(
        (row) => ({ [name]: text(row, name), count: number(row, 'count') }) as { count: number },
      );
    const [finals] = await this.database.rows(TIME_TO_FINAL, window);
    const minutes = await this.database.rows(DELIVERIES_PER_MINUTE, window);
    const [backlog] = await this.database.rows(BACKLOG, [account]);
    return {
      states: (await counts(COUNT_STATES, 'state')) as Statistics['states'],
      reasons: (await counts(COUNT_REASONS, 'reason')) as Statistics['reasons'],
      roads: (await counts(COUNT_ROADS, 'via')) as Statistics['roads'],
      timeToFinalMs: readTimeToFinal(finals as Row),
      deliveriesPerMinute: minutes.map((row) => ({
        minute: time(row, 'minute'),
        count: number(row, 'count'),
      })),
      backlog: readBacklog(backlog as Row),
    };
  }

  /** One more than asked for tells whether there is a next page. What is no end of a page has nothing after it. */
  private async page<T>(
    { limit, after }: PageRequest,
    read: (row: Row) => T,
    query: (limit: number, after: Cursor | undefined) => Query,
  ): Promise<Page<T>> {
    const cursor = after === undefined ? undefined : readCursor(after);
    if (after !== undefined && !cursor) return { items: [], next: null };
    const size = Math.min(Math.max(Math.trunc(limit) || 1, 1), MAX_PAGE);
    const { text: statement, values } = query(size + 1, cursor);
    const rows = await this.database.rows(statement, values);
    const shown = rows.slice(0, size);
    const last = shown.at(-1);
    return {
      items: shown.map(read),
      next: rows.length > size && last ? text(last, 'cursor') : null,
    };
  }
}

type StoredCall = StoredEvent['calls'][number];

function readCalls(row: Row): StoredCall[] {
  const calls = json<(Omit<StoredCall, 'endedAt'> & { endedAt: number | null })[]>(row, 'calls');
  return calls.map((call) => ({
    ...call,
    endedAt: call.endedAt === null ? null : new Date(call.endedAt),
  }));
}

function readTimeToFinal(row: Row): Statistics['timeToFinalMs'] {
  if (number(row, 'count') === 0) return null;
  return { p50: number(row, 'p50'), p90: number(row, 'p90'), p99: number(row, 'p99') };
}

function readBacklog(row: Row): Statistics['backlog'] {
  const age = (column: string): number | null => (row[column] == null ? null : number(row, column));
  return {
    deliveries: number(row, 'deliveries'),
    oldestDeliveryMs: age('oldest_delivery_ms'),
    calls: number(row, 'calls'),
    oldestCallMs: age('oldest_call_ms'),
    deadLetters: number(row, 'dead_letters'),
    unrecognised: number(row, 'unrecognised'),
    openPayments: number(row, 'open_payments'),
  };
}
