import { PaymentsValidationError } from '../payments.errors.js';
import type { PaymentsSettings } from '../payments.settings.js';

/** The till of a request, else that of the settings. @throws PaymentsValidationError when neither names one */
export function tillOf(chosen: string | undefined, settings: PaymentsSettings): string {
  const tillNumber = chosen ?? settings.tillNumber;
  if (tillNumber) return tillNumber;
  throw new PaymentsValidationError([
    { field: 'tillNumber', problem: 'is missing: pass it, or set PAYMENTS_TILL_NUMBER' },
  ]);
}
