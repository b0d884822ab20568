import { Module, type DynamicModule } from '@nestjs/common';
import { PaymentsStore } from '@tillkit/payments/store';
import {
  ConfigurableModuleClass,
  POSTGRES_STORE_OPTIONS,
} from './postgres-store.module-definition.js';
import type { PostgresStoreOptions } from './postgres.options.js';
import { PostgresStore } from './postgres.store.js';

/**
 * Payments of the whole application in PostgreSQL: every `PaymentsModule` takes its store from here.
 *
 * ```ts
 * imports: [PostgresStoreModule.forRoot(), PaymentsModule.forRoot()]   // PAYMENTS_DATABASE_URL
 * ```
 *
 * The store closes its own pool in Nest's last hook, `onApplicationShutdown`.
 * @publicApi
 */
@Module({
  providers: [
    {
      provide: PaymentsStore,
      useFactory: (options: PostgresStoreOptions) => new PostgresStore(options),
      inject: [POSTGRES_STORE_OPTIONS],
    },
  ],
  exports: [PaymentsStore],
})
export class PostgresStoreModule extends ConfigurableModuleClass {
  /** @param options nothing given: the database of `PAYMENTS_DATABASE_URL` */
  static override forRoot(options: PostgresStoreOptions = {}): DynamicModule {
    return super.forRoot(options);
  }
}
