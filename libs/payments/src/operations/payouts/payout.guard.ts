import { guardKey } from '../../ledger/operation.guard.js';
import type { OperationGuard } from '../../store/operation.js';
import type { SendMoneyDestination } from '../../platform/resources/send-money/send-money-destination.dto.js';
import { PAID_AGAIN_AFTER_MS } from '../../work/backoff.js';
import { toMinorUnits } from '../../money/money.js';
import { destinationOf, identityOf } from './payout-results.js';

/** A destination and an amount of a payout that is open, in review, or paid a moment ago, are not paid under another key. */
export function payoutGuard(
  recipients: readonly SendMoneyDestination[],
  currency: string,
): OperationGuard {
  const keys = recipients.map((recipient) => guardKey('payout', identityOf(recipient, currency)));
  const counted = new Map<string, bigint>();
  for (const recipient of recipients) {
    const key = guardKey('destination', destinationOf(recipient), currency);
    const minor = toMinorUnits(recipient.amount, currency) ?? 0n;
    counted.set(key, (counted.get(key) ?? 0n) + minor);
  }
  return {
    keys: [...new Set(keys)].toSorted().map((key) => ({ key, paidForMs: PAID_AGAIN_AFTER_MS })),
    counted: Object.fromEntries([...counted].map(([key, minor]) => [key, String(minor)])),
  };
}
