import { guardKey, orderGuard } from '../../ledger/operation.guard.js';
import type { OperationGuard } from '../../store/operation.js';
import { phoneHash } from '../../money/phone-number.js';
import type { NewPayment } from './payment.js';

/** A payer is not asked for the same amount at the same till under another key, nor anybody for the same order, while that may still be paid. */
export function paymentGuard({
  subscriber,
  amount,
  amountMinor,
  order,
}: Pick<NewPayment, 'subscriber' | 'amount' | 'amountMinor' | 'order'>): OperationGuard {
  const key = guardKey('payment', phoneHash(subscriber.phoneNumber), amount.currency, amountMinor);
  return { keys: [{ key, atTill: true }, ...orderGuard(order)] };
}
