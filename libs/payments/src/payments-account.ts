import type { Type } from '@nestjs/common';
import type { PaymentLinksService } from './operations/payment-links/payment-links.service.js';
import type { PaymentsService } from './operations/payments/payments.service.js';
import type { PayoutsService } from './operations/payouts/payouts.service.js';
import type { RefundsService } from './operations/refunds/refunds.service.js';
import type { PaymentsStore } from './store/payments.store.js';

/**
 * One account: its services, without its secrets.
 * @example
 * const { payments } = await accounts.get(shop.id);
 * await payments.request({ ... });
 * @publicApi
 */
export abstract class PaymentsAccount {
  abstract readonly name: string;
  /** Path of its routes, below the host's global prefix. */
  abstract readonly path: string;
  abstract readonly store: PaymentsStore;
  /** Whether it was removed: it takes no new requests, and what is open goes on. */
  abstract readonly isRemoved: boolean;
  abstract readonly payments: PaymentsService;
  abstract readonly payouts: PayoutsService;
  abstract readonly refunds: RefundsService;
  abstract readonly paymentLinks: PaymentLinksService;

  /**
   * A service of this account.
   * @example
   * account.get(WebhookSubscriptionsService).webhookUrl()
   */
  abstract get<T>(service: Type<T>): T;

  /** The international form of a phone number as people of its country write it; null when it is none. */
  abstract toInternationalPhone(text: string): string | null;

  /** Whether two numbers are those of one till, by `tillAliases`. */
  abstract isSameTill(one: string, other: string): boolean;

  /** The own number of the till that a number belongs to, by `tillAliases`. */
  abstract ownNumberOf(tillNumber: string): string;
}
