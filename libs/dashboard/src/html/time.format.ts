import { html, type Html } from '@tillkit/pages';
import { WORDS } from '../words/english.words.js';
import { LANGUAGE } from '../words/word.format.js';
import { count, decimal } from './number.format.js';

const DAY_MS = 86_400_000;

const FIELD = /^(\d{4})-(\d{2})-(\d{2})(?:T(\d{2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?)?$/;

/** Formats and parses times in one time zone. */
export class TimeFormat {
  private readonly formatter: Intl.DateTimeFormat;
  private readonly parts: Intl.DateTimeFormat;

  /** @throws RangeError for an unknown time zone */
  constructor(readonly zone: string) {
    this.formatter = new Intl.DateTimeFormat(LANGUAGE, {
      timeZone: zone,
      dateStyle: 'medium',
      timeStyle: 'medium',
    });
    this.parts = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
    });
  }

  show(at: Date): Html {
    return html`<time datetime="${at.toISOString()}">${this.formatter.format(at)}</time>`;
  }

  /** Returns a time of the platform; the unchanged text when it is not a valid time. */
  showText(at: string | null): Html | string {
    if (!at) return '';
    const date = new Date(at);
    return Number.isNaN(date.getTime()) ? at.slice(0, 40) : this.show(date);
  }

  /** Returns the value for a field of type `datetime-local`. */
  toField(at: Date): string {
    return new Date(at.getTime() + this.offset(at)).toISOString().slice(0, 16);
  }

  /** Parses the value of such a field, or a date alone; null when the text is not a valid time. */
  fromField(value: string): Date | null {
    const [, year, month, day, hour = '00', minute = '00', second = '00'] = FIELD.exec(value) ?? [];
    if (!year || !month || !day) return null;
    const wall = new Date(Date.UTC(+year, +month - 1, +day, +hour, +minute, +second));
    // Date accepts 31 February and 10:75, and turns them into other times.
    const written = `${year}-${month}-${day}T${hour}:${minute}`;
    if (Number.isNaN(wall.getTime()) || !wall.toISOString().startsWith(written)) return null;
    const found = [-DAY_MS, DAY_MS].map((ms) => {
      const offset = this.offset(new Date(wall.getTime() + ms));
      return new Date(wall.getTime() - offset);
    });
    // When a clock is set back, a time comes twice, and we take the first. When it is set forward, some times do not exist, and we take the
    // time that comes instead.
    const shown = found.filter((at) => at.getTime() + this.offset(at) === wall.getTime());
    return (
      shown.toSorted((one, other) => one.getTime() - other.getTime())[0] ??
      new Date(Math.max(...found.map((at) => at.getTime())))
    );
  }

  /** Returns the offset of the zone from UTC at a time, in milliseconds. */
  private offset(at: Date): number {
    const part = Object.fromEntries(
      this.parts.formatToParts(at).map(({ type, value }) => [type, Number(value)]),
    );
    const { year, month, day, hour, minute, second } = part as Record<string, number>;
    const wall = Date.UTC(year!, month! - 1, day, hour, minute, second);
    return wall - Math.floor(at.getTime() / 1000) * 1000;
  }
}

const STEPS = [
  ['days', 86_400_000],
  ['hours', 3_600_000],
  ['minutes', 60_000],
  ['seconds', 1_000],
] as const;

/** Writes a duration in its two largest units: `340 ms`, `1.2 s`, `3 min 20 s`, `2 d 4 h`. */
export function duration(ms: number): string {
  const { units } = WORDS;
  const whole = Math.max(0, Math.round(ms));
  if (whole < 1_000) return units.milliseconds(count(whole));
  if (whole < 60_000) return units.seconds(decimal(Math.floor(whole / 100) / 10));
  const first = STEPS.findIndex(([, size]) => whole >= size);
  const [unit, size] = STEPS[first]!;
  const [smaller, part] = STEPS[first + 1]!;
  const rest = Math.floor((whole % size) / part);
  const larger = units[unit](count(Math.floor(whole / size)));
  return rest > 0 ? units.both(larger, units[smaller](count(rest))) : larger;
}
