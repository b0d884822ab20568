import { guardKey } from '../../ledger/operation.guard.js';
import type { OperationGuard } from '../../store/operation.js';
import { phoneHash } from '../../money/phone-number.js';
import type { NewPayment } from './payment.js';

/**
 * A payer is not prompted for the same amount at the same till under another key while the first prompt may still be paid, or while money
 * exists that may be its money.
 */
export function paymentGuard({
  subscriber,
  amount,
  amountMinor,
}: Pick<NewPayment, 'subscriber' | 'amount' | 'amountMinor'>): OperationGuard {
  return {
    keys: [guardKey('payment', phoneHash(subscriber.phoneNumber), amount.currency, amountMinor)],
    blockedIn: ['created', 'requested', 'pending', 'unknown', 'needs_review'],
    reviewedFor: ['ambiguous', 'no_transaction', 'no_evidence'],
  };
}
