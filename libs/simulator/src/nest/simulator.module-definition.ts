import { ConfigurableModuleBuilder } from '@nestjs/common';
import type { SimulatorOptions } from '../simulator.options.js';

export const {
  ConfigurableModuleClass,
  MODULE_OPTIONS_TOKEN: SIMULATOR_OPTIONS,
  OPTIONS_TYPE,
  ASYNC_OPTIONS_TYPE,
} = new ConfigurableModuleBuilder<SimulatorOptions>({ moduleName: 'Simulator' })
  .setClassMethodName('forRoot')
  .setExtras({ isGlobal: true }, (definition, { isGlobal }) => ({
    ...definition,
    global: isGlobal,
  }))
  .build();
