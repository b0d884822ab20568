/** Why a value is no time in which a request may be sent; null when it is one. */
export function sendBeforeProblem(value: unknown): string | null {
  return typeof value === 'number' && Number.isInteger(value) && value > 0
    ? null
    : 'must be a whole number of milliseconds above 0';
}

/**
 * Milliseconds in which a request may be sent: its own, or those of the settings, which are also the most. A longer time is no error: the settings may have
 * changed since the first attempt, and a refusal of its repeat would say that nothing was sent.
 */
export function sendingTime(
  own: number | undefined,
  { sendBeforeMs }: { sendBeforeMs: number },
): number {
  return Math.min(own ?? sendBeforeMs, sendBeforeMs);
}
