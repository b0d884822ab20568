import { totalsRollUpSql } from '../generated/sql.js';
import type { Database } from '../postgres.database.js';
import { number } from '../row.js';

/** How long changes of totals wait before they are added. Readers see them at once, so only the size of the table depends on it. */
const WAIT_MS = 2_000;

/** Most changes that one statement adds. */
const MOST = 2_000;

/** Adds changes of totals to the totals, some time after this process has written one. */
export class TotalsRollUp {
  private timer: NodeJS.Timeout | null = null;
  private running: Promise<void> = Promise.resolve();
  private isClosed = false;

  constructor(private readonly database: Database) {}

  /** Adds them soon, if this is not planned already. */
  soon(): void {
    if (this.timer || this.isClosed) return;
    this.timer = setTimeout(() => {
      this.timer = null;
      this.running = this.now();
    }, WAIT_MS).unref();
  }

  /** Adds all of them. What fails is tried again after the next change, by any process. */
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
    return row ? number(row, 'added') : 0;
  }
}
