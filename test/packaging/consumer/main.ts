/** What a team does after `npm install`: one listener, one payment, on the packed packages. */
import 'reflect-metadata';
import { createServer, type AddressInfo } from 'node:net';
import { Injectable, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import {
  OnPaymentEvent,
  PaymentsModule,
  PaymentsService,
  type PaymentsEvents,
} from '@tillkit/payments';
import { firstTime, PostgresStoreModule } from '@tillkit/postgres';
import { INSTANT_TIMINGS, Simulator } from '@tillkit/simulator';

@Injectable()
class Orders {
  private tell: (order: string) => void = () => undefined;
  readonly paid = new Promise<string>((resolve) => (this.tell = resolve));

  @OnPaymentEvent('payment.succeeded')
  markPaid({ payment }: PaymentsEvents['payment.succeeded']): void {
    this.tell(payment.idempotencyKey);
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function main(): Promise<void> {
  const simulator = await Simulator.start({ timings: INSTANT_TIMINGS });
  const port = await freePort();
  process.env['PAYMENTS_BASE_URL'] = simulator.url;
  process.env['PAYMENTS_CLIENT_ID'] = simulator.clientId;
  process.env['PAYMENTS_CLIENT_SECRET'] = simulator.clientSecret;
  process.env['PAYMENTS_API_KEYS'] = simulator.apiKey;
  process.env['PAYMENTS_PUBLIC_URL'] = `http://127.0.0.1:${port}`;
  process.env['PAYMENTS_TILL_NUMBER'] = '514459';

  @Module({ imports: [PaymentsModule.forRoot()], providers: [Orders] })
  class AppModule {}

  const app = await NestFactory.create(AppModule, { logger: ['error'] });
  await app.listen(port, '127.0.0.1');
  const { state } = await app.get(PaymentsService).request({
    idempotencyKey: 'order-1',
    subscriber: { firstName: 'Jane', lastName: 'Doe', phoneNumber: '+254700000001' },
    amount: { currency: 'KES', value: '100.00' },
  });
  const order = await app.get(Orders).paid;
  // No database here: that they are there and typed is what this shows.
  if (typeof firstTime !== 'function' || typeof PostgresStoreModule.forRoot !== 'function')
    throw new Error('no store');
  await app.close();
  await simulator.stop();
  if (order !== 'order-1') throw new Error(`heard of ${order}`);
  console.log(`sent: ${state}; heard: ${order} is paid`);
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
