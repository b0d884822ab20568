import type { Transaction } from '../money/transaction.js';
import type { TransactionSum } from '../money/transaction.record.js';

/** A transaction without personal data: reference, amount, till, times and status stay. */
export function withoutPerson<T extends Transaction>(transaction: T): T {
  return {
    ...transaction,
    senderFirstName: null,
    senderMiddleName: null,
    senderLastName: null,
    senderPhoneNumber: null,
    hashedSenderPhone: null,
    cardNumber: null,
    raw: {},
  };
}

/** A sum without personal data. */
export function sumWithoutPerson(sum: TransactionSum): TransactionSum {
  const { received, reversal } = sum;
  return {
    ...sum,
    payerHash: null,
    received: received && withoutPerson(received),
    reversal: reversal && withoutPerson(reversal),
  };
}
