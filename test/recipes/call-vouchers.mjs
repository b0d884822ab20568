// Runs beside the compiled sources of the recipes: uses the kind of operation that they added. Arguments: the URL of a platform.
import 'reflect-metadata';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import {
  OnPaymentEvent,
  PaymentsModule,
  PaymentsValidationError,
  VouchersService,
} from './dist/index.js';

const [baseUrl] = process.argv.slice(2);
const options = {
  baseUrl,
  clientId: 'id',
  clientSecret: 'secret',
  apiKeys: ['key'],
  publicUrl: 'http://127.0.0.1:9',
  reconciliation: { scheduleMs: [10], intervalMs: 10, sweepEveryMs: 0 },
};

const events = [];
class Listener {
  sent({ voucher }) {
    events.push(voucher.text);
  }
}
OnPaymentEvent('voucher.succeeded')(
  Listener.prototype,
  'sent',
  Object.getOwnPropertyDescriptor(Listener.prototype, 'sent'),
);

class AppModule {}
Module({ imports: [PaymentsModule.forRoot(options)], providers: [Listener] })(AppModule);

const app = await NestFactory.createApplicationContext(AppModule, { logger: false });
const vouchers = app.get(VouchersService);
const refused = await vouchers.request({ idempotencyKey: 'k', text: '' }).catch((error) => error);
const input = { idempotencyKey: 'k', text: 'one tea' };
const [one, other] = await Promise.all([vouchers.request(input), vouchers.request(input)]);
const { state } = await vouchers.settled(one.id);
while (events.length === 0) await new Promise(setImmediate);
const history = (await vouchers.history(one.id)).map(({ detail }) => detail);
await app.close();
process.stdout.write(
  JSON.stringify({
    isRefused: refused instanceof PaymentsValidationError,
    isSame: one.id === other.id,
    state,
    events,
    history,
  }),
);
