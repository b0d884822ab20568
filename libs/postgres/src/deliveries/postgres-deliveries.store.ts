import {
  DeliveriesStore,
  type Claim,
  type ClaimedDelivery,
  type ClaimOutcome,
  type DeliveryKind,
  type DeliveryRecord,
  type DeliveryFilter,
  type DeliverySummary,
  type NewDelivery,
  type StoredDelivery,
  type Page,
  type PageRequest,
} from '@tillkit/payments/internal/store';
import { GroupCommit, type GroupLimits } from '../group-commit.js';
import type { Database } from '../postgres-database.js';
import type { ReplicaReads } from '../replica-reads.js';
import { readPage } from '../page.query.js';
import { listDeliveries } from './deliveries.query.js';
import {
  readClaim,
  readClaimedDelivery,
  readDelivery,
  readDeliverySummary,
} from './delivery.row.js';
import type { Acknowledgements } from '../acknowledgements.js';
import type { PostgresLedgerStore } from '../ledger/postgres-ledger.store.js';
import {
  deliveriesClaimSql,
  deliveriesCountDuplicatesSql,
  deliveriesFindSql,
  deliveriesReprocessSql,
} from '../generated/sql.js';
import { boolean } from '../row.js';
import { storableText } from '../storable.js';

const DONE = { kind: 'done' } as const;

export class PostgresDeliveriesStore extends DeliveriesStore {
  private readonly counting: GroupCommit<NewDelivery, void>;

  constructor(
    private readonly database: Database,
    private readonly reads: ReplicaReads,
    private readonly ledger: PostgresLedgerStore,
    private readonly acknowledgements: Acknowledgements,
    limits: GroupLimits,
  ) {
    super();
    this.counting = new GroupCommit({
      commit: (duplicates) => this.countAll(duplicates),
      maxRows: 64,
      inFlight: 2,
      ...limits,
    });
  }

  async store(delivery: NewDelivery, leaseMs?: number): Promise<StoredDelivery> {
    const left = await this.ledger.leave(delivery, leaseMs);
    if (!left) await this.counting.add(delivery);
    return { duplicate: !left, claimed: left && leaseMs !== undefined ? left : null };
  }

  async claim(
    accounts: readonly string[],
    kind: DeliveryKind,
    limit: number,
    leaseMs: number,
  ): Promise<ClaimedDelivery[]> {
    const rows = await this.database.rows(deliveriesClaimSql, [accounts, kind, limit, leaseMs]);
    // Retention may have deleted a delivery just as somebody had it processed again.
    const gone = rows.filter((row) => !boolean(row, 'is_there'));
    await Promise.all(gone.map((row) => this.acknowledgements.finish(readClaim(row), DONE)));
    return rows.filter((row) => !gone.includes(row)).map(readClaimedDelivery);
  }

  finish(claim: Claim, outcome: ClaimOutcome): Promise<boolean> {
    return this.acknowledgements.finish(claim, outcome);
  }

  async find(account: string, id: string): Promise<DeliveryRecord | null> {
    const [row] = await this.database.rows(deliveriesFindSql, [account, storableText(id)]);
    return row ? readDelivery(row) : null;
  }

  async reprocess(account: string, id: string): Promise<boolean> {
    const rows = await this.database.rows(deliveriesReprocessSql, [account, storableText(id)]);
    return rows.length > 0;
  }

  list(account: string, filter: DeliveryFilter, page: PageRequest): Promise<Page<DeliverySummary>> {
    return readPage(
      page.mayBeOld ? this.reads : this.database,
      page,
      readDeliverySummary,
      (limit, after) => listDeliveries(account, filter, limit, after),
    );
  }

  async drain(): Promise<void> {
    await this.ledger.drain();
    await this.counting.drain();
  }

  private async countAll(duplicates: readonly NewDelivery[]): Promise<void[]> {
    const times = new Map<string, { delivery: NewDelivery; count: number }>();
    for (const delivery of duplicates) {
      const name = `${delivery.account} ${delivery.key}`;
      times.set(name, { delivery, count: (times.get(name)?.count ?? 0) + 1 });
    }
    const given = [...times.values()];
    await this.database.rows(deliveriesCountDuplicatesSql, [
      given.map(({ delivery }) => delivery.account),
      given.map(({ delivery }) => delivery.key),
      given.map(({ count }) => count),
    ]);
    return duplicates.map(() => undefined);
  }
}
