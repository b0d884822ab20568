import type { FailureReason } from './operation.js';

/**
 * The platform reports a failure as text only. These patterns match known texts; a text that matches none is `unknown`. The event
 * has the text itself in `errors`. More specific patterns come first.
 */
const PATTERNS: readonly (readonly [RegExp, FailureReason])[] = [
  [/cancel/i, 'cancelled'],
  [/insufficient|balance/i, 'insufficient_funds'],
  [/initiator information|wrong pin|invalid pin|incorrect pin/i, 'wrong_pin'],
  [/limit|exceed|maximum|minimum/i, 'limit'],
  [/unable to lock|in progress|in process|another transaction|busy/i, 'busy'],
  [
    /time[d]?[ -]?out|no response|unreachable|cannot be reached|could not be reached|expired/i,
    'timeout',
  ],
];

export function failureReason(errors: readonly string[]): FailureReason {
  const text = errors.join(' ');
  return PATTERNS.find(([pattern]) => pattern.test(text))?.[1] ?? 'unknown';
}
