import { Logger } from '@nestjs/common';

/** Adds each warning of the log to a list, and drops all other lines. `Logger.overrideLogger(false)` ends it. */
export function keepWarnings(warnings: string[]): void {
  const ignore = (): void => undefined;
  Logger.overrideLogger({
    log: ignore,
    error: ignore,
    warn: (line: unknown) => warnings.push(String(line)),
  });
}
