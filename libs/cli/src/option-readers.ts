import { Option } from 'commander';
import { UsageError } from './command.errors.js';

/** The extended format of ISO 8601, with a time zone. `-00:00` is no time zone: RFC 3339 has it for one that is not known. */
const TIME =
  /^(?<minute>\d{4}-\d\d-\d\dT\d\d:\d\d)(?::\d\d(?:\.\d+)?)?(?<zone>Z|(?!-00:00)[+-](?:0\d|1[0-4]):[0-5]\d)$/;
const EXAMPLE = '2026-11-01T00:00:00+03:00';

/** The help describes the format of times with this text. */
export const TIME_FORMAT = `ISO 8601 with a time zone, such as ${EXAMPLE}`;

/**
 * Returns an option whose value is a time. `Date` alone would read "2026-02-30" as 2 March, and "11-05-2026" as 5 November in the time zone of the
 * machine.
 */
export function time(flags: string, description: string): Option {
  const option = new Option(flags, description);
  return option.argParser((text: string) => {
    const { minute, zone } = TIME.exec(text)?.groups ?? {};
    if (minute === undefined || zone === undefined)
      throw new UsageError(
        `${option.long} must be an ISO 8601 time with a time zone, not "${text}": write ${EXAMPLE}, or 2026-10-31T21:00:00Z.`,
      );
    const read = new Date(text);
    if (minuteOf(read, zone) === minute) return read;
    throw new UsageError(
      `${option.long} must be a time that exists, and "${text}" does not: the month has fewer days, or the day fewer hours. Write such as ${EXAMPLE}.`,
    );
  });
}

/** Returns the minute of a time, as a clock in its zone shows it; null when there is no such time. */
function minuteOf(read: Date, zone: string): string | null {
  if (Number.isNaN(read.getTime())) return null;
  const [hours, minutes] = zone === 'Z' ? [0, 0] : zone.slice(1).split(':').map(Number);
  const offsetMs = ((hours as number) * 60 + (minutes as number)) * 60_000;
  const local = read.getTime() + (zone.startsWith('-') ? -offsetMs : offsetMs);
  return new Date(local).toISOString().slice(0, 'yyyy-mm-ddThh:mm'.length);
}

/** Returns an option whose value is kept as a reason or as the name of a person, so it must not be empty. */
export function filledText(flags: string, description: string): Option {
  const option = new Option(flags, description);
  return option.argParser((text: string) => {
    if (text.trim() !== '') return text;
    throw new UsageError(`${option.long} is empty: write ${description}.`);
  });
}

/** Refuses a second value, because one of the two would be ignored. */
export function once(option: Option): void {
  const { parseArg: read, long } = option;
  const takesOne = option.required && !option.variadic && read !== repeatable;
  if (!takesOne) return;
  let isGiven = false;
  option.argParser((text: string, before: unknown) => {
    if (isGiven) throw new UsageError(`${long} is given twice: give it once.`);
    isGiven = true;
    return read ? read(text, before) : text;
  });
}

/** Returns an option that may be repeated. */
export function repeatable(value: string, values: string[] | undefined): string[] {
  return [...(values ?? []), value];
}

/** Returns an option whose value is a whole number in a range. */
export function wholeNumber(
  flags: string,
  description: string,
  range: { least: number; most: number; default: number },
): Option {
  return new Option(flags, description).default(range.default).argParser((text) => {
    const value = Number(text);
    if (Number.isInteger(value) && value >= range.least && value <= range.most) return value;
    throw new UsageError(
      `${flags} must be a whole number from ${range.least} to ${range.most}, not "${text}".`,
    );
  });
}
