/** The code of libs/postgres/README.md uses these names without declaring them. */
import type { PaymentsService, RequestPayment } from '@tillkit/payments';
import type { Client } from 'pg';

export { Module } from '@nestjs/common';
export { PaymentsModule } from '@tillkit/payments';
export { PostgresStoreModule } from '@tillkit/postgres';
export { Pool } from 'pg';

export declare const client: Client;
export declare const input: RequestPayment;
export declare const payments: PaymentsService;
