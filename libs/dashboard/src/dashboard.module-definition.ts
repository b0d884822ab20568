import { ConfigurableModuleBuilder } from '@nestjs/common';
import { DASHBOARD_OPTIONS } from './dashboard.constants.js';
import type { PaymentsDashboardExtras, PaymentsDashboardOptions } from './dashboard.options.js';

export const { ConfigurableModuleClass, OPTIONS_TYPE, ASYNC_OPTIONS_TYPE } =
  new ConfigurableModuleBuilder<PaymentsDashboardOptions>({
    optionsInjectionToken: DASHBOARD_OPTIONS,
  })
    .setClassMethodName('forRoot')
    .setFactoryMethodName('createPaymentsDashboardOptions')
    .setExtras<PaymentsDashboardExtras>({}, (definition) => definition)
    .build();
