export { firstTime } from './effects/first-time.js';
export { PostgresStore } from './postgres.store.js';
export type { DoubtedOperation } from './restores/restored-database.js';
export { PostgresStoreModule } from './postgres-store.module.js';
export { databaseName, type PostgresStoreOptions } from './postgres.options.js';
export { PostgresConfigurationError, PostgresSchemaError } from './postgres.errors.js';
export {
  inspectSchema,
  migrateSchema,
  printSchema,
  type SchemaInspection,
} from './schema-maintenance.js';
