/** The code of libs/payments/README.md uses these names without declaring them. */
export { Injectable, Module } from '@nestjs/common';
export {
  OnPaymentEvent,
  PaymentsModule,
  PaymentsService,
  type Payment,
  type PaymentsEvents,
} from '@tillkit/payments';
