import { Injectable } from '@nestjs/common';
import { ShopDatabase } from '../database/shop-database.js';

/** Money that the till received. */
export interface TillEntry {
  readonly eventId: string;
  readonly webhookEventId: string | null;
  readonly amount: string | null;
  readonly currency: string | null;
  readonly reference: string | null;
  readonly payer: string;
  readonly phone: string | null;
  /** The order that the money pays; null when somebody paid the till directly. */
  readonly orderNumber: number | null;
  readonly receivedAt: Date | string;
  /** True when the money went back. */
  readonly reversed: boolean;
}

/** The state of the SMS: requested (perhaps sent), certainly sent, or certainly not sent. */
export type ThanksState = 'requested' | 'sent' | 'failed';

export type ListedEntry = TillEntry & { readonly thanks: ThanksState | null };

@Injectable()
export class TillRepository {
  constructor(private readonly database: ShopDatabase) {}

  /** Stores an entry, once for each event. */
  async add(entry: TillEntry): Promise<void> {
    await this.database.query(
      `insert into shop.till (event_id, webhook_event_id, amount, currency, reference, payer, phone, order_number, received_at, reversed)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) on conflict (event_id) do nothing`,
      [
        entry.eventId,
        entry.webhookEventId,
        entry.amount,
        entry.currency,
        entry.reference,
        entry.payer,
        entry.phone,
        entry.orderNumber,
        entry.receivedAt,
        entry.reversed,
      ],
    );
  }

  /** Stores that money went back. */
  async markReversed(reference: string): Promise<void> {
    await this.database.query('update shop.till set reversed = true where reference = $1', [
      reference,
    ]);
  }

  /** Returns the latest entries, newest first. */
  latest(limit: number): Promise<ListedEntry[]> {
    return this.database.query<ListedEntry>(
      `select event_id as "eventId", webhook_event_id as "webhookEventId", amount, currency, reference, payer, phone,
              order_number as "orderNumber", received_at as "receivedAt", reversed, thanks.state as thanks
       from shop.till left join shop.thanks using (webhook_event_id) order by sequence desc limit $1`,
      [limit],
    );
  }

  /** Stores that the SMS is requested; false if that was stored before. */
  async beginThanks(webhookEventId: string): Promise<boolean> {
    const rows = await this.database.query(
      `insert into shop.thanks (webhook_event_id, state) values ($1, 'requested')
       on conflict (webhook_event_id) do nothing returning state`,
      [webhookEventId],
    );
    return rows.length > 0;
  }

  async endThanks(webhookEventId: string, state: ThanksState): Promise<void> {
    await this.database.query('update shop.thanks set state = $2 where webhook_event_id = $1', [
      webhookEventId,
      state,
    ]);
  }

  /** Undoes {@link beginThanks}: nothing was sent, and the SMS may be requested again. */
  async cancelThanks(webhookEventId: string): Promise<void> {
    await this.database.query('delete from shop.thanks where webhook_event_id = $1', [
      webhookEventId,
    ]);
  }
}
