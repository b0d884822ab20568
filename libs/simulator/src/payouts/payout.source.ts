import { tillAccount } from '../balances/account.name.js';
import type { Tills } from '../tills/tills.service.js';
import type { PayoutOrder } from './payout.model.js';

/** The till that pays; the first one when a request names none. @returns undefined for an unknown till */
export function sourceOf(
  tills: Tills,
  number: string | null | undefined,
): Pick<PayoutOrder, 'source' | 'tillNumber'> | undefined {
  const till = number ? tills.find(number) : tills.first();
  return till && { source: tillAccount(till.reported), tillNumber: till.reported };
}
