/** A merchant with Tillkit: asks for payments, and updates its orders in listeners. */
import { Injectable, Module } from '@nestjs/common';
import {
  OnPaymentEvent,
  PaymentsModule,
  PaymentsService,
  type PaymentsEvents,
} from '@tillkit/payments';
import { PostgresStoreModule } from '@tillkit/postgres';
import type { PlatformName } from '../platforms.js';
import { CONNECTIONS, countedPool } from './counted.pool.js';
import { AMOUNT, Orders, type Ask, type Many, type Paced } from './orders.js';
import { accountOptions, createApplication, listen } from './payments.application.js';
import { host, settingsOf } from './subject.host.js';

interface MerchantSettings {
  platform: PlatformName;
  databaseUrl: string;
  baseUrl: string;
}

/** The rest of the connections is for the host's own statements. */
const OF_TILLKIT = 6;

const { platform, databaseUrl, baseUrl } = settingsOf<MerchantSettings>();
const own = countedPool(databaseUrl, CONNECTIONS - OF_TILLKIT);
const tillkit = countedPool(databaseUrl, OF_TILLKIT);
const orders = new Orders(own.pool);
await orders.create();

@Injectable()
class OrderListener {
  @OnPaymentEvent('payment.succeeded')
  async paid({ payment }: PaymentsEvents['payment.succeeded']): Promise<void> {
    const { rowCount } = await own.pool.query(
      `update shop_order set state = 'paid', paid_at = now() where id = $1 and state <> 'paid'`,
      [payment.idempotencyKey],
    );
    if (rowCount === 1) orders.paid(payment.idempotencyKey);
  }

  @OnPaymentEvent('till.transaction.received')
  async received({ transaction }: PaymentsEvents['till.transaction.received']): Promise<void> {
    const { rowCount } = await own.pool.query(
      'insert into shop_transaction (reference, amount, phone) values ($1, $2, $3) on conflict do nothing',
      [transaction.reference, transaction.amount, transaction.senderPhoneNumber],
    );
    if (rowCount === 1) orders.received();
  }
}

@Module({
  imports: [
    PostgresStoreModule.forRoot({ pool: tillkit.pool }),
    PaymentsModule.forRoot(accountOptions(baseUrl)),
  ],
  providers: [OrderListener],
})
class MerchantModule {}

const app = await createApplication(MerchantModule, platform);
const url = await listen(app);
const payments = app.get(PaymentsService);

const ask: Ask = async (order) => {
  await orders.insert(order);
  await payments.request({
    idempotencyKey: order.id,
    subscriber: { firstName: 'Jane', lastName: 'Doe', phoneNumber: order.phoneNumber },
    amount: { currency: 'KES', value: AMOUNT },
  });
};

host(
  {
    url: () => url,
    payMany: (many: Many) => orders.payMany(ask, many),
    payPaced: (paced: Paced) => orders.payPaced(ask, paced),
    askMany: (many: Many) => orders.askMany(ask, many),
    progress: () => orders.progress(),
    clear: () => orders.clear(),
    statements: () => tillkit.statements(),
    cpu: () => process.cpuUsage(),
  },
  async () => {
    await app.close();
    await Promise.all([own.pool.end(), tillkit.pool.end()]);
  },
);
