import type { SweepProgress } from '@tillkit/payments/store';
import type { Database } from '../postgres.database.js';
import { bytes, number, optionalTime, text, time, type Row } from '../rows/row.js';
import {
  CLAIM_SWEEP,
  CLAIM_TOKEN_RENEWAL,
  CLEAR_TOKEN,
  MS_SINCE_FIRST_START,
  READ_TOKEN,
  RELEASE_TOKEN_RENEWAL,
  SAVE_SWEEP,
  SAVE_TOKEN,
  SWEEP_PROGRESS,
} from '../sql/leases.sql.js';
import { COUNT_SIGHTING, SIGHTINGS } from '../sql/sightings.sql.js';
import { storableText } from '../storable.js';

/** Longer ones would not fit an index; what differs only after that is counted as one. */
const MAX_SIGHTING_LENGTH = 500;

/** What replicas share by account: progress of sweeps, the token, counts of the odd. */
export class LeasesTable {
  constructor(private readonly database: Database) {}

  async msSinceFirstStart(account: string): Promise<number> {
    const [row] = await this.database.rows(MS_SINCE_FIRST_START, [account]);
    return Math.max(0, number(row as Row, 'ms'));
  }

  async sweepProgress(account: string, start: Date): Promise<SweepProgress> {
    const [row] = await this.database.rows(SWEEP_PROGRESS, [account, start.getTime()]);
    return {
      sweepFrom: time(row as Row, 'sweep_from'),
      watermark: time(row as Row, 'watermark'),
      recoveredAt: optionalTime(row as Row, 'recovered_at'),
    };
  }

  async claimSweep(account: string, owner: string, leaseMs: number): Promise<boolean> {
    return this.changed(CLAIM_SWEEP, [account, owner, leaseMs]);
  }

  async saveSweep(
    account: string,
    owner: string,
    { watermark, recoveredAt }: Pick<SweepProgress, 'watermark' | 'recoveredAt'>,
  ): Promise<boolean> {
    const recovered = recoveredAt?.getTime() ?? null;
    return this.changed(SAVE_SWEEP, [account, owner, watermark.getTime(), recovered]);
  }

  async readToken(account: string): Promise<{ sealed: Buffer; expiresInMs: number } | null> {
    const [row] = await this.database.rows(READ_TOKEN, [account]);
    return row ? { sealed: bytes(row, 'sealed'), expiresInMs: number(row, 'expires_in_ms') } : null;
  }

  async claimTokenRenewal(account: string, owner: string, leaseMs: number): Promise<boolean> {
    return this.changed(CLAIM_TOKEN_RENEWAL, [account, owner, leaseMs]);
  }

  async saveToken(
    account: string,
    owner: string,
    sealed: Buffer,
    expiresInMs: number,
  ): Promise<void> {
    await this.database.rows(SAVE_TOKEN, [account, owner, sealed, expiresInMs]);
  }

  async releaseTokenRenewal(account: string, owner: string): Promise<void> {
    await this.database.rows(RELEASE_TOKEN_RENEWAL, [account, owner]);
  }

  async clearToken(account: string): Promise<void> {
    await this.database.rows(CLEAR_TOKEN, [account]);
  }

  async count(account: string, what: string, example: string): Promise<void> {
    const [shortened, example_] = [what, example].map((words) =>
      storableText(words.slice(0, MAX_SIGHTING_LENGTH)),
    );
    await this.database.rows(COUNT_SIGHTING, [account, shortened, example_]);
  }

  async counts(
    account: string,
  ): Promise<{ what: string; example: string; count: number; lastAt: Date }[]> {
    return (await this.database.rows(SIGHTINGS, [account])).map((row) => ({
      what: text(row, 'what'),
      example: text(row, 'example'),
      count: number(row, 'count'),
      lastAt: time(row, 'last_at'),
    }));
  }

  private async changed(statement: string, values: readonly unknown[]): Promise<boolean> {
    return (await this.database.rows(statement, values)).length > 0;
  }
}
