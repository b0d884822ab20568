import { ConfigurableModuleBuilder } from '@nestjs/common';
import type { RouteDecorator } from './callbacks/callbacks.controller.js';
import { PAYMENTS_OPTIONS } from './payments.constants.js';
import type { PaymentsOptions } from './payments.options.js';

/** What Nest must know before any options are there. @publicApi */
export interface PaymentsModuleExtras {
  /** Path of our routes, below the host's global prefix. @default PAYMENTS_PATH, else 'payments' */
  path?: string;
  /** Name of the account; in `forRootAsync` it must stand here, beside the factory. @default 'default' */
  account?: string;
  /** The host's decorators for our routes: `[Public(), SkipThrottle()]`. @default [] */
  controllerDecorators?: readonly RouteDecorator[];
  /** Make the services injectable everywhere. @default true */
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
