import { SafeLogger } from '@tillkit/payments/internal/store';
import type { Database, Execute } from './postgres-database.js';

/** After a failure we do not read from the replica for this time. */
const PAUSE_MS = 10_000;

/**
 * Reads that may be a little old: lists, totals and reports for people. They go to a replica, if there is one, and to the primary while the
 * replica is away.
 */
export class ReplicaReads {
  private pausedUntil = 0;
  private readonly logger = new SafeLogger();

  constructor(
    private readonly primary: Database,
    private readonly replica: Database | null,
  ) {}

  readonly rows: Execute = async (statement, values) => {
    if (!this.replica || performance.now() < this.pausedUntil)
      return this.primary.rows(statement, values);
    try {
      return await this.replica.direct(statement, values);
    } catch (error) {
      this.pausedUntil = performance.now() + PAUSE_MS;
      this.logger.warn(
        `the database of PAYMENTS_DATABASE_READ_URL did not answer, so lists and reports read from the primary one: ${String(error)}`,
      );
      return this.primary.rows(statement, values);
    }
  };

  async close(): Promise<void> {
    await this.replica?.close();
  }
}
