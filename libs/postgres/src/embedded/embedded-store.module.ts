import { Module, type DynamicModule } from '@nestjs/common';
import { PaymentsStore } from '@tillkit/payments/internal/store';
import { EmbeddedPostgresStore, type EmbeddedPostgresStoreOptions } from './embedded.store.js';

/**
 * Keeps the payments of the whole application in an embedded PostgreSQL server, for development, tests and samples. The server
 * starts and stops with the application.
 * @example
 * imports: [EmbeddedPostgresStoreModule.forRoot({ dataDir: '.tillkit' }), PaymentsModule.forRoot()]
 * @see docs/postgres.md
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
