import { Module, type DynamicModule } from '@nestjs/common';
import {
  type BaseWithSource,
  PaymentsStore,
  sourceProblem,
  type WithSource,
} from '@tillkit/payments/internal/store';
import {
  type ASYNC_OPTIONS_TYPE,
  ConfigurableModuleClass,
  POSTGRES_STORE_OPTIONS,
} from './postgres-store.module-definition.js';
import { PostgresConfigurationError } from './postgres.errors.js';
import type { PostgresStoreOptions } from './postgres.options.js';
import { PostgresStore } from './postgres.store.js';

type AsyncOptions = typeof ASYNC_OPTIONS_TYPE;
type Base = BaseWithSource<typeof ConfigurableModuleClass, 'forRootAsync', AsyncOptions>;

/**
 * Keeps the payments of the whole application in PostgreSQL: every `PaymentsModule` uses the store of this global module.
 * Call `app.enableShutdownHooks()`: the store closes its own pool in Nest's last hook, `onApplicationShutdown`.
 * @example
 * imports: [PostgresStoreModule.forRoot(), PaymentsModule.forRoot()]   // PAYMENTS_DATABASE_URL
 * @example
 * PostgresStoreModule.forRootAsync({ inject: [Pool], useFactory: (pool: Pool) => ({ pool }) })
 * @see docs/postgres.md
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
export class PostgresStoreModule extends (ConfigurableModuleClass as Base) {
  /**
   * @param options the database; without them, that of `PAYMENTS_DATABASE_URL`
   * @throws PostgresConfigurationError at start, if an option is invalid or if there is no database
   */
  static override forRoot(options: PostgresStoreOptions = {}): DynamicModule {
    return super.forRoot(options);
  }

  /** Does the same with options from a factory or class. @throws PostgresConfigurationError without one */
  static override forRootAsync(options: WithSource<AsyncOptions>): DynamicModule {
    const problem = sourceProblem(
      ['PostgresStoreModule.forRootAsync()', 'PostgresStoreModule.forRoot()'],
      options,
    );
    if (problem) throw new PostgresConfigurationError(`${problem}.`);
    return super.forRootAsync(options);
  }
}
