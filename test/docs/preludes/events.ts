/** The code of docs/events.md uses these names without declaring them. */
import type { DataSource } from './host-libraries.js';

export { OnPaymentEvent, type PaymentsEvents } from '@tillkit/payments';
export { firstTime } from '@tillkit/postgres';

export declare class Account {
  idempotencyKey: string;
  balance: number;
}

/** The class of methods that the page shows alone. */
export declare class Host {}

export declare const dataSource: DataSource;
export declare const orders: {
  markPaid(key: string, reference: string, eventId: string): Promise<void>;
};
