import type { PaymentRecord, Via } from '../payment.js';
import { isOpen, isSettled } from '../payment.states.js';
import type { DeliveryRecord } from '../payments.store.js';
import type {
  DeliveryFilter,
  DeliverySummary,
  Page,
  PageRequest,
  PaymentFilter,
  Statistics,
  StoredEvent,
  TransactionFilter,
} from '../store.views.js';
import type { TransactionRecord } from '../till-transaction.js';
import type { MemoryAccount } from './memory-account.js';

/** Views over the memory of one account: small by nature, so they look at everything. */
export function listPayments(
  account: MemoryAccount,
  filter: PaymentFilter,
  page: PageRequest,
): Page<PaymentRecord> {
  const found = account.allPayments().filter((payment) => isPayment(payment, filter));
  return pageOf(found, page, ({ createdAt, id }) => [createdAt, id]);
}

export function listTransactions(
  account: MemoryAccount,
  { reference, from, to }: TransactionFilter,
  page: PageRequest,
): Page<TransactionRecord> {
  const found = account
    .allTransactions()
    .filter((record) => reference === undefined || record.reference === reference)
    .filter((record) => {
      const originatedAt = originOf(record);
      return (!from && !to) || (originatedAt !== null && isWithin(originatedAt, from, to));
    });
  return pageOf(found, page, (record) => [originOf(record) ?? record.createdAt, record.reference]);
}

export function listDeliveries(
  account: MemoryAccount,
  { state }: DeliveryFilter,
  page: PageRequest,
): Page<DeliverySummary> {
  const found = account.deliveries
    .all()
    .filter((delivery) => state === undefined || delivery.state === state);
  const { items, next } = pageOf(found, page, ({ receivedAt, id }) => [receivedAt, id]);
  return { items: items.map(withoutBody), next };
}

export function statistics(
  account: MemoryAccount,
  { from, to }: { from: Date; to: Date },
  now: number,
): Statistics {
  const payments = account.allPayments().filter(({ createdAt }) => isWithin(createdAt, from, to));
  const deliveries = account.deliveries.all();
  const events = account.events.list();
  const finals = payments.filter(({ state }) => isSettled(state) && state !== 'needs_review');
  const ids = new Set(payments.map(({ id }) => id));
  const calls = events.flatMap(({ at, calls }) => calls.map(({ state }) => ({ state, at })));
  const waiting = deliveries.filter(({ state }) => state === 'pending');
  const unheard = calls.filter(({ state }) => state === 'pending');
  return {
    states: tally(payments.map(({ state }) => state)).map(([state, count]) => ({ state, count })),
    reasons: tally(payments.flatMap(({ reason }) => reason ?? [])).map(([reason, count]) => ({
      reason,
      count,
    })),
    roads: tally(finalRoads(events, ids)).map(([via, count]) => ({ via, count })),
    timeToFinalMs: percentiles(
      finals.map(({ createdAt, updatedAt }) => updatedAt.getTime() - createdAt.getTime()),
    ),
    deliveriesPerMinute: perMinute(
      deliveries.filter(({ receivedAt }) => isWithin(receivedAt, from, to)),
    ),
    backlog: {
      deliveries: waiting.length,
      oldestDeliveryMs: oldest(
        waiting.map(({ receivedAt }) => receivedAt),
        now,
      ),
      calls: unheard.length,
      oldestCallMs: oldest(
        unheard.map(({ at }) => at),
        now,
      ),
      deadLetters: calls.filter(({ state }) => state === 'dead').length,
      unrecognised: deliveries.filter(({ state }) => state === 'unrecognised').length,
      openPayments: account.allPayments().filter(({ state }) => isOpen(state)).length,
    },
  };
}

/** When the first sum under a reference originated: a record has its place in a list by it. */
function originOf({ sums }: TransactionRecord): Date | null {
  return sums[0]?.originatedAt ?? null;
}

function isPayment(payment: PaymentRecord, filter: PaymentFilter): boolean {
  return (
    (filter.states === undefined || filter.states.includes(payment.state)) &&
    (filter.phoneNumber === undefined || payment.subscriber.phoneNumber === filter.phoneNumber) &&
    (filter.idempotencyKey === undefined || payment.idempotencyKey === filter.idempotencyKey) &&
    (filter.platformId === undefined || payment.platformId === filter.platformId) &&
    (filter.reference === undefined || payment.transaction?.reference === filter.reference) &&
    isWithin(payment.createdAt, filter.from, filter.to)
  );
}

function finalRoads(events: readonly StoredEvent[], paymentIds: ReadonlySet<string>): Via[] {
  return events
    .filter(({ name }) => name === 'payment.succeeded' || name === 'payment.failed')
    .filter(({ stream }) => paymentIds.has(stream))
    .map(({ via }) => via);
}

function pageOf<T>(
  found: readonly T[],
  { limit, after }: PageRequest,
  keyOf: (item: T) => [Date, string],
): Page<T> {
  const keyed = found
    .map((item) => ({ item, key: keyText(keyOf(item)) }))
    .sort((a, b) => (a.key < b.key ? 1 : -1));
  const rest = after === undefined ? keyed : keyed.filter(({ key }) => key < after);
  const items = rest.slice(0, limit);
  return {
    items: items.map(({ item }) => item),
    next: rest.length > limit ? (items.at(-1)?.key ?? null) : null,
  };
}

function keyText([at, id]: [Date, string]): string {
  return `${at.toISOString()} ${id}`;
}

function isWithin(at: Date, from: Date | undefined, to: Date | undefined): boolean {
  return (!from || at >= from) && (!to || at < to);
}

function tally<T>(values: readonly T[]): [T, number][] {
  const counts = new Map<T, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a);
}

function percentiles(values: readonly number[]): Statistics['timeToFinalMs'] {
  if (values.length === 0) return null;
  const sorted = [...values].sort((a, b) => a - b);
  const at = (share: number): number =>
    sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] as number;
  return { p50: at(0.5), p90: at(0.9), p99: at(0.99) };
}

function perMinute(deliveries: readonly DeliveryRecord[]): Statistics['deliveriesPerMinute'] {
  const minutes = deliveries.map(
    ({ receivedAt }) => Math.floor(receivedAt.getTime() / 60_000) * 60_000,
  );
  return tally(minutes)
    .sort(([a], [b]) => a - b)
    .map(([minute, count]) => ({ minute: new Date(minute), count }));
}

function oldest(times: readonly Date[], now: number): number | null {
  return times.length === 0 ? null : now - Math.min(...times.map((time) => time.getTime()));
}

function withoutBody({ body, ...summary }: DeliveryRecord): DeliverySummary {
  return { ...summary, bytes: body.length };
}
