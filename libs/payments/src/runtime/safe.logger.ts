import { Logger } from '@nestjs/common';
import { maskPhones } from '../values/phone-mask.js';

/** Characters that could begin a new line, move the cursor or change the direction of a line. */
const CONTROLS = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

/** The longest text of a line: the platform may send megabytes. */
const LONGEST = 2_000;

/** A mask is shorter than a hash, at most 17 times: what stands after this many characters is never in the line. */
const LONGEST_MASKED = 20 * LONGEST;

/**
 * The log of Tillkit. Its lines contain texts of the platform and of errors, so it writes control characters as escapes, which cannot
 * forge a line, and masks what may be a phone number.
 */
export class SafeLogger extends Logger {
  constructor() {
    super('Tillkit');
  }

  override debug(line: string): void {
    super.debug(safe(line));
  }

  override log(line: string): void {
    super.log(safe(line));
  }

  override warn(line: string): void {
    super.warn(safe(line));
  }

  /** @param stack of an error of our own; its line breaks are kept */
  override error(line: string, stack?: string): void {
    if (stack === undefined) super.error(safe(line));
    else super.error(safe(line), stack.split('\n').map(safe).join('\n'));
  }
}

function safe(line: string): string {
  // An escape ends with a letter or a digit, and half a number is no number: so the mask comes before both.
  return maskPhones(line.slice(0, LONGEST_MASKED)).slice(0, LONGEST).replace(CONTROLS, escaped);
}

function escaped(character: string): string {
  return `\\u${(character.codePointAt(0) as number).toString(16).padStart(4, '0')}`;
}
