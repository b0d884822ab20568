import { Injectable } from '@nestjs/common';
import type { ThanksState, TillEntry } from '../till/till.entry.js';
import { TillRepository, type ThankedEntry } from '../till/till.repository.js';
import { ShopDatabase } from './shop.database.js';

interface TillRow {
  entry: TillEntry;
  thanks: ThanksState | null;
}

/** The till's book, which a restart does not forget. */
@Injectable()
export class PostgresTillRepository extends TillRepository {
  constructor(private readonly database: ShopDatabase) {
    super();
  }

  override async add(entry: TillEntry): Promise<void> {
    await this.query(
      'insert into shop.till (id, reference, webhook_event_id, entry) values ($1, $2, $3, $4) on conflict do nothing',
      [entry.id, entry.reference, entry.webhookEventId, JSON.stringify(entry)],
    );
  }

  override async latest(limit: number): Promise<ThankedEntry[]> {
    const rows = await this.query(
      `select entry, thanks.state as thanks from shop.till
       left join shop.thanks on thanks.webhook_event_id = till.webhook_event_id order by place desc limit $1`,
      [limit],
    );
    return rows.map(({ entry, thanks }) => ({ ...entry, thanks }));
  }

  override async beginThanks(webhookEventId: string): Promise<boolean> {
    const begun = await this.query(
      `insert into shop.thanks (webhook_event_id, state) values ($1, 'asked') on conflict do nothing returning state as thanks`,
      [webhookEventId],
    );
    return begun.length > 0;
  }

  override async endThanks(webhookEventId: string, state: ThanksState): Promise<void> {
    await this.query(
      `insert into shop.thanks (webhook_event_id, state) values ($1, $2)
       on conflict (webhook_event_id) do update set state = excluded.state`,
      [webhookEventId, state],
    );
  }

  override async dropThanks(webhookEventId: string): Promise<void> {
    await this.query('delete from shop.thanks where webhook_event_id = $1', [webhookEventId]);
  }

  override async thanksForReference(reference: string): Promise<ThanksState | null> {
    const [row] = await this.query(
      `select entry, thanks.state as thanks from shop.till
       join shop.thanks on thanks.webhook_event_id = till.webhook_event_id where reference = $1 order by place limit 1`,
      [reference],
    );
    return row?.thanks ?? null;
  }

  override async findByWebhookEvent(webhookEventId: string): Promise<TillEntry | null> {
    const [row] = await this.query(
      'select entry from shop.till where webhook_event_id = $1 limit 1',
      [webhookEventId],
    );
    return row?.entry ?? null;
  }

  private async query(text: string, values: unknown[]): Promise<TillRow[]> {
    return (await this.database.pool.query<TillRow>(text, values)).rows;
  }
}
