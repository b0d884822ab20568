/**
 * The host's own database transaction, for `PaymentsService.record()`. A `pg` client has this shape. The guide shows the line
 * that adapts TypeORM, Kysely and Drizzle.
 * @see docs/guide.md#together-with-your-order-in-one-transaction
 * @publicApi
 */
export interface HostTransaction {
  query(text: string, values: unknown[]): Promise<unknown>;
}
