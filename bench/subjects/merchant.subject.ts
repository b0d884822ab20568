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
import { AMOUNT, Orders, type Ask, type Many, type OrderRequest, type Paced } from './orders.js';
import { accountOptions, createApplication, listen } from './payments.application.js';
import { host, settingsOf } from './subject.host.js';

interface MerchantSettings {
  platform: PlatformName;
  databaseUrl: string;
  baseUrl: string;
  /** Whether the host stores each transaction itself. If not, it only counts them. */
  storesTransactions?: boolean;
}

/** The rest of the connections is for the host's own statements. */
const OF_TILLKIT = 6;

const {
  platform,
  databaseUrl,
  baseUrl,
  storesTransactions = true,
} = settingsOf<MerchantSettings>();
const own = countedPool(databaseUrl, CONNECTIONS - OF_TILLKIT);
const tillkit = countedPool(databaseUrl, OF_TILLKIT);
const orders = new Orders(own.pool);
await orders.create();

@Injectable()
class OrderListener {
  private readonly counted = new Set<string | null>();

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
    if (!storesTransactions) {
      // A listener may be called again with the same event. It counts once.
      if (!this.counted.has(transaction.reference)) orders.received();
      this.counted.add(transaction.reference);
      return;
    }
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

const request: Ask = ({ id, phoneNumber }) =>
  payments.request({
    idempotencyKey: id,
    subscriber: { firstName: 'Jane', lastName: 'Doe', phoneNumber },
    amount: { currency: 'KES', value: AMOUNT },
  });

const ask: Ask = async (order) => {
  await orders.insert(order);
  await request(order);
};

host(
  {
    url: () => url,
    payMany: (many: Many) => orders.payMany(ask, many),
    payPaced: (paced: Paced) => orders.payPaced(ask, paced),
    askMany: (many: Many) => orders.askMany(ask, many),
    askPaced: (paced: Paced) => orders.askPaced(ask, paced),
    /** What a host does that got no answer: the same key again. */
    askAgain: async (given: readonly OrderRequest[]) => {
      await Promise.all(given.map(request));
    },
    progress: () => orders.progress(),
    clear: () => orders.clear(),
    until: (count: number) => orders.until(count),
    latencies: () => orders.latencies(),
    statements: () => tillkit.statements(),
    cpu: () => process.cpuUsage(),
  },
  async () => {
    await app.close();
    await Promise.all([own.pool.end(), tillkit.pool.end()]);
  },
);
