export { EmbeddedPostgres, type EmbeddedPostgresOptions } from './embedded-postgres.js';
export { EmbeddedPostgresStore, type EmbeddedPostgresStoreOptions } from './embedded.store.js';
export { EmbeddedPostgresStoreModule } from './embedded-store.module.js';
export { EmbeddedPostgresError } from './embedded.errors.js';
