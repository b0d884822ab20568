import {
  SweepsStore,
  type SweepProgress,
  type SweptProgress,
} from '@tillkit/payments/internal/store';
import type { Database } from '../postgres-database.js';
import { optionalTime, time, type Row } from '../row.js';
import { sweepsClaimSql, sweepsProgressSql, sweepsSaveSql } from '../generated/sql.js';
import { storableText } from '../storable.js';

export class PostgresSweepsStore extends SweepsStore {
  constructor(private readonly database: Database) {
    super();
  }

  async progress(account: string, start: Date): Promise<SweepProgress> {
    const [row] = await this.database.rows(sweepsProgressSql, [account, start.getTime()]);
    return {
      sweepFrom: time(row as Row, 'sweep_from'),
      watermark: time(row as Row, 'watermark'),
      recoveredAt: optionalTime(row as Row, 'recovered_at'),
      scope: row?.['scope'] ?? null,
    };
  }

  async claim(account: string, owner: string, leaseMs: number): Promise<boolean> {
    return (await this.database.rows(sweepsClaimSql, [account, owner, leaseMs])).length > 0;
  }

  async save(
    account: string,
    owner: string,
    { watermark, recoveredAt, scope }: SweptProgress,
  ): Promise<boolean> {
    const times = [watermark, recoveredAt].map((at) => at?.getTime() ?? null);
    const values = [account, owner, ...times, scope && storableText(scope)];
    return (await this.database.rows(sweepsSaveSql, values)).length > 0;
  }
}
