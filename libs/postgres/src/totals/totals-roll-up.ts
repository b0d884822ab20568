import { SafeLogger } from '@tillkit/payments/internal/store';
import { totalsRollUpSql } from '../generated/sql.js';
import type { Database } from '../postgres-database.js';
import { json, number } from '../row.js';

/** Changes of totals wait this long before they are added. Readers see them at once, so this affects only the size of the table. */
const WAIT_MS = 2_000;

/** Most changes that one statement adds. */
const MOST = 2_000;

/** Adds changes of totals to the totals, some time after this process has written one. */
export class TotalsRollUp {
  private readonly logger = new SafeLogger();
  private timer: NodeJS.Timeout | null = null;
  private running: Promise<void> = Promise.resolve();
  private isClosed = false;

  constructor(private readonly database: Database) {}

  /** Plans to add the changes soon, unless that is planned already. */
  soon(): void {
    if (this.timer || this.isClosed) return;
    this.timer = setTimeout(() => {
      this.timer = null;
      this.running = this.now();
    }, WAIT_MS).unref();
  }

  /** Adds all changes. After an error it tries again soon. */
  async now(): Promise<void> {
    try {
      while ((await this.addSome()) === MOST);
    } catch {
      this.soon();
    }
  }

  async close(): Promise<void> {
    this.isClosed = true;
    if (this.timer) clearTimeout(this.timer);
    await this.running;
  }

  private async addSome(): Promise<number> {
    if (this.isClosed) return 0;
    const [row] = await this.database.rows(totalsRollUpSql, [MOST]);
    if (!row) return 0;
    // The log does not contain the values, because they come from the platform.
    for (const { account, place, state } of json<Refused[]>(row, 'refused'))
      this.logger.error(
        `a change of the totals of account ${account} cannot be added (${state}) and is left out: row ${place} of total_change. It is tried again in an hour`,
      );
    return number(row, 'taken');
  }
}

/** A change that could not be added, with the SQLSTATE of the reason. */
interface Refused {
  account: string;
  place: number;
  state: string;
}
