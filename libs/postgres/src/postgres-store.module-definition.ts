import { ConfigurableModuleBuilder } from '@nestjs/common';
import type { PostgresStoreOptions } from './postgres.options.js';

export const {
  ConfigurableModuleClass,
  MODULE_OPTIONS_TOKEN: POSTGRES_STORE_OPTIONS,
  ASYNC_OPTIONS_TYPE,
} = new ConfigurableModuleBuilder<PostgresStoreOptions>({
  optionsInjectionToken: 'TILLKIT_POSTGRES_STORE_OPTIONS',
})
  .setClassMethodName('forRoot')
  .setExtras({}, (definition) => ({ ...definition, global: true }))
  .build();
