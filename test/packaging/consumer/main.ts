/**
 * The application of a user after `npm install`: the code of the README (`./shop.js`), started with the `.env` of the README
 * on the packed packages, the dashboard, and the health checks.
 */
import 'reflect-metadata';
import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';
import { Injectable, Module, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { PaymentsDashboardModule } from '@tillkit/dashboard';
import { PaymentsHealthIndicator, PaymentsHealthModule } from '@tillkit/payments/health';
import { firstTime, PostgresStoreModule } from '@tillkit/postgres';
import { INSTANT_TIMINGS, Simulator } from '@tillkit/simulator';
import { AppModule as Shop, Orders } from './shop.js';

@Injectable()
class OperatorsGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<{ headers: Record<string, string> }>();
    return request.headers['authorization'] === 'an operator';
  }
}

/** The dashboard shows the payment to an operator, and nothing to anybody else. */
async function look(url: string): Promise<void> {
  const outsider = await fetch(`${url}/payments`);
  if (outsider.status !== 403) throw new Error(`an outsider was answered ${outsider.status}`);
  const headers = { authorization: 'an operator' };
  const list = await (await fetch(`${url}/payments`, { headers })).text();
  if (!list.includes('Jane Doe')) throw new Error('the dashboard does not show the payment');
  const lost = await fetch(`${url}/no/such/page`, { headers });
  if (lost.status !== 404) throw new Error(`a page that is none was answered ${lost.status}`);
  for (const [file, text] of [
    ['chart.js', 'Chart.js'],
    ['idiomorph.js', 'Idiomorph'],
  ] as const) {
    const asset = await (await fetch(`${url}/assets/${file}`, { headers })).text();
    if (!asset.includes(text)) throw new Error(`the dashboard does not find ${file}`);
  }
}

/** Resolves with the next line that the shop prints. */
function nextLine(): Promise<string> {
  const { log } = console;
  return new Promise((resolve) => {
    console.log = (line: string) => {
      console.log = log;
      resolve(line);
    };
  });
}

/** Below the ports that the kernel gives to the connections of other processes at any moment. */
async function freePort(): Promise<number> {
  const port = randomInt(10_081, 30_000);
  const server = createServer();
  const isFree = await new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true));
  });
  if (!isFree) return freePort();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function main(): Promise<void> {
  const environment = (name: string): string => process.env[`PAYMENTS_${name}`] ?? '';
  // The simulator of the README has fixed credentials, because `npx @tillkit/simulator` prints them.
  const simulator = await Simulator.start({
    timings: INSTANT_TIMINGS,
    clientId: environment('CLIENT_ID'),
    clientSecret: environment('CLIENT_SECRET'),
    apiKey: environment('API_KEYS'),
  });
  const port = await freePort();
  process.env['PAYMENTS_BASE_URL'] = simulator.url;
  process.env['PAYMENTS_PUBLIC_URL'] = `http://127.0.0.1:${port}`;

  @Module({
    imports: [
      Shop,
      PaymentsDashboardModule.forRoot({ guards: [OperatorsGuard] }),
      PaymentsHealthModule,
    ],
  })
  class AppModule {}

  const printed = nextLine();
  const app = await NestFactory.create(AppModule, { logger: ['error'] });
  await app.listen(port, '127.0.0.1');
  const { state } = await app.get(Orders).pay('1042');
  if (state === 'failed') throw new Error('the platform refused the payment');
  const line = await printed;
  await look(`http://127.0.0.1:${port}/payments-dashboard`);
  const health = app.get(PaymentsHealthIndicator);
  const checks = [await health.store('all'), health.token('all'), await health.backlog('all')];
  if (checks.some((check) => check['all']?.status !== 'up'))
    throw new Error(`the health checks say ${JSON.stringify(checks)}`);
  // There is no database here: this shows only that the exports exist and are typed.
  if (typeof firstTime !== 'function' || typeof PostgresStoreModule.forRoot !== 'function')
    throw new Error('no store');
  await app.close();
  await simulator.stop();
  if (!/^order-1042-1 is paid: \w+$/.test(line)) throw new Error(`the shop printed: ${line}`);
  console.log(`sent: ${state}; printed: ${line}`);
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
