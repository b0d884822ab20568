import type { Runtime } from './runtime.js';

/** Longest text of one error: a message of the platform must not grow a row without limit. */
const LONGEST_ERROR = 500;

/**
 * The attempts to send one create that failed before the platform processed it. It keeps the first and the last error only, so a long
 * outage does not fill the history.
 */
export class FailedAttempts {
  private count = 0;
  private first = '';
  private last = '';

  constructor(private readonly runtime: Runtime) {}

  add({ message }: Error): void {
    this.count += 1;
    this.last = `${new Date(this.runtime.now()).toISOString()}: ${message.slice(0, LONGEST_ERROR)}`;
    if (this.count === 1) this.first = this.last;
  }

  /** The attempts as lines of the history: two at most. */
  get lines(): readonly string[] {
    const { count, first, last } = this;
    if (count === 0) return [];
    if (count === 1) return [`attempt 1, ${first}`];
    const others = count === 2 ? 'attempt 2' : `attempts 2 to ${count}, the last`;
    return [`attempt 1, ${first}`, `${others}, ${last}`];
  }
}
