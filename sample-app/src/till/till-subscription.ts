import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { WebhookSubscriptionsService } from '@tillkit/payments';
import { ShopDatabase } from '../database/shop-database.js';
import { PRACTICE_TILL } from '../practice/practice-platform.js';
import { ShopSettings } from '../shop.settings.js';

const EVENT_TYPES = ['buygoods_transaction_received', 'buygoods_transaction_reversed'] as const;

/** Subscribes to the till's webhooks, once at each practice platform. At a real platform, you create the subscriptions once. */
@Injectable()
export class TillSubscription implements OnApplicationBootstrap {
  constructor(
    private readonly subscriptions: WebhookSubscriptionsService,
    private readonly database: ShopDatabase,
    private readonly settings: ShopSettings,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    const { practice } = this.settings;
    if (!practice) return;
    for (const eventType of EVENT_TYPES) await this.subscribe(practice.id, eventType);
  }

  private async subscribe(
    platform: string,
    eventType: (typeof EVENT_TYPES)[number],
  ): Promise<void> {
    const key = [platform, eventType, this.subscriptions.webhookUrl()];
    const known = await this.database.query(
      'select 1 from shop.subscriptions where platform = $1 and event_type = $2 and url = $3',
      key,
    );
    if (known.length > 0) return;
    await this.subscriptions.create({ eventType, scope: 'till', scopeReference: PRACTICE_TILL });
    await this.database.query(
      'insert into shop.subscriptions (platform, event_type, url) values ($1, $2, $3)',
      key,
    );
  }
}
