import {
  PlannedWorkStore,
  type PlannedKind,
  type PlannedWork,
} from '@tillkit/payments/internal/store';
import {
  plannedWorkCancelSql,
  plannedWorkClaimSql,
  plannedWorkPlanSql,
  plannedWorkReplanSql,
} from '../generated/sql.js';
import type { Database } from '../postgres-database.js';
import { oneLane } from '../queue/one-lane.js';
import { text } from '../row.js';

export class PostgresPlannedWorkStore extends PlannedWorkStore {
  constructor(private readonly database: Database) {
    super();
  }

  async plan(works: readonly PlannedWork[]): Promise<void> {
    const columns = [
      works.map(({ account }) => account),
      works.map(({ kind }) => kind),
      works.map(({ inMs }) => inMs),
    ];
    await this.database.rows(plannedWorkPlanSql, columns);
  }

  async claim(
    accounts: readonly string[],
    kind: PlannedKind,
    limit: number,
    leaseMs: number,
  ): Promise<string[]> {
    const values = [oneLane(kind, limit), accounts, limit, leaseMs];
    const rows = await this.database.rows(plannedWorkClaimSql, values);
    return rows.map((row) => text(row, 'account'));
  }

  async cancel(accounts: readonly string[], kind: PlannedKind): Promise<void> {
    await this.database.rows(plannedWorkCancelSql, [accounts, kind]);
  }

  async replan(account: string, kind: PlannedKind, inMs: number): Promise<void> {
    await this.database.rows(plannedWorkReplanSql, [account, kind, inMs]);
  }
}
