import { PayoutLimitError } from '../payments.errors.js';
import type { PaymentsSettings } from '../work/payments.settings.js';

/**
 * Refuses a create that moves money out and that no limit would see.
 * @throws PayoutLimitError when the account has limits for payouts; nothing was sent
 */
export function assertBareCreates({
  account,
  payouts,
}: Pick<PaymentsSettings, 'account' | 'payouts'>): void {
  if (payouts.limits === undefined || payouts.bareCreates === true) return;
  const why =
    `account "${account}" has limits, which only PayoutsService.request() keeps. Use it, or set the option payouts: { bareCreates: true } ` +
    'if this call may pass them';
  throw new PayoutLimitError('payouts.limits', why);
}
