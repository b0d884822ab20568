import { Module, type DynamicModule } from '@nestjs/common';
import { PaymentsStore } from '@tillkit/payments/store';
import { EmbeddedPostgresStore, type EmbeddedPostgresStoreOptions } from './embedded.store.js';

/**
 * Payments in a PostgreSQL server that comes with the application: for development, tests and samples.
 *
 * ```ts
 * imports: [EmbeddedPostgresStoreModule.forRoot({ dataDir: '.tillkit' }), PaymentsModule.forRoot()]
 * ```
 * @publicApi
 */
@Module({})
export class EmbeddedPostgresStoreModule {
  static forRoot(options: EmbeddedPostgresStoreOptions): DynamicModule {
    return {
      module: EmbeddedPostgresStoreModule,
      global: true,
      providers: [
        { provide: PaymentsStore, useFactory: () => EmbeddedPostgresStore.open(options) },
      ],
      exports: [PaymentsStore],
    };
  }
}
