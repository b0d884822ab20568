/** What the code of docs/from-k2-connect-node.md leaves out. */
export { Injectable } from '@nestjs/common';
export { OnPaymentEvent, PaymentsService, type PaymentsEvents } from '@tillkit/payments';
