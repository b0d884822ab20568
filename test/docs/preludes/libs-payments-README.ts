/** What the code of libs/payments/README.md leaves out. */
export { Injectable, Module } from '@nestjs/common';
export {
  OnPaymentEvent,
  PaymentsModule,
  PaymentsService,
  type Payment,
  type PaymentsEvents,
} from '@tillkit/payments';
