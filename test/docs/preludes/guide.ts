/** The code of docs/guide.md uses these names without declaring them. */
import type {
  Payment,
  PaymentLinksService,
  PaymentsAccounts,
  PaymentsOptions,
  PaymentsService,
  PersonalDataService,
  PayoutsService,
  RefundsService,
  RequestPayment,
  WebhookSubscriptionsService,
  ReviewsService,
} from '@tillkit/payments';
export { PostgresStoreModule } from '@tillkit/postgres';
export { DataSource, type EntityManager } from './host-libraries.js';

export { Injectable, Module, Param, Sse } from '@nestjs/common';
export {
  type LoadedAccountOptions,
  InjectPayments,
  OnPaymentEvent,
  OperationOutcomeUnknownError,
  PaymentInFlightError,
  type Payment,
  PaymentsAccounts,
  PaymentsAccountsSource,
  type PaymentsEvents,
  PaymentsModule,
  PaymentsService,
  type RequestPayment,
} from '@tillkit/payments';
export { map } from 'rxjs';
export { randomUUID } from 'node:crypto';
export { readFileSync } from 'node:fs';

/** The class of methods that the page shows alone. */
export declare class Host {
  protected readonly payments: PaymentsService;
  /** Returns the request that an order needs. */
  protected inputOf(orderId: string): RequestPayment;
}

export declare class Order {
  key: string;
  paid: number;
}

/** The host's own shops and vault. */
export declare class Shops {
  find(shop: string): Promise<{ name: string; till: string } | null>;
}

export declare class Vault {
  secretsOf(
    shop: string,
  ): Promise<{ clientId: string; clientSecret: string; apiKeys: readonly string[] }>;
}

export declare class ShopsModule {}

export declare const accounts: PaymentsAccounts;
export declare const operator: { email: string };
export declare const flat: string;
export declare const month: string;
export declare const job: { id: string; orderId: string; input: RequestPayment };
export declare const id: string;
export declare const input: RequestPayment;
export declare const order: { id: string; attempt: number };
export declare const invoice: { id: string };
export declare const links: PaymentLinksService;
export declare const payment: Payment;
export declare const payments: PaymentsService;
export declare const reviews: ReviewsService;
export declare const endOfTheOutage: Date;
export declare const file: { write(line: string): void };
export declare const payouts: PayoutsService;
export declare const personalData: PersonalDataService;
export declare const phoneNumber: string;
export declare const refunds: RefundsService;
export declare const settingsOfCafe: PaymentsOptions;
export declare const settingsOfShop: PaymentsOptions;
export declare const subscriptions: WebhookSubscriptionsService;
