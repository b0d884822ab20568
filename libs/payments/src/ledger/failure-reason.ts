import type { FailureReason } from './payment.js';

/**
 * The platform gives a failure in text only. These words were seen; what matches none is `unknown`, and the text itself
 * is handed on with the event. More specific words come first.
 */
const WORDS: readonly (readonly [RegExp, FailureReason])[] = [
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
  return WORDS.find(([words]) => words.test(text))?.[1] ?? 'unknown';
}
