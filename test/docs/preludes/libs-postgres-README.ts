/** What the code of libs/postgres/README.md leaves out. */
import type { PaymentsService, RequestPayment } from '@tillkit/payments';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import type { PgTable } from 'drizzle-orm/pg-core';
import type { Kysely } from 'kysely';
import type { Client } from 'pg';
import type { DataSource } from 'typeorm';

export { Module } from '@nestjs/common';
export { PaymentsModule } from '@tillkit/payments';
export { PostgresStoreModule } from '@tillkit/postgres';
export { sql } from 'drizzle-orm';
export { CompiledQuery } from 'kysely';
export { Pool } from 'pg';

export declare class Order {
  id: string;
}

export declare const client: Client;
export declare const dataSource: DataSource;
export declare const db: Kysely<{ shop_order: { id: string } }> & NodePgDatabase;
export declare const input: RequestPayment;
export declare const order: { id: string };
export declare const orders: PgTable;
export declare const payments: PaymentsService;
