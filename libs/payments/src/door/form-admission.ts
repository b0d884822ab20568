import type { IncomingHttpHeaders } from 'node:http';
import { REFUSAL_STATUS, type Refusal } from './refusal.js';
import type { EarlyAnswer } from './early-answer.js';

/** Why a form is refused whatever its body is; null when its body decides. */
export function formRefusalOf(
  headers: IncomingHttpHeaders,
  maxBytes: number,
): 'encoded' | 'too_large' | null {
  if ((headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity') return 'encoded';
  return Number(headers['content-length'] ?? 0) > maxBytes ? 'too_large' : null;
}

/** The answer to a refused form, for the person who sent it. */
export function formAnswerOf(refusal: Refusal, maxBytes: number): EarlyAnswer {
  const texts: Partial<Record<Refusal, string>> = {
    too_large: `The form is too large: it may have at most ${maxBytes} bytes. Go back, shorten its fields and send it again.`,
    encoded: 'The form is compressed, which this page does not accept.',
    slow: 'The form did not arrive in time. Go back and send it again.',
    busy: 'The server is busy. Go back and send the form again in a moment.',
  };
  return {
    status: REFUSAL_STATUS[refusal],
    type: 'text/plain; charset=utf-8',
    text: texts[refusal] ?? 'The form was refused.',
  };
}
