import type { MemoryStore } from '../../libs/payments/src/ledger/memory/memory.store.js';
import type { DeliveryKind } from '../../libs/payments/src/ledger/payments.store.js';
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

/** As much of the memory store's inside as tells whether a claim would find something. */
interface Account {
  payments: ReadonlyMap<string, Row>;
  unsettled: ReadonlySet<string>;
  followed: ReadonlySet<string>;
  bareRequests: ReadonlyMap<string, { platformId: string | null; at: number }>;
  deliveries: { queues: Readonly<Record<DeliveryKind, { work: ReadonlyMap<string, Work> }>> };
  events: { queue: { work: ReadonlyMap<string, Work> } };
}

/**
 * Whether a look for work would find some. Looks that find nothing are most of what an idle process does, and a virtual
 * month of them would cost more than all that matters.
 * @param queue null: any
 */
export function holdsWork(store: MemoryStore, queue: Queue | null, now: number): boolean {
  if (queue?.startsWith('claims of')) return true;
  const { accounts } = store as unknown as { accounts: ReadonlyMap<string, Account> };
  for (const { payments, unsettled, followed, deliveries, events } of accounts.values()) {
    const areDue = (ids: ReadonlySet<string>): boolean => {
      for (const id of ids) {
        const row = payments.get(id);
        if (row && row.dueAt <= now && row.claimedUntil <= now) return true;
      }
      return false;
    };
    if ((queue === null || queue === 'payments') && areDue(unsettled)) return true;
    if ((queue === null || queue === 'followed payments') && areDue(followed)) return true;
    const { callback, webhook } = deliveries.queues;
    if ((queue === null || queue === 'callbacks') && isDue(callback.work, now)) return true;
    if ((queue === null || queue === 'webhooks') && isDue(webhook.work, now)) return true;
    if ((queue === null || queue === 'calls') && isDue(events.queue.work, now)) return true;
  }
  return false;
}

function isDue(work: ReadonlyMap<string, Work>, now: number): boolean {
  for (const { dueAt, leaseUntil } of work.values())
    if (dueAt <= now && leaseUntil <= now) return true;
  return false;
}

/** The version of a payment, without a copy of it; null when there is none. */
export function versionOf(store: MemoryStore, id: string): number | null {
  const { accounts } = store as unknown as { accounts: ReadonlyMap<string, Account> };
  for (const { payments } of accounts.values()) {
    const row = payments.get(id);
    if (row) return row.record.version;
  }
  return null;
}

/** The store keeps requests of the host's own for a day. */
export const BARE_KEPT_MS = 31 * 86_400_000;

/** Whether the store still knows that the host asked for a payment by itself. */
export function remembersBare(store: MemoryStore, platformId: string, now: number): boolean {
  const { accounts } = store as unknown as { accounts: ReadonlyMap<string, Account> };
  for (const { bareRequests } of accounts.values()) {
    for (const request of bareRequests.values())
      if (request.platformId === platformId && request.at > now - BARE_KEPT_MS) return true;
  }
  return false;
}
