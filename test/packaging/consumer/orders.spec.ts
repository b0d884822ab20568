/** A test of a user, in Jest and in Vitest: an order is paid in the simulator. */
import { Test } from '@nestjs/testing';
import { PaymentsDashboardModule } from '@tillkit/dashboard';
import { PaymentsModule, PaymentsService } from '@tillkit/payments';
import { PaymentsStore } from '@tillkit/payments/internal/store';
import { EmbeddedPostgresStoreModule } from '@tillkit/postgres/embedded';
import { INSTANT_TIMINGS, Simulator } from '@tillkit/simulator';
import { SimulatorModule } from '@tillkit/simulator/nest';

describe('an order', () => {
  it('is asked to be paid', async () => {
    const simulator = await Simulator.start({ timings: INSTANT_TIMINGS });
    const host = await Test.createTestingModule({
      imports: [
        PaymentsModule.forRoot({
          baseUrl: simulator.url,
          clientId: simulator.clientId,
          clientSecret: simulator.clientSecret,
          apiKeys: [simulator.apiKey],
          publicUrl: 'http://127.0.0.1:9',
          tillNumber: '514459',
        }),
        PaymentsDashboardModule.forRoot({ unguarded: 'anyone may see every payment' }),
      ],
    }).compile();
    await host.init();
    const { state } = await host.get(PaymentsService).request({
      idempotencyKey: 'order-1',
      subscriber: { firstName: 'Jane', lastName: 'Doe', phoneNumber: '+254700000001' },
      amount: { currency: 'KES', value: '100.00' },
    });
    await host.close();
    await simulator.stop();
    expect(state).toBe('pending');
  });

  it('may use what the other entry points export', () => {
    const names = [PaymentsStore, EmbeddedPostgresStoreModule, SimulatorModule].map(
      (it) => it.name,
    );
    expect(names).toEqual(['PaymentsStore', 'EmbeddedPostgresStoreModule', 'SimulatorModule']);
  });
});
