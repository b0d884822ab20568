import { checkDeliveryFilter } from '../../list-filters.js';
import { NEVER } from 'rxjs';
import {
  DeliveriesStore,
  type ClaimedDelivery,
  type DeliveryFilter,
  type DeliveryRecord,
  type DeliverySummary,
  type StoredDelivery,
} from '../../deliveries.store.js';
import type { DeliveryKind, NewDelivery } from '../../new-delivery.js';
import type { Claim, ClaimOutcome } from '../../../work/claim.js';
import type { Page, PageRequest } from '../../page.js';
import { claimLongestDue } from '../memory-due.js';
import { isWithin, pageOf } from '../memory.page.js';
import { PerAccount } from '../../../work/per-account.js';
import type { MemoryTotals } from '../totals/memory-totals.store.js';
import { MemoryDeliveries } from './memory-deliveries.js';
import type { AccountScope } from '../../../work/account-scope.js';

export class MemoryDeliveriesStore extends DeliveriesStore {
  private readonly accounts: PerAccount<MemoryDeliveries>;

  constructor(totals: MemoryTotals, now: () => number) {
    super();
    this.accounts = new PerAccount((account) => new MemoryDeliveries(account, totals, now), NEVER);
  }

  of(account: string): MemoryDeliveries {
    return this.accounts.of(account);
  }

  within(accounts: AccountScope): MemoryDeliveries[] {
    return this.accounts.within(accounts);
  }

  hasOpen(account: string): boolean {
    const own = this.of(account);
    return own.waiting('callback').length + own.waiting('webhook').length > 0;
  }

  async store(delivery: NewDelivery, leaseMs?: number): Promise<StoredDelivery> {
    return this.of(delivery.account).store(delivery, leaseMs);
  }

  async claim(
    accounts: readonly string[],
    kind: DeliveryKind,
    limit: number,
    leaseMs: number,
  ): Promise<ClaimedDelivery[]> {
    const due = this.within(accounts).flatMap((own) => own.due(kind, limit, leaseMs));
    return claimLongestDue(due, limit);
  }

  async finish(claim: Claim, outcome: ClaimOutcome): Promise<boolean> {
    return this.of(claim.account).finish(claim, outcome);
  }

  async find(account: string, id: string): Promise<DeliveryRecord | null> {
    return this.of(account).find(id);
  }

  async reprocess(account: string, id: string): Promise<boolean> {
    return this.of(account).reprocess(id);
  }

  async list(
    account: string,
    filter: DeliveryFilter,
    page: PageRequest,
  ): Promise<Page<DeliverySummary>> {
    checkDeliveryFilter(filter);
    const { state, resourceId, ids, from, to } = filter;
    const found = this.of(account)
      .all()
      .filter(
        (delivery) =>
          (state === undefined || delivery.state === state) &&
          (resourceId === undefined || delivery.resourceId === resourceId) &&
          (ids === undefined || ids.includes(delivery.id)) &&
          isWithin(delivery.receivedAt, from, to),
      );
    const { items, next } = pageOf(found, page, ({ receivedAt, id }) => [receivedAt, id]);
    return { items: items.map(withoutBody), next };
  }
}

function withoutBody({ body, ...summary }: DeliveryRecord): DeliverySummary {
  return { ...summary, bytes: body.length };
}
