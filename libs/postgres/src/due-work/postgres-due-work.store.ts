import { DueWorkStore, type DueWork, type WorkAccounts } from '@tillkit/payments/internal/store';
import { namesAndMeaning } from '../account-scope.js';
import { dueWorkLookSql } from '../generated/sql.js';
import type { Database } from '../postgres-database.js';
import { boolean, number, text, type Row } from '../row.js';

export class PostgresDueWorkStore extends DueWorkStore {
  constructor(private readonly database: Database) {
    super();
  }

  async look({ background, reconciled }: WorkAccounts, withinMs: number): Promise<DueWork> {
    const rows = await this.database.rows(dueWorkLookSql, [
      ...namesAndMeaning(background),
      ...namesAndMeaning(reconciled),
      withinMs,
    ]);
    const due = rows.filter((row) => boolean(row, 'is_due'));
    const isDue = (kind: string): boolean => due.some((row) => row['kind'] === kind);
    const later = rows.filter((row) => row['next_ms'] !== null);
    return {
      callbacks: isDue('callback'),
      webhooks: isDue('webhook'),
      open: isDue('open'),
      followed: isDue('followed'),
      accounts: [...new Set(due.flatMap(accountsOf))],
      planned: (['sweep', 'retention'] as const).filter(isDue),
      calls: due
        .filter((row) => row['kind'] === 'call')
        .map((row) => ({ account: accountsOf(row)[0] as string, listener: text(row, 'listener') })),
      nextMs: later.length > 0 ? Math.min(...later.map((row) => number(row, 'next_ms'))) : null,
    };
  }
}

function accountsOf(row: Row): string[] {
  return JSON.parse(text(row, 'accounts')) as string[];
}
