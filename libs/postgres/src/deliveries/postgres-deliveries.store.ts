import { randomUUID } from 'node:crypto';
import {
  checkDeliveryFilter,
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
import { BODY_BYTES, GroupCommit, type GroupLimits } from '../group-commit.js';
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
import type { TotalsRollUp } from '../totals/totals-roll-up.js';
import { oneLane } from '../queue/one-lane.js';
import { boolean, text, time, type Row } from '../row.js';
import {
  deliveriesClaimSql,
  deliveriesCountDuplicatesSql,
  deliveriesFindSql,
  deliveriesReprocessSql,
  deliveriesStoreSql,
} from '../generated/sql.js';
import { storableText } from '../storable.js';

interface Arriving {
  delivery: NewDelivery;
  leaseMs: number | undefined;
}

const DONE = { kind: 'done' } as const;

export class PostgresDeliveriesStore extends DeliveriesStore {
  private readonly arriving: GroupCommit<Arriving, StoredDelivery>;

  constructor(
    private readonly database: Database,
    private readonly reads: ReplicaReads,
    private readonly rollUp: TotalsRollUp,
    private readonly acknowledgements: Acknowledgements,
    limits: GroupLimits,
  ) {
    super();
    this.arriving = new GroupCommit({
      commit: (deliveries) => this.insert(deliveries),
      maxRows: 64,
      inFlight: 2,
      ...limits,
      bytes: { of: ({ delivery }) => delivery.body.length, ...BODY_BYTES },
    });
  }

  store(delivery: NewDelivery, leaseMs?: number): Promise<StoredDelivery> {
    return this.arriving.add({ delivery, leaseMs });
  }

  async claim(
    accounts: readonly string[],
    kind: DeliveryKind,
    limit: number,
    leaseMs: number,
  ): Promise<ClaimedDelivery[]> {
    const values = [oneLane(kind, limit), accounts, limit, leaseMs];
    const rows = await this.database.rows(deliveriesClaimSql, values);
    // Retention may delete a delivery at the moment when somebody has it processed again.
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

  async list(
    account: string,
    filter: DeliveryFilter,
    page: PageRequest,
  ): Promise<Page<DeliverySummary>> {
    checkDeliveryFilter(filter);
    return readPage(
      page.mayBeOld ? this.reads : this.database,
      page,
      readDeliverySummary,
      (limit, after) => listDeliveries(account, filter, limit, after),
    );
  }

  async drain(): Promise<void> {
    await this.arriving.drain();
  }

  private async insert(given: readonly Arriving[]): Promise<StoredDelivery[]> {
    const byKey = new Map<string, Arriving[]>();
    for (const arriving of given) {
      const { account, key } = arriving.delivery;
      const name = `${account}\n${key}`;
      byKey.set(name, [...(byKey.get(name) ?? []), arriving]);
    }
    const groups = [...byKey.entries()].toSorted(([one], [other]) => (one < other ? -1 : 1));
    const first = groups.map(([, [arriving]]) => arriving as Arriving);
    const stored = await this.insertDistinct(first);
    const again = groups
      .map(([, same]) => ({
        delivery: (same[0] as Arriving).delivery,
        times: same.length - (stored.has(same[0] as Arriving) ? 1 : 0),
      }))
      .filter(({ times }) => times > 0);
    if (again.length > 0) {
      await this.database.rows(deliveriesCountDuplicatesSql, [
        again.map(({ delivery }) => delivery.account),
        again.map(({ delivery }) => delivery.key),
        again.map(({ times }) => times),
      ]);
    }
    return given.map((arriving) => ({
      duplicate: !stored.has(arriving),
      claimed: stored.get(arriving) ?? null,
    }));
  }

  /** Stores deliveries with different keys. Returns the claims of those that are not duplicates; null for one without a claim. */
  private async insertDistinct(
    arriving: readonly Arriving[],
  ): Promise<Map<Arriving, StoredDelivery['claimed']>> {
    const deliveries = arriving.map(({ delivery }) => delivery);
    let end = 1;
    const starts = deliveries.map(({ body }) => {
      const start = end;
      end += body.length;
      return start;
    });
    const rows = await this.database.rows(deliveriesStoreSql, [
      deliveries.map(({ account }) => account),
      deliveries.map(({ id }) => id),
      deliveries.map(({ key }) => key),
      deliveries.map(({ kind }) => kind),
      deliveries.map(({ resource }) => resource && storableText(resource)),
      deliveries.map(({ resourceId }) => resourceId && storableText(resourceId)),
      deliveries.map(({ verifiedBy }) => verifiedBy),
      starts,
      deliveries.map(({ body }) => body.length),
      Buffer.concat(deliveries.map(({ body }) => body)),
      arriving.map(({ leaseMs }) => leaseMs ?? null),
      deliveries.map(({ traceparent }) => traceparent ?? null),
      // All claims of this commit have this token. No other process knows it.
      randomUUID(),
    ]);
    this.rollUp.soon();
    const claims = new Map(
      rows.map((row) => [`${text(row, 'account')}\n${text(row, 'id')}`, claimedAs(row)] as const),
    );
    return new Map(
      arriving.flatMap((each): [Arriving, StoredDelivery['claimed']][] => {
        const claim = claims.get(`${each.delivery.account}\n${each.delivery.id}`);
        return claim === undefined ? [] : [[each, claim]];
      }),
    );
  }
}

function claimedAs(row: Row): StoredDelivery['claimed'] {
  const token = row['token'] ?? null;
  return token === null ? null : { token, receivedAt: time(row, 'received_at') };
}
