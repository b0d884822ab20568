/** The code of docs/events.md uses these names without declaring them. */
import type { PaymentsEvents } from '@tillkit/payments';
import type { DataSource } from './host-libraries.js';

export { OnPaymentEvent, PaymentsModule, type PaymentsEvents } from '@tillkit/payments';
export { DataSource, type EntityManager } from './host-libraries.js';
export { firstTime } from '@tillkit/postgres';

export declare class Account {
  idempotencyKey: string;
  balance: number;
}

/** The class of methods that the page shows alone. */
export declare class Host {}

export declare const dataSource: DataSource;
export declare const event: PaymentsEvents['payment.succeeded'];
export declare const orders: {
  markPaid(key: string, reference: string, eventId: string): Promise<void>;
};
