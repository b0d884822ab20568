import { tillAccount } from '../balances/account.name.js';
import { Refusal } from '../server/platform-answer.dto.js';
import type { Tills } from '../tills/tills.service.js';
import type { PayoutOrder } from './payout.model.js';

/** The till that pays; the first one when a request names none. @throws Refusal 400 for an unknown till */
export function sourceOf(
  tills: Tills,
  number: string | null | undefined,
): Pick<PayoutOrder, 'source' | 'tillNumber'> {
  const till = number ? tills.find(number) : tills.first();
  if (!till) throw new Refusal(400, 'Source identifier is invalid');
  return { source: tillAccount(till.reported), tillNumber: till.reported };
}
