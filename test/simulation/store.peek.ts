import type { DeliveryKind } from '../../libs/payments/src/deliveries/deliveries.store.js';
import type { MemoryStore } from '../../libs/payments/src/stores/memory/memory.store.js';
import type { Queue } from './virtual.scheduler.js';

interface Work {
  dueAt: number;
  leaseUntil: number;
}

interface Row {
  dueAt: number;
  claimedUntil: number;
  record: { version: number };
}

interface PerAccount<T> {
  made: ReadonlyMap<string, T>;
}

/** As much of the memory store's inside as shows whether a claim would find something. */
interface Inside {
  operations: {
    accounts: PerAccount<{
      payments: ReadonlyMap<string, Row>;
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
  bareRequests: {
    requests: PerAccount<ReadonlyMap<string, { platformId: string | null; at: number }>>;
  };
}

function insideOf(store: MemoryStore): Inside {
  return store as unknown as Inside;
}

/**
 * Whether a look for work would find some. Looks that find nothing are most of what an idle process does, and a virtual
 * month of them would cost more than all that matters.
 * @param queue null: any
 */
export function holdsWork(store: MemoryStore, queue: Queue | null, now: number): boolean {
  if (queue?.startsWith('claims of')) return true;
  const { operations, deliveries, events } = insideOf(store);
  const asks = (name: Queue): boolean => queue === null || queue === name;
  for (const { payments, unsettled, followed } of operations.accounts.made.values()) {
    const areDue = (ids: ReadonlySet<string>): boolean => {
      for (const id of ids) {
        const row = payments.get(id);
        if (row && row.dueAt <= now && row.claimedUntil <= now) return true;
      }
      return false;
    };
    if (asks('payments') && areDue(unsettled)) return true;
    if (asks('followed payments') && areDue(followed)) return true;
  }
  for (const { queues } of deliveries.accounts.made.values()) {
    if (asks('callbacks') && isDue(queues.callback.work, now)) return true;
    if (asks('webhooks') && isDue(queues.webhook.work, now)) return true;
  }
  for (const { queue: calls } of events.accounts.made.values())
    if (asks('calls') && isDue(calls.work, now)) return true;
  return false;
}

function isDue(work: ReadonlyMap<string, Work>, now: number): boolean {
  for (const { dueAt, leaseUntil } of work.values())
    if (dueAt <= now && leaseUntil <= now) return true;
  return false;
}

/** The version of a payment, without a copy of it; null when there is none. */
export function versionOf(store: MemoryStore, id: string): number | null {
  for (const { payments } of insideOf(store).operations.accounts.made.values()) {
    const row = payments.get(id);
    if (row) return row.record.version;
  }
  return null;
}

/** The store keeps requests of the host's own for a month. */
export const BARE_KEPT_MS = 31 * 86_400_000;

/** Whether the store still knows that the host asked for a payment by itself. */
export function remembersBare(store: MemoryStore, platformId: string, now: number): boolean {
  for (const requests of insideOf(store).bareRequests.requests.made.values()) {
    for (const request of requests.values())
      if (request.platformId === platformId && request.at > now - BARE_KEPT_MS) return true;
  }
  return false;
}
