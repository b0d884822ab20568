import { ConfigurableModuleBuilder } from '@nestjs/common';
import type { RouteDecorator } from './door/deliveries.controller.js';
import { PAYMENTS_OPTIONS } from './payments.constants.js';
import type { PaymentsOptions } from './payments.options.js';

/** Options that Nest needs before a factory of `forRootAsync` runs. @publicApi */
export interface PaymentsModuleExtras {
  /** Path of our routes, after the host's global prefix. @default PAYMENTS_PATH, else 'payments' */
  path?: string;
  /** Name of the account. In `forRootAsync` set it here, not in the factory. @default 'default' */
  account?: string;
  /** Decorators of the host that our routes need: `[Public(), SkipThrottle()]`. @default [] */
  controllerDecorators?: readonly RouteDecorator[];
  /** Whether every module can inject the services without importing this one. @default true */
  global?: boolean;
}

export const { ConfigurableModuleClass, OPTIONS_TYPE, ASYNC_OPTIONS_TYPE } =
  new ConfigurableModuleBuilder<PaymentsOptions>({
    optionsInjectionToken: PAYMENTS_OPTIONS,
  })
    .setClassMethodName('forRoot')
    .setFactoryMethodName('createPaymentsOptions')
    .setExtras<PaymentsModuleExtras>({}, (definition) => definition)
    .build();
