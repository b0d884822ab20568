import { Option } from 'commander';
import { UsageError } from './command.errors.js';

/** A parser of times for one option. */
export function readTime(option: string): (text: string) => Date {
  return (text) => {
    const time = new Date(text);
    if (Number.isNaN(time.getTime()) || !/(Z|[+-]\d{2}:?\d{2})$/.test(text)) {
      throw new UsageError(
        `${option} must be an ISO 8601 time with an offset, such as 2026-11-01T00:00:00+03:00.`,
      );
    }
    return time;
  };
}

/** An option that may be repeated. */
export function repeatable(value: string, values: string[] | undefined): string[] {
  return [...(values ?? []), value];
}

/** A whole number in a range, for one option. */
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
