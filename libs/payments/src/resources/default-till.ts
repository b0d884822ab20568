import { PaymentsValidationError } from '../payments.errors.js';
import type { PaymentsSettings } from '../payments.settings.js';
import { isOwnTill } from '../values/till-number.js';

/**
 * The till of a request, else that of the settings.
 * @throws PaymentsValidationError when neither names one, or when the account lists its tills without it: its money would be ignored
 */
export function tillOf(chosen: string | undefined, settings: PaymentsSettings): string {
  const tillNumber = chosen ?? settings.tillNumber;
  if (tillNumber && !isOwnTill(settings, tillNumber)) {
    const problem = `${tillNumber} is none of the tills that the account lists: add it to the option \`tills\` (PAYMENTS_TILLS)`;
    throw new PaymentsValidationError([{ field: 'tillNumber', problem }]);
  }
  if (tillNumber) return tillNumber;
  throw new PaymentsValidationError([
    { field: 'tillNumber', problem: 'is missing: pass it, or set PAYMENTS_TILL_NUMBER' },
  ]);
}
