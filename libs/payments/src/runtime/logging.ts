import { inspect } from 'node:util';
import { Logger } from '@nestjs/common';
import { beginningFor, maskPhones } from '../money/phone-mask.js';
import { SECOND } from './clock.js';

/** The log has a line that a request can cause at most this often, for one cause and account. */
const SELDOM_EVERY_MS = 10 * SECOND;

/** Characters that could begin a new line, move the cursor or change the direction of a line. */
const CONTROLS = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

/** The longest text of a line: the platform may send megabytes. */
const LONGEST = 2_000;

/** Causes and accounts whose last line is remembered. */
const MOST_CAUSES = 1_000;

/** An id that `eventBuilder` makes from a hash. Its digits may look like a phone number, and then no query would find the event. */
const EVENT_ID = /^[0-9a-f]{32}$/;

/**
 * The log of Tillkit. What a line is about stands in its fields, not in the sentence, so that a query of the log finds it. Its lines contain texts of the platform and of errors, so it writes control characters as escapes, which cannot
 * forge a line, and masks what may be a phone number.
 */
export class SafeLogger {
  /** Counts a lost line. The metrics set it: they write lines themselves. */
  static whenLost: () => void = () => undefined;

  private readonly logger = new Logger('Tillkit');
  private readonly seldomLines = new Map<string, SeldomLine>();

  constructor(private readonly elapsed = () => performance.now()) {}

  debug(line: string, fields: LogFields = {}): void {
    this.write('debug', written(line, fields));
  }

  log(line: string, fields: LogFields = {}): void {
    this.write('log', written(line, fields));
  }

  warn(line: string, fields: LogFields = {}): void {
    this.write('warn', written(line, fields));
  }

  /** @param stack of an error of our own; its line breaks are kept */
  error(line: string, fields: LogFields = {}, stack?: string): void {
    this.write('error', written(line, fields, stack));
  }

  /**
   * A line that a request can cause, such as a delivery or a page: requests of anybody must not fill the log. Of one cause and account, one is written in
   * ten seconds; the next says how many were left out.
   * @param line is called only if the line is written
   */
  seldom(
    level: 'warn' | 'error',
    cause: string,
    line: string | (() => string),
    fields: LogFields = {},
    stack?: string,
  ): void {
    const key = `${fields.account ?? ''}/${cause}`;
    const now = this.elapsed();
    const last = this.seldomLines.get(key);
    if (last && now - last.at < SELDOM_EVERY_MS) {
      last.leftOut += 1;
      return;
    }
    this.seldomLines.delete(key);
    if (this.seldomLines.size >= MOST_CAUSES) this.deleteOldest();
    this.seldomLines.set(key, { at: now, leftOut: 0 });
    const more = last?.leftOut
      ? ` (and ${last.leftOut} more like it since the last such line)`
      : '';
    const text = `${typeof line === 'string' ? line : line()}${more}`;
    this.write(level, written(text, fields, stack));
  }

  /** A logger of the host may throw, for instance when its disk is full. Then the line is lost and counted, and what was to be logged goes on. */
  private write(level: 'debug' | 'log' | 'warn' | 'error', line: string | LogLine): void {
    try {
      this.logger[level](line);
    } catch {
      SafeLogger.whenLost();
    }
  }

  private deleteOldest(): void {
    const [oldest] = this.seldomLines.keys();
    if (oldest !== undefined) this.seldomLines.delete(oldest);
  }
}

/** Says when a line of a cause was written, and how many were left out since. */
interface SeldomLine {
  at: number;
  leftOut: number;
}

function written(line: string, fields: LogFields, stack?: string): string | LogLine {
  const present = Object.entries(fields).filter(([, value]) => value !== undefined) as [
    string,
    string | number,
  ][];
  if (present.length === 0 && stack === undefined) return safe(line);
  const masked = present.map(([name, value]) => [
    name,
    typeof value === 'number' || (name === 'eventId' && EVENT_ID.test(value)) ? value : safe(value),
  ]);
  return new LogLine(safe(line), {
    ...(Object.fromEntries(masked) as Record<string, string | number>),
    ...(stack !== undefined && { stack: stack.split('\n').map(safe).join('\n') }),
  });
}

function safe(line: string): string {
  // We mask before we cut and escape: half a number does not look like a number, and an escape ends with a letter or a digit.
  return maskPhones(beginningFor(line, LONGEST)).slice(0, LONGEST).replace(CONTROLS, escaped);
}

function escaped(character: string): string {
  return `\\u${(character.codePointAt(0) as number).toString(16).padStart(4, '0')}`;
}

/**
 * The fields say what a line of the log is about. None of them is a secret or personal data; their values are masked all the same, but for
 * the ids of events.
 */
export interface LogFields {
  account?: string;
  operationId?: string;
  deliveryId?: string;
  eventId?: string;
  /** Id of the listener. */
  listener?: string;
  /** Name of the event. */
  event?: string;
  attempt?: number;
  /** Id of a resource of the platform. */
  resourceId?: string;
  /** Reference of a transaction. */
  reference?: string;
}

/**
 * A sentence with its fields. Each logger writes it in its own way: `ConsoleLogger` as text, with the fields behind the sentence; with
 * `json: true` as an object; pino, which copies the fields of an object, with each field beside `msg`.
 */
class LogLine {
  constructor(
    readonly msg: string,
    fields: Readonly<Record<string, string | number>>,
  ) {
    Object.assign(this, fields);
  }

  toString(): string {
    const { msg, stack, ...fields } = this as unknown as Record<string, string | number>;
    const text = Object.entries(fields).map(([name, value]) => ` ${name}=${value}`);
    return `${msg}${text.join('')}${stack === undefined ? '' : `\n${stack}`}`;
  }

  /** `ConsoleLogger` writes as text what `inspect` gives. */
  [inspect.custom](): string {
    return this.toString();
  }
}

/** Returns what an error says. It never throws: code of the host may throw anything, also something that has no text. */
export function errorText(error: unknown): string {
  try {
    const said = withoutValues(error);
    // The error of a name with several addresses says nothing itself, and has the errors of each.
    if (said instanceof AggregateError && said.message === '')
      return said.errors.map(errorText).join('; ');
    return String(said instanceof Error ? said.message : said);
  } catch {
    return 'it threw something that has no text';
  }
}

/** Returns what an error says, and where it was thrown. */
export function errorStack(error: unknown): string {
  const said = withoutValues(error);
  return errorText(said instanceof Error ? said.stack : said);
}

/**
 * Returns an error without the values that libraries of hosts put into its text, which may be personal. Drizzle's has those of its statement, and its cause says
 * what was wrong. Prisma's validation error has those of the call, and its last paragraph says what was wrong.
 */
function withoutValues(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  if ('params' in error && error.cause) return error.cause;
  return error.name === 'PrismaClientValidationError' ? error.message.split('\n\n').at(-1) : error;
}

/** Logs a problem once while it lasts, and once when it is over: a repeated line would hide the others. */
export class LastingProblem {
  private readonly logger = new SafeLogger();
  private lasts = false;

  begin(line: string, fields?: LogFields): void {
    if (this.lasts) return;
    this.lasts = true;
    this.logger.warn(line, fields);
  }

  end(line: string, fields?: LogFields): void {
    if (!this.lasts) return;
    this.lasts = false;
    this.logger.log(line, fields);
  }
}
