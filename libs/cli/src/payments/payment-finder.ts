import type { PaymentsStore } from '@tillkit/payments';
import { isPayment, type PaymentRecord } from '@tillkit/payments/internal/store';
import { CommandError } from '../command.errors.js';

/**
 * Finds a payment by its id, its idempotency key, or the reference of the transaction that paid it.
 * @throws CommandError when there is no such payment; the message says what was found instead
 */
export async function findPayment(
  store: PaymentsStore,
  account: string,
  text: string,
): Promise<PaymentRecord> {
  const byId = await store.operations.find(account, text);
  if (byId && !isPayment(byId))
    throw new CommandError(
      `${text} is the id of a ${byId.kind.replace('_', ' ')}, and not of a payment.`,
    );
  const found = byId ?? (await store.operations.findByIdempotencyKey(account, 'payment', text));
  if (found && isPayment(found)) return found;
  return byReference(store, account, text);
}

async function byReference(
  store: PaymentsStore,
  account: string,
  reference: string,
): Promise<PaymentRecord> {
  const sums = (await store.transactions.findTyped(account, reference))?.sums ?? [];
  const ids = [...new Set(sums.map(({ paymentId }) => paymentId).filter((id) => id !== null))];
  const owners = await Promise.all(ids.map((id) => store.operations.find(account, id)));
  const [owner, another] = owners.filter((each) => each !== null);
  if (another)
    throw new CommandError(
      `transaction ${reference} belongs to several payments: name one by its id: ${ids.join(', ')}.`,
    );
  if (owner && isPayment(owner)) return owner;
  throw new CommandError(
    sums.length > 0
      ? `transaction ${reference} is known, and belongs to no payment of account "${account}".`
      : `account "${account}" has no payment with the id or idempotency key ${reference}, and no transaction with this reference.`,
  );
}
