/** The code of docs/from-k2-connect-node.md uses these names without declaring them. */
export { Injectable } from '@nestjs/common';
export { OnPaymentEvent, PaymentsService, type PaymentsEvents } from '@tillkit/payments';
