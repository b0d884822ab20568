import { maskKey } from '@tillkit/payments/internal/routes';
import { isPayment, isPaymentLink, type OperationRecord } from '@tillkit/payments/internal/store';

/** Returns the order number of an operation as pages and files show it. A host may use phone numbers in its keys. */
export function orderNumberOf(operation: OperationRecord): string {
  return maskKey(operation.idempotencyKey, payerPhone(operation));
}

function payerPhone(operation: OperationRecord): string | null {
  if (isPayment(operation)) return operation.subscriber.phoneNumber;
  return isPaymentLink(operation) ? (operation.transaction?.senderPhoneNumber ?? null) : null;
}
