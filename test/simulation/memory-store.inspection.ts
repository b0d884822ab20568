import type { DeliveryKind } from '../../libs/payments/src/store/new-delivery.js';
import type { MemoryStore } from '../../libs/payments/src/store/memory/memory.store.js';
import type { TransactionRecord } from '../../libs/payments/src/money/transaction.record.js';
import type { PauseMark } from './pauses.checker.js';
import type { Queue } from './virtual.scheduler.js';

interface Work {
  dueAt: number;
  leaseUntil: number;
}

interface Row {
  sendBefore: number;
  dueAt: number;
  claimedUntil: number;
  record: { version: number };
}

interface PerAccount<T> {
  made: ReadonlyMap<string, T>;
}

/** A total of one quarter of an hour. */
interface KeptTotal {
  quarter: Date;
  measure: string;
  kind: string;
  name: string;
  count: number;
  minor: bigint;
}

/** The private fields of the memory store that show whether a claim would find due work. */
interface StoreInternals {
  operations: {
    accounts: PerAccount<{
      rows: ReadonlyMap<string, Row>;
      unsettled: ReadonlySet<string>;
      followed: ReadonlySet<string>;
    }>;
  };
  deliveries: {
    accounts: PerAccount<{
      queues: Readonly<Record<DeliveryKind, { work: ReadonlyMap<string, Work> }>>;
    }>;
  };
  events: { accounts: PerAccount<{ queue: { work: ReadonlyMap<string, Work> } }> };
  pauses: { entries: readonly { account: string | null; what: 'paused' | 'resumed'; at: Date }[] };
  plannedWork: { plans: Readonly<Record<string, ReadonlyMap<string, number>>> };
  ledger: { totals: { accounts: PerAccount<ReadonlyMap<string, KeptTotal>> } };
  transactions: { records: PerAccount<ReadonlyMap<string, TransactionRecord>> };
  bareRequests: {
    requests: PerAccount<ReadonlyMap<string, { platformId: string | null; at: number }>>;
  };
}

function internalsOf(store: MemoryStore): StoreInternals {
  return store as unknown as StoreInternals;
}

/**
 * Whether a claim would find due work. The scheduler skips polls that would find nothing: a virtual month of them would take
 * most of the time of a run.
 * @param queue null: any queue
 */
export function hasDueWork(store: MemoryStore, queue: Queue | null, now: number): boolean {
  if (queue?.startsWith('claims of')) return true;
  const { operations, deliveries, events, plannedWork } = internalsOf(store);
  const includes = (name: Queue): boolean => queue === null || queue === name;
  for (const { rows, unsettled, followed } of operations.accounts.made.values()) {
    const hasDue = (ids: ReadonlySet<string>): boolean => {
      for (const id of ids) {
        const row = rows.get(id);
        if (row && row.dueAt <= now && row.claimedUntil <= now) return true;
      }
      return false;
    };
    if (includes('payments') && hasDue(unsettled)) return true;
    if (includes('followed payments') && hasDue(followed)) return true;
  }
  for (const { queues } of deliveries.accounts.made.values()) {
    if (includes('callbacks') && isDue(queues.callback.work, now)) return true;
    if (includes('webhooks') && isDue(queues.webhook.work, now)) return true;
  }
  for (const { queue: calls } of events.accounts.made.values())
    if (includes('calls') && isDue(calls.work, now)) return true;
  if (!includes('planned work')) return false;
  for (const plan of Object.values(plannedWork.plans))
    for (const dueAt of plan.values()) if (dueAt <= now) return true;
  return false;
}

function isDue(work: ReadonlyMap<string, Work>, now: number): boolean {
  for (const { dueAt, leaseUntil } of work.values())
    if (dueAt <= now && leaseUntil <= now) return true;
  return false;
}

/** The version of a payment, without a copy of its record; null when it is not recorded. */
export function versionOf(store: MemoryStore, id: string): number | null {
  for (const { rows } of internalsOf(store).operations.accounts.made.values()) {
    const row = rows.get(id);
    if (row) return row.record.version;
  }
  return null;
}

/** All pauses and resumptions, oldest first. */
export function pauseEntriesIn(store: MemoryStore): PauseMark[] {
  const { entries } = internalsOf(store).pauses;
  return entries.map(({ account, what, at }) => ({ account, what, at: at.getTime() }));
}

/** Whether an operation has the version of a change, and time to be sent. */
export function mayBeRequested(
  store: MemoryStore,
  account: string,
  { id, version }: { id: string; version: number },
  now: number,
): boolean {
  const row = internalsOf(store).operations.accounts.made.get(account)?.rows.get(id);
  return row?.record.version === version && now < row.sendBefore;
}

/** The totals of an account that are kept, of each quarter of an hour. */
export function keptTotalsIn(store: MemoryStore, account: string): KeptTotal[] {
  const { accounts } = internalsOf(store).ledger.totals;
  return [...(accounts.made.get(account)?.values() ?? [])];
}

/** The transactions of an account that are stored. */
export function transactionsIn(store: MemoryStore, account: string): TransactionRecord[] {
  const { records } = internalsOf(store).transactions;
  return [...(records.made.get(account)?.values() ?? [])];
}

/** How long the store keeps bare requests. */
export const BARE_KEPT_MS = 31 * 86_400_000;

/** Whether the store still keeps a bare request. */
export function knowsBareRequest(
  store: MemoryStore,
  account: string,
  platformId: string,
  now: number,
): boolean {
  const requests = internalsOf(store).bareRequests.requests.made.get(account);
  return [...(requests?.values() ?? [])].some(
    (request) => request.platformId === platformId && request.at > now - BARE_KEPT_MS,
  );
}
