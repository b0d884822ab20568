import {
  requireOrder,
  TotalsStore,
  type Total,
  type TotalsQuery,
} from '@tillkit/payments/internal/store';
import { totalsReadSql } from '../generated/sql.js';
import type { ReplicaReads } from '../replica-reads.js';
import { number, text } from '../row.js';
import { segmentsOf } from './segments.js';
import type { TotalsRollUp } from './totals-roll-up.js';

export class PostgresTotalsStore extends TotalsStore {
  constructor(
    private readonly reads: ReplicaReads,
    private readonly rollUp: TotalsRollUp,
  ) {
    super();
  }

  async read(account: string, query: TotalsQuery): Promise<Total[]> {
    requireOrder(query);
    const { measures, boundaries } = query;
    // A process that ended may have left changes.
    this.rollUp.soon();
    const segments = segmentsOf(boundaries);
    const rows = await this.reads.rows(totalsReadSql, [
      account,
      [...measures],
      boundaries.map((boundary) => boundary.toISOString()),
      segments.map(({ span }) => span),
      segments.map(({ minutes }) => minutes),
      segments.map(({ from }) => new Date(from).toISOString()),
      segments.map(({ until }) => new Date(until).toISOString()),
    ]);
    return rows.map((row) => ({
      span: number(row, 'span'),
      measure: text(row, 'measure') as Total['measure'],
      kind: text(row, 'kind'),
      name: text(row, 'name'),
      till: text(row, 'till'),
      currency: text(row, 'currency'),
      count: number(row, 'count'),
      minor: text(row, 'minor'),
    }));
  }
}
