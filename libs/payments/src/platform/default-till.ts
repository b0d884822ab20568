import { PaymentsValidationError } from '../payments.errors.js';
import type { PaymentsSettings } from '../work/payments.settings.js';
import { isOwnTill } from '../money/till-number.js';

/** The error of a request to a till that the account does not list: its money would be ignored. Null for any other till. */
export function tillOfAnother(
  tillNumber: string,
  settings: PaymentsSettings,
): PaymentsValidationError | null {
  if (isOwnTill(settings, tillNumber)) return null;
  const problem = `${tillNumber} is none of the tills that the account lists: add it to the option \`tills\` (PAYMENTS_TILLS)`;
  return new PaymentsValidationError([{ field: 'tillNumber', problem }]);
}

/** The till of a request, else that of the settings. @throws PaymentsValidationError when neither names one */
export function tillOf(chosen: string | undefined, settings: PaymentsSettings): string {
  const tillNumber = chosen ?? settings.tillNumber;
  if (tillNumber) return tillNumber;
  throw new PaymentsValidationError([
    { field: 'tillNumber', problem: 'is missing: pass it, or set PAYMENTS_TILL_NUMBER' },
  ]);
}
