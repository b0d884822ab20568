import { Logger } from '@nestjs/common';
import { LogLine, type LogFields } from './log.line.js';
import { maskPhones } from '../values/phone-mask.js';

/** Characters that could begin a new line, move the cursor or change the direction of a line. */
const CONTROLS = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

/** The longest text of a line: the platform may send megabytes. */
const LONGEST = 2_000;

/** A mask is shorter than a hash, at most 17 times: what stands after this many characters is never in the line. */
const LONGEST_MASKED = 20 * LONGEST;

/** An id that `eventBuilder` makes from a hash. Its digits may look like a phone number, and then no query would find the event. */
const EVENT_ID = /^[0-9a-f]{32}$/;

/**
 * The log of Tillkit. What a line is about stands in its fields, not in the sentence, so that a query of the log finds it. Its lines contain texts of the platform and of errors, so it writes control characters as escapes, which cannot
 * forge a line, and masks what may be a phone number.
 */
export class SafeLogger {
  private readonly logger = new Logger('Tillkit');

  debug(line: string, fields: LogFields = {}): void {
    this.logger.debug(written(line, fields));
  }

  log(line: string, fields: LogFields = {}): void {
    this.logger.log(written(line, fields));
  }

  warn(line: string, fields: LogFields = {}): void {
    this.logger.warn(written(line, fields));
  }

  /** @param stack of an error of our own; its line breaks are kept */
  error(line: string, fields: LogFields = {}, stack?: string): void {
    this.logger.error(written(line, fields, stack));
  }
}

function written(line: string, fields: LogFields, stack?: string): string | LogLine {
  const known = Object.entries(fields).filter(([, value]) => value !== undefined) as [
    string,
    string | number,
  ][];
  if (known.length === 0 && stack === undefined) return safe(line);
  const masked = known.map(([name, value]) => [
    name,
    typeof value === 'number' || (name === 'eventId' && EVENT_ID.test(value)) ? value : safe(value),
  ]);
  return new LogLine(safe(line), {
    ...(Object.fromEntries(masked) as Record<string, string | number>),
    ...(stack !== undefined && { stack: stack.split('\n').map(safe).join('\n') }),
  });
}

function safe(line: string): string {
  // An escape ends with a letter or a digit, and half a number is no number: so the mask comes before both.
  return maskPhones(line.slice(0, LONGEST_MASKED)).slice(0, LONGEST).replace(CONTROLS, escaped);
}

function escaped(character: string): string {
  return `\\u${(character.codePointAt(0) as number).toString(16).padStart(4, '0')}`;
}
