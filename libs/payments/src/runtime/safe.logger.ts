import { Logger } from '@nestjs/common';

/** Characters that could begin a new line, move the cursor or change the direction of a line. */
const CONTROLS = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

/** Digits that may be a phone number: 9 to 15, not part of an id or a word. */
const PHONE = /(?<![\w-])\+?\d{6,12}(?=\d{3}(?![\w-]))/g;

/** The longest text of a line: the platform may send megabytes. */
const LONGEST = 2_000;

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
  return line
    .slice(0, LONGEST)
    .replace(CONTROLS, escaped)
    .replace(PHONE, (digits) => '*'.repeat(digits.length));
}

function escaped(character: string): string {
  return `\\u${(character.codePointAt(0) as number).toString(16).padStart(4, '0')}`;
}
