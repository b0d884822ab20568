/** A platform for many shops with Tillkit: its source has as many accounts as the measurement asks for. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Injectable, Module } from '@nestjs/common';
import {
  OnPaymentEvent,
  PaymentsAccounts,
  PaymentsAccountsSource,
  PaymentsModule,
  PaymentsService,
  type AddedAccountOptions,
} from '@tillkit/payments';
import { PostgresStoreModule } from '@tillkit/postgres';
import { countedPool } from './counted.pool.js';
import { createApplication, listen } from './payments.application.js';
import { host, settingsOf } from './subject.host.js';

/** The process has these open at one moment. */
export interface OpenResources {
  heapBytes: number;
  timers: number;
  sockets: number;
  databaseConnections: number;
}

const { databaseUrl, baseUrl } = settingsOf<{ databaseUrl: string; baseUrl: string }>();
const { pool, statements } = countedPool(databaseUrl, 10);

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

@Injectable()
class Shops extends PaymentsAccountsSource {
  async load(account: string): Promise<AddedAccountOptions> {
    const n = Number(account.split('-')[1]);
    return {
      clientId: `client of ${account}`,
      clientSecret: `secret of ${account}`,
      apiKeys: [`key of ${account}`],
      tillNumber: String(600_000 + n),
      tills: [String(600_000 + n)],
    };
  }
}

@Injectable()
class Orders {
  @OnPaymentEvent('payment.succeeded')
  paid(): void {}

  @OnPaymentEvent('till.transaction.received')
  received(): void {}
}

@Module({
  imports: [
    PostgresStoreModule.forRoot({ pool }),
    PaymentsModule.forAccounts({
      source: Shops,
      baseUrl,
      publicUrl: 'https://shops.example',
    }),
  ],
  providers: [Orders],
})
class ShopsModule {}

const app = await createApplication(ShopsModule, 'fastify');
await listen(app);
const accounts = app.get(PaymentsAccounts);

/** Opens accounts of the source, as their first requests do. Resolves with the time that it took. */
async function open({ from, count }: { from: number; count: number }): Promise<number> {
  const startedAt = performance.now();
  await Promise.all(
    Array.from({ length: count }, async (_, n) => {
      const account = await accounts.get(`shop-${from + n}`);
      account.get(PaymentsService);
    }),
  );
  return performance.now() - startedAt;
}

function resources(): OpenResources {
  collectGarbage();
  const active = process.getActiveResourcesInfo();
  const of = (type: string): number => active.filter((name) => name === type).length;
  return {
    heapBytes: process.memoryUsage().heapUsed,
    timers: of('Timeout'),
    sockets: of('TCPSocketWrap'),
    databaseConnections: pool.totalCount,
  };
}

host(
  {
    open,
    resources,
    statements,
    cpu: () => process.cpuUsage(),
  },
  async () => {
    await app.close();
    await pool.end();
  },
);
