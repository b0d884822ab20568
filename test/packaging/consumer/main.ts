/** The application of a user after `npm install`: one listener and one payment, with the packed packages. */
import 'reflect-metadata';
import { createServer, type AddressInfo } from 'node:net';
import { Injectable, Module, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { PaymentsDashboardModule } from '@tillkit/dashboard';
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

@Injectable()
class OperatorsGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<{ headers: Record<string, string> }>();
    return request.headers['authorization'] === 'an operator';
  }
}

/** The dashboard shows the payment to an operator, and nothing to anybody else. */
async function look(url: string): Promise<void> {
  const stranger = await fetch(`${url}/payments`);
  if (stranger.status !== 403) throw new Error(`a stranger was answered ${stranger.status}`);
  const headers = { authorization: 'an operator' };
  const list = await (await fetch(`${url}/payments`, { headers })).text();
  if (!list.includes('Jane Doe')) throw new Error('the dashboard does not show the payment');
  const lost = await fetch(`${url}/no/such/page`, { headers });
  if (lost.status !== 404) throw new Error(`a page that is none was answered ${lost.status}`);
  const chart = await (await fetch(`${url}/assets/chart.js`, { headers })).text();
  if (!chart.includes('Chart.js')) throw new Error('the dashboard does not find Chart.js');
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

  @Module({
    imports: [
      PaymentsModule.forRoot(),
      PaymentsDashboardModule.forRoot({ guards: [OperatorsGuard] }),
    ],
    providers: [Orders],
  })
  class AppModule {}

  const app = await NestFactory.create(AppModule, { logger: ['error'] });
  await app.listen(port, '127.0.0.1');
  const { state } = await app.get(PaymentsService).request({
    idempotencyKey: 'order-1',
    subscriber: { firstName: 'Jane', lastName: 'Doe', phoneNumber: '+254700000001' },
    amount: { currency: 'KES', value: '100.00' },
  });
  const order = await app.get(Orders).paid;
  await look(`http://127.0.0.1:${port}/payments-dashboard`);
  // Without a database: this shows only that the exports exist and are typed.
  if (typeof firstTime !== 'function' || typeof PostgresStoreModule.forRoot !== 'function')
    throw new Error('no store');
  await app.close();
  await simulator.stop();
  if (order !== 'order-1') throw new Error(`received ${order}`);
  console.log(`sent: ${state}; received: ${order} is paid`);
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
