import type { LogFields } from './log-line.js';
import { SafeLogger } from './safe-logger.js';

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
