import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { WebhookSubscriptionsService } from '@tillkit/payments';
import { ShopSetup } from '../shop.setup.js';

/** Money that comes, and money that goes back. */
const EVENT_TYPES = ['buygoods_transaction_received', 'buygoods_transaction_reversed'] as const;

/**
 * Asks the practice platform, which forgets everything when it is stopped, to tell of money. A real platform remembers
 * subscriptions: there it is done once, by hand or by a script, not at each start.
 */
@Injectable()
export class TillSubscription implements OnApplicationBootstrap {
  constructor(
    private readonly subscriptions: WebhookSubscriptionsService,
    private readonly setup: ShopSetup,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    if (!this.setup.practice) return;
    for (const eventType of EVENT_TYPES) {
      await this.subscriptions.create({
        eventType,
        scope: 'till',
        scopeReference: this.setup.practice.tillNumber,
      });
    }
  }
}
