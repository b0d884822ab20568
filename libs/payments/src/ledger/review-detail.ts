import type { Operation } from '../store/operation.js';

/** Longest text of one contradiction: a text of the platform must not grow a row without limit. */
const LONGEST = 500;

/** Where a text of ours ends, and the platform's errors follow. */
const ERRORS = /(?<= names errors[^:]*): .*$/s;

/**
 * The text of a contradiction as it is stored and compared: one line, whatever the platform wrote. Of a redacted operation without the errors, which
 * may name the person; all else are texts of ours, amounts and references.
 */
export function reviewDetail({ redacted }: Pick<Operation, 'redacted'>, text: string): string {
  const stored = redacted ? text.replace(ERRORS, '') : text;
  return stored.replaceAll(/\s+/g, ' ').slice(0, LONGEST);
}
