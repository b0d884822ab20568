/** The code of libs/postgres/README.md uses these names without declaring them. */
import type { PaymentsService, RequestPayment } from '@tillkit/payments';
import type { Client } from 'pg';
import type { DataSource, Drizzle, Kysely } from './host-libraries.js';

export { Module } from '@nestjs/common';
export { PaymentsModule } from '@tillkit/payments';
export { PostgresStoreModule } from '@tillkit/postgres';
export { Pool } from 'pg';
export { CompiledQuery, sql } from './host-libraries.js';

export declare class Order {
  id: string;
}

export declare const client: Client;
export declare const dataSource: DataSource;
export declare const db: Kysely & Drizzle;
export declare const input: RequestPayment;
export declare const order: { id: string };
export declare const orders: object;
export declare const payments: PaymentsService;
