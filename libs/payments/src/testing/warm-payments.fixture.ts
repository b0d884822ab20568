import type { PaymentRecord, RequestPayment } from '../operations/payments/payment.js';
import { PaymentsService } from '../operations/payments/payments.service.js';
import type { CreateOutcome } from '../platform/sending.js';
import { PlatformClock } from '../platform/platform-clock.js';
import type { Runtime } from '../runtime/clock.js';
import type { MemoryStore } from '../memory/memory.store.js';
import { aLedger, resourcesWith, type LedgerUnderTest } from './ledger.fixture.js';
import { READY, partsOf } from './operation-parts.fixture.js';

export const ASKED: RequestPayment = {
  idempotencyKey: 'order-1',
  subscriber: { firstName: 'Jane', lastName: 'Doe', phoneNumber: '+254700000001' },
  amount: { currency: 'KES', value: '100.00' },
  tillNumber: '514459',
};

/**
 * Returns payments of a process that has a token and knows the platform's clock.
 * @param post takes the place of the request to the platform
 * @param token without one, a payment is recorded as `created`, and becomes `requested` when there is one
 */
export function warmPayments(
  store: MemoryStore,
  runtime: Runtime,
  post: (...given: readonly unknown[]) => Promise<CreateOutcome>,
  token: { status: 'valid' | 'none' } = { status: 'valid' },
): { under: LedgerUnderTest; payments: PaymentsService } {
  const clock = new PlatformClock(runtime);
  clock.observe(new Date(runtime.now()).toUTCString(), runtime.now(), runtime.now());
  const resources = resourcesWith({
    ...READY,
    tokens: Object.assign(token, READY.tokens),
    client: { ...READY.client, clock },
    incomingPayments: {
      post,
      complete: (given: object) => ({ paymentChannel: 'M-PESA STK Push', ...given }),
    },
  });
  const under = aLedger(store, {}, runtime, resources);
  const payments = new PaymentsService(
    ...partsOf<PaymentRecord>(under, runtime, resources),
    { current: under.settings },
    store.transactions,
    resources,
  );
  return { under, payments };
}
