import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { WebhookSubscriptionsService } from '@tillkit/payments';
import { PRACTICE_TILL } from '../practice/practice.platform.js';
import { ShopSettings } from '../shop.settings.js';

const EVENT_TYPES = ['buygoods_transaction_received', 'buygoods_transaction_reversed'] as const;

/**
 * Subscribes to the till's webhooks at each start, because the practice platform loses its subscriptions when it stops. A
 * real platform keeps them: create them there once.
 */
@Injectable()
export class TillSubscription implements OnApplicationBootstrap {
  constructor(
    private readonly subscriptions: WebhookSubscriptionsService,
    private readonly settings: ShopSettings,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    if (!this.settings.practice) return;
    for (const eventType of EVENT_TYPES) {
      await this.subscriptions.create({
        eventType,
        scope: 'till',
        scopeReference: PRACTICE_TILL,
      });
    }
  }
}
