import { guardKey } from '../../ledger/operation.guard.js';
import type { OperationGuard } from '../../ledger/operation.js';
import { GUARDED_STATES } from '../../ledger/operation.states.js';
import type { SendMoneyDestination } from '../../resources/send-money/send-money-destination.dto.js';
import { PAID_AGAIN_AFTER_MS } from '../../runtime/backoff.js';
import { identityOf } from './payout.results.js';

/** A destination and an amount of a payout that is open, in review, or paid a moment ago, are not paid under another key. */
export function payoutGuard(
  recipients: readonly SendMoneyDestination[],
  currency: string,
): OperationGuard {
  const keys = recipients.map((recipient) => guardKey('payout', identityOf(recipient, currency)));
  return {
    keys: [...new Set(keys)].toSorted(),
    blockedIn: GUARDED_STATES,
    settledWithinMs: PAID_AGAIN_AFTER_MS,
  };
}
