import type { PaymentRecord } from '../operations/payments/payment.js';
import { PaymentsService } from '../operations/payments/payments.service.js';
import type { RequestPayment } from '../operations/payments/request-payment.dto.js';
import type { CreateOutcome } from '../work/sending.js';
import type { Runtime } from '../work/runtime.js';
import type { MemoryStore } from '../store/memory/memory.store.js';
import { aLedger, resourcesWith, type LedgerUnderTest } from './ledger.fixture.js';
import { READY, partsOf } from './operation-parts.fixture.js';

export const ASKED: RequestPayment = {
  idempotencyKey: 'order-1',
  subscriber: { firstName: 'Jane', lastName: 'Doe', phoneNumber: '+254700000001' },
  amount: { currency: 'KES', value: '100.00' },
  tillNumber: '514459',
};

/**
 * Payments of a process that has a token and knows the platform's clock.
 * @param post takes the place of the request to the platform
 */
export function warmPayments(
  store: MemoryStore,
  runtime: Runtime,
  post: (...given: readonly unknown[]) => Promise<CreateOutcome>,
): { under: LedgerUnderTest; payments: PaymentsService } {
  const resources = resourcesWith({
    ...READY,
    incomingPayments: {
      post,
      complete: (given: object) => ({ paymentChannel: 'M-PESA STK Push', ...given }),
    },
  });
  const under = aLedger(store, {}, runtime, resources);
  const clock = under.clocks.of('default');
  clock.observe(new Date(runtime.now()).toUTCString(), runtime.now(), runtime.now());
  const payments = new PaymentsService(
    ...partsOf<PaymentRecord>(under, runtime, resources),
    { current: under.settings },
    store.transactions,
    resources,
  );
  return { under, payments };
}
