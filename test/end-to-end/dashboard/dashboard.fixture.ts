import { Injectable, Logger } from '@nestjs/common';
import { afterAll, afterEach } from '@jest/globals';
import {
  PaymentsDashboardModule,
  type PaymentsDashboardExtras,
  type PaymentsDashboardOptions,
} from '@tillkit/dashboard';
import {
  MemoryStore,
  OnPaymentEvent,
  StoreUnavailableError,
  type PaymentsEvents,
} from '@tillkit/payments';
import { DashboardVisitor, type Shown } from '../../support/dashboard.visitor.js';
import { aRequest, Merchant, type MerchantOptions } from '../../support/merchant.js';
import { PLATFORM, type Platform } from '../../support/platform.js';
import { altered } from '../../support/altered.store.js';

export const PHONE = '+254700000001';
/** The digits of {@link PHONE} that no page may show unasked. */
export const SECRET_DIGITS = '700000001';

/** The handset scenario: the prompt waits for a person. */
export const PERSON = '+254700000014';

/**
 * A merchant's application with a dashboard. Each test opens its own, which is closed after the test; tests that only read may share one, which is
 * opened before and closed after all of them.
 */
export class DashboardHost {
  merchant: Merchant;
  dashboard: DashboardVisitor;

  constructor(
    readonly platform: Platform = PLATFORM,
    { isShared = false } = {},
  ) {
    const close = isShared ? afterAll : afterEach;
    close(() => this.merchant.close());
    afterEach(() => {
      Logger.overrideLogger(false);
    });
  }

  /** Tests that only read share one host. */
  static shared(): DashboardHost {
    return new DashboardHost(PLATFORM, { isShared: true });
  }

  async open(
    options: Partial<MerchantOptions> = {},
    dashboard: PaymentsDashboardOptions & PaymentsDashboardExtras = {},
  ): Promise<void> {
    this.merchant = await Merchant.open({
      platform: this.platform,
      ...options,
      imports: [
        PaymentsDashboardModule.forRoot({
          unguarded: 'anyone may see every payment',
          unguardedActions: 'anyone may move money',
          ...dashboard,
        }),
      ],
    });
    this.dashboard = new DashboardVisitor(`${this.merchant.url}/payments-dashboard`);
  }

  /** Returns the id of a new payment, after its success. */
  async paid(changes: Parameters<typeof aRequest>[0] = {}): Promise<string> {
    const { id } = await this.merchant.payments.request(aRequest(changes));
    await this.merchant.received.next('payment.succeeded', ({ payment }) => payment.id === id);
    return id;
  }
}

/** Returns the ids of the payments that a page of the list shows. */
export function listedIds({ text }: Shown): string[] {
  return [...text.matchAll(/href="[./]*payments\/([\w-]{36})"/g)].map(([, id]) => id as string);
}

/** Returns rows of a CSV file without quotes. */
export function rowsOf(text: string): string[][] {
  return text
    .trimEnd()
    .split('\r\n')
    .map((line) => line.slice(1, -1).split('","'));
}

/** Returns the rows of a CSV file below its first one, by the names of the columns. */
export function cellsOf(text: string): Record<string, string>[] {
  const [names = [], ...rows] = rowsOf(text);
  return rows.map((row) => Object.fromEntries(row.map((cell, at) => [names[at] ?? '', cell])));
}

/** A listener that fails until a test lets it succeed. */
@Injectable()
export class Unwilling {
  isWilling = false;
  readonly eventIds: string[] = [];

  @OnPaymentEvent('payment.succeeded')
  paid({ eventId, payment }: PaymentsEvents['payment.succeeded']): void {
    if (!this.isWilling) throw new Error(`no room for ${payment.subscriber.phoneNumber} <b>`);
    this.eventIds.push(eventId);
  }
}

/** A store whose database a test can make unavailable. */
export class InterruptibleStore extends MemoryStore {
  isAway = false;

  constructor() {
    super();
    const unlessAway =
      <Arguments extends unknown[], Result>(original: (...args: Arguments) => Promise<Result>) =>
      async (...args: Arguments): Promise<Result> => {
        this.assertAvailable();
        return original(...args);
      };
    altered(this, {
      operations: { list: unlessAway, find: unlessAway },
      statistics: { backlog: unlessAway },
      totals: { read: unlessAway },
    });
  }

  private assertAvailable(): void {
    if (this.isAway) throw new StoreUnavailableError('no connection to 10.0.0.7');
  }
}
