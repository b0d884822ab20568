import { Injectable, Module, type INestApplication, type OnModuleInit } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { afterEach, describe, expect, it } from '@jest/globals';
import { PaymentsModule, PaymentsService } from '@tillkit/payments';
import { aRequest } from '../support/merchant.js';
import { freePort } from '../support/free.port.js';
import { PLATFORM } from '../support/platform.js';
import { RecordedEvents } from '../support/recorded-events.listener.js';

/** Requests a payment as soon as Nest initialises it. */
@Injectable()
class EarlyOrders implements OnModuleInit {
  constructor(private readonly payments: PaymentsService) {}

  async onModuleInit(): Promise<void> {
    await this.payments.request(aRequest());
  }
}

// Nest initialises the deepest modules first.
@Module({ providers: [EarlyOrders] })
class DeepestModule {}

@Module({ imports: [DeepestModule] })
class DeepModule {}

@Module({ imports: [DeepModule] })
class DeeperModule {}

@Module({ imports: [DeeperModule] })
class OrdersModule {}

// One HTTP adapter is enough, because nothing here comes over HTTP.
describe('A payment that a module of the host requests while the application starts', () => {
  let app: INestApplication | null = null;

  afterEach(() => app?.close());

  it('emits its event to the listeners of the application, however deep the module is', async () => {
    const module = await Test.createTestingModule({
      imports: [
        OrdersModule,
        PaymentsModule.forRoot({
          baseUrl: `http://127.0.0.1:${await freePort()}`,
          clientId: 'id',
          clientSecret: 'secret',
          publicUrl: 'https://shop.example',
          apiKeys: ['key'],
          tillNumber: '514459',
          // Nothing answers at the platform's address, so the payment fails at once.
          sending: { sendBeforeMs: 200 },
        }),
      ],
      providers: [RecordedEvents],
    })
      .setLogger(false as never)
      .compile();
    app = PLATFORM.create(module);
    app.useLogger(false);
    await app.init();
    const { reason } = await app.get(RecordedEvents).next('payment.failed');
    expect(reason).toBe('not_sent');
  });
});
