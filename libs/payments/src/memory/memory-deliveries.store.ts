import { NEVER } from 'rxjs';
import { checkDeliveryFilter } from '../ledger/list-filters.js';
import { MINUTE } from '../runtime/clock.js';
import { PerAccount } from '../runtime/per-account.js';
import type { AccountScope, Claim, ClaimOutcome } from '../store/claim.js';
import {
  type ClaimedDelivery,
  DeliveriesStore,
  type DeliveryFilter,
  type DeliveryKind,
  type DeliveryRecord,
  type DeliverySummary,
  type NewDelivery,
  type StoredDelivery,
} from '../store/deliveries.store.js';
import type { Page, PageRequest } from '../store/transactions.store.js';
import { isWithin, pageOf } from './memory-lists.js';
import { claimLongestDue, MemoryQueue, type Waiting } from './memory-queue.js';
import type { MemoryTotals } from './memory-totals.store.js';

/** An unrecognised delivery is processed again this long after a duplicate, and so at most this often. */
const DUPLICATE_AGAIN_MS = MINUTE;

type Row = Omit<DeliveryRecord, 'ageMs'>;

interface Deliveries {
  rows: Map<string, Row>;
  /** The pending deliveries. */
  queue: MemoryQueue<Row>;
  /** The ids of the deliveries that are done, in the order in which they ended. */
  done: string[];
}

/** The store keeps this many deliveries that are done, for operators and to recognise duplicates. More would fill the memory. */
const KEPT_WHEN_DONE = 1_000;

export class MemoryDeliveriesStore extends DeliveriesStore {
  private readonly accounts: PerAccount<Deliveries>;

  constructor(
    private readonly totals: MemoryTotals,
    private readonly now: () => number,
  ) {
    super();
    this.accounts = new PerAccount(
      () => ({ rows: new Map(), queue: new MemoryQueue(now), done: [] }),
      NEVER,
    );
  }

  async store(delivery: NewDelivery, leaseMs?: number): Promise<StoredDelivery> {
    const existing = this.withKey(delivery);
    if (!existing) return { duplicate: false, claimed: this.add(delivery, leaseMs) };
    existing.duplicates += 1;
    if (existing.state === 'unrecognised')
      this.makePending(delivery.account, existing.id, DUPLICATE_AGAIN_MS);
    return { duplicate: true, claimed: null };
  }

  async claim(
    accounts: readonly string[],
    kind: DeliveryKind,
    limit: number,
    leaseMs: number,
  ): Promise<ClaimedDelivery[]> {
    const due = this.accounts
      .within(accounts)
      .flatMap(([, { queue }]) => queue.due(limit, leaseMs, (row) => row.kind === kind));
    return claimLongestDue(due, limit).map(({ item, token, attempts }) => {
      item.attempts = attempts;
      return { ...this.withAge(item), token };
    });
  }

  async finish(claim: Claim, outcome: ClaimOutcome): Promise<boolean> {
    return this.end(claim, outcome);
  }

  async find(account: string, id: string): Promise<DeliveryRecord | null> {
    const row = this.accounts.get(account).rows.get(id);
    return row ? this.withAge(row) : null;
  }

  async reprocess(account: string, id: string): Promise<boolean> {
    return this.makePending(account, id, 0);
  }

  async list(
    account: string,
    filter: DeliveryFilter,
    page: PageRequest,
  ): Promise<Page<DeliverySummary>> {
    checkDeliveryFilter(filter);
    const { state, resourceId, ids, from, to } = filter;
    const found = this.all(account).filter(
      (delivery) =>
        (state === undefined || delivery.state === state) &&
        (resourceId === undefined || delivery.resourceId === resourceId) &&
        (ids === undefined || ids.includes(delivery.id)) &&
        isWithin(delivery.receivedAt, from, to),
    );
    const { items, next } = pageOf(found, page, ({ receivedAt, id }) => [receivedAt, id]);
    return { items: items.map(withoutBody), next };
  }

  /** True when there is a delivery with the same key. */
  has(delivery: NewDelivery): boolean {
    return this.withKey(delivery) !== undefined;
  }

  /** Stores a delivery whose key is new, at once. @param leaseMs leases it to one process */
  add(delivery: NewDelivery, leaseMs: number): { token: string; receivedAt: Date };
  add(delivery: NewDelivery, leaseMs?: number): { token: string; receivedAt: Date } | null;
  add(delivery: NewDelivery, leaseMs?: number): { token: string; receivedAt: Date } | null {
    const { rows, queue } = this.accounts.get(delivery.account);
    const receivedAt = new Date(this.now());
    const received = { measure: 'delivery', name: delivery.kind, count: 1 } as const;
    const nothing = { kind: '', till: '', currency: '', minor: '0', at: null };
    this.totals.add(delivery.account, [{ ...received, ...nothing }], receivedAt);
    const row: Row = {
      ...delivery,
      state: 'pending',
      attempts: 0,
      duplicates: 0,
      receivedAt,
      lastError: null,
    };
    rows.set(row.id, row);
    queue.add(row);
    if (leaseMs === undefined) return null;
    const { token, attempts } = queue.claim(row.id, leaseMs);
    row.attempts = attempts;
    return { token, receivedAt };
  }

  /** Does the same as `finish`, at once. */
  end(claim: Claim, outcome: ClaimOutcome): boolean {
    const { rows, queue, done } = this.accounts.get(claim.account);
    const row = rows.get(claim.id);
    if (!row || !queue.finish(claim, outcome)) return false;
    if (outcome.kind === 'done' && outcome.isDeleted) return rows.delete(row.id);
    row.lastError = outcome.kind === 'done' ? (outcome.note ?? null) : outcome.error;
    if (outcome.kind === 'retry') return true;
    row.state = outcome.kind === 'done' ? 'done' : 'unrecognised';
    if (row.state === 'done') done.push(row.id);
    if (done.length <= KEPT_WHEN_DONE) return true;
    const oldest = rows.get(done.shift() as string);
    if (oldest && oldest.state !== 'pending') rows.delete(oldest.id);
    return true;
  }

  names(): string[] {
    return this.accounts.entries().map(([account]) => account);
  }

  all(account: string): DeliveryRecord[] {
    return [...this.accounts.get(account).rows.values()].map((row) => this.withAge(row));
  }

  waiting(scope: AccountScope, kind: DeliveryKind): Waiting[] {
    return this.accounts.within(scope).flatMap(([account, { queue }]) =>
      queue
        .items()
        .filter((row) => row.kind === kind)
        .map(({ id }) => ({ account, freeAt: queue.freeAt(id) })),
    );
  }

  /** Deletes the chosen deliveries that do not wait. Returns their number. */
  deleteFinished(account: string, isChosen: (row: Row) => boolean, limit = Infinity): number {
    const chosen = this.finished(account).filter(isChosen).slice(0, limit);
    for (const { id } of chosen) this.accounts.get(account).rows.delete(id);
    return chosen.length;
  }

  /** Changes the bodies of the deliveries that do not wait. Returns their number. @param change null: the body stays */
  changeBodies(account: string, change: (row: Row) => Buffer | null): number {
    let count = 0;
    for (const row of this.finished(account)) {
      const body = change(row);
      if (body === null) continue;
      row.body = body;
      count += 1;
    }
    return count;
  }

  private withKey({ account, key }: NewDelivery): Row | undefined {
    return [...this.accounts.get(account).rows.values()].find((row) => row.key === key);
  }

  private finished(account: string): Row[] {
    return [...this.accounts.get(account).rows.values()].filter(({ state }) => state !== 'pending');
  }

  private makePending(account: string, id: string, inMs: number): boolean {
    const { rows, queue } = this.accounts.get(account);
    const row = rows.get(id);
    if (!row || row.state === 'pending') return false;
    row.state = 'pending';
    queue.add(row, inMs);
    return true;
  }

  private withAge(row: Row): DeliveryRecord {
    return { ...row, ageMs: this.now() - row.receivedAt.getTime() };
  }
}

function withoutBody({ body, ...summary }: DeliveryRecord): DeliverySummary {
  return { ...summary, bytes: body.length };
}
