import { FOLLOWED_STATES, isOpen } from '../../libs/payments/src/ledger/operation-states.js';
import type { DeliveryKind } from '../../libs/payments/src/store/deliveries.store.js';
import type { OperationState } from '../../libs/payments/src/store/operation.js';
import type { MemoryStore } from '../../libs/payments/src/memory/memory.store.js';
import type { TransactionRecord } from '../../libs/payments/src/money/transaction.js';
import type { PauseMark } from './pauses.checker.js';
import type { Queue } from './virtual.scheduler.js';

/** Work that waits in a queue. */
interface Work<T> {
  item: T;
  dueAt: number;
  leaseUntil: number;
}

interface Row {
  sendBefore: number;
  dueAt: number;
  claimedUntil: number;
  record: { version: number; state: OperationState };
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
  operations: { accounts: PerAccount<ReadonlyMap<string, Row>> };
  deliveries: {
    accounts: PerAccount<{ queue: { work: ReadonlyMap<string, Work<{ kind: DeliveryKind }>> } }>;
  };
  events: { accounts: PerAccount<{ queue: { work: ReadonlyMap<string, Work<unknown>> } }> };
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
 * True when a claim would find due work. The scheduler skips polls that would find nothing, because a virtual month of them would take most
 * of the time of a run.
 * @param queue null means any queue
 */
export function hasDueWork(store: MemoryStore, queue: Queue | null, now: number): boolean {
  if (queue?.startsWith('claims of')) return true;
  const { operations, deliveries, events, plannedWork } = internalsOf(store);
  const includes = (name: Queue): boolean => queue === null || queue === name;
  const isClaimed = ({ state }: Row['record']): boolean =>
    FOLLOWED_STATES.includes(state)
      ? includes('followed payments')
      : includes('payments') && (state === 'created' || isOpen(state));
  for (const rows of operations.accounts.made.values())
    for (const { record, dueAt, claimedUntil } of rows.values())
      if (dueAt <= now && claimedUntil <= now && isClaimed(record)) return true;
  const isOfQueue = { callback: includes('callbacks'), webhook: includes('webhooks') };
  for (const { queue: own } of deliveries.accounts.made.values())
    if (isDue(own.work, now, ({ kind }) => isOfQueue[kind])) return true;
  for (const { queue: own } of events.accounts.made.values())
    if (includes('calls') && isDue(own.work, now)) return true;
  if (!includes('planned work')) return false;
  for (const plan of Object.values(plannedWork.plans))
    for (const dueAt of plan.values()) if (dueAt <= now) return true;
  return false;
}

function isDue<T>(
  work: ReadonlyMap<string, Work<T>>,
  now: number,
  isWanted: (item: T) => boolean = () => true,
): boolean {
  for (const { item, dueAt, leaseUntil } of work.values())
    if (dueAt <= now && leaseUntil <= now && isWanted(item)) return true;
  return false;
}

/** Returns the version of a payment, without a copy of its record; null when it is not recorded. */
export function versionOf(store: MemoryStore, id: string): number | null {
  for (const rows of internalsOf(store).operations.accounts.made.values()) {
    const row = rows.get(id);
    if (row) return row.record.version;
  }
  return null;
}

/** Returns all pauses and resumptions, oldest first. */
export function pauseEntriesIn(store: MemoryStore): PauseMark[] {
  const { entries } = internalsOf(store).pauses;
  return entries.map(({ account, what, at }) => ({ account, what, at: at.getTime() }));
}

/** True when an operation has the version of a change, and there is still time to send it. */
export function mayBeRequested(
  store: MemoryStore,
  account: string,
  { id, version }: { id: string; version: number },
  now: number,
): boolean {
  const row = internalsOf(store).operations.accounts.made.get(account)?.get(id);
  return row?.record.version === version && now < row.sendBefore;
}

/** Returns the totals of an account that are kept, of each quarter of an hour. */
export function keptTotalsIn(store: MemoryStore, account: string): KeptTotal[] {
  const { accounts } = internalsOf(store).ledger.totals;
  return [...(accounts.made.get(account)?.values() ?? [])];
}

/** Returns the transactions of an account that are stored. */
export function transactionsIn(store: MemoryStore, account: string): TransactionRecord[] {
  const { records } = internalsOf(store).transactions;
  return [...(records.made.get(account)?.values() ?? [])];
}

/** The store keeps bare requests for this many milliseconds. */
export const BARE_KEPT_MS = 31 * 86_400_000;

/** True when the store still keeps a bare request. */
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
