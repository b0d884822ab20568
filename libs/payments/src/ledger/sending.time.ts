import { PaymentsValidationError } from '../payments.errors.js';

/** Why a value is no time in which a request may be sent; null when it is one. */
export function sendBeforeProblem(value: unknown): string | null {
  return typeof value === 'number' && Number.isInteger(value) && value > 0
    ? null
    : 'must be a whole number of milliseconds above 0';
}

/**
 * Milliseconds in which a request may be sent: its own, or those of the settings, which are also the most.
 * @throws PaymentsValidationError
 */
export function sendingTime(
  own: number | undefined,
  { sendBeforeMs }: { sendBeforeMs: number },
): number {
  if (own === undefined || own === null) return sendBeforeMs;
  if (own <= sendBeforeMs) return own;
  const problem = `must not be above sending.sendBeforeMs of the settings, which is ${sendBeforeMs}`;
  throw new PaymentsValidationError([{ field: 'sendBeforeMs', problem }]);
}
