import { StoreUnavailableError } from '@tillkit/payments/store';

/** Conditions of PostgreSQL that this package knows by name (Appendix A of its manual). */
export const SQL_STATE = {
  uniqueViolation: '23505',
  serializationFailure: '40001',
  deadlockDetected: '40P01',
  lockNotAvailable: '55P03',
} as const;

/** The statement was rolled back through no fault of its own: the same again may well succeed. */
const REPEATABLE: readonly string[] = [SQL_STATE.serializationFailure, SQL_STATE.deadlockDetected];

/** Classes that blame a value: data exception, integrity constraint, program limit. */
const BLAMES_A_VALUE = /^(22|23|54)/;

/**
 * What went wrong in the database, and nothing else: the driver's own error carries rows (`detail`), values and the
 * connection, and would carry them into logs.
 */
export class PostgresFailure extends Error {
  constructor(
    message: string,
    /** Five characters of PostgreSQL, or the system's code such as `ECONNREFUSED`. */
    readonly code: string | undefined,
    /** Name of the constraint that was hurt. */
    readonly constraint: string | undefined,
  ) {
    super(message);
    this.name = 'PostgresFailure';
  }
}

/** The schema of the database is not the one that this version works with. @publicApi */
export class PostgresSchemaError extends StoreUnavailableError {}

/** Options that cannot work, with what to write. @publicApi */
export class PostgresConfigurationError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'PostgresConfigurationError';
  }
}

export function toStoreError(error: unknown): StoreUnavailableError {
  if (error instanceof StoreUnavailableError) return error;
  const { code, constraint, message } = fieldsOf(error);
  const told = code && BLAMES_A_VALUE.test(code) ? 'a value was refused' : withoutUrls(message);
  const where = [code, constraint].filter(Boolean).join(', ');
  return new StoreUnavailableError(where ? `${told} (${where})` : told, {
    cause: new PostgresFailure(told, code, constraint),
  });
}

/** Whether the server refused the statement and the connection is good for the next one. */
export function leavesConnectionUsable(error: unknown): boolean {
  return (error as { severity?: unknown } | null)?.severity === 'ERROR';
}

export function isRepeatable(error: unknown): boolean {
  return REPEATABLE.includes(fieldsOf(error).code ?? '');
}

/** Whether one row of many is to blame, so that the others are worth another attempt without it. */
export function blamesAValue(error: unknown): boolean {
  // What is thrown before anything reaches the database is about a value that cannot be written as JSON.
  if (!(error instanceof StoreUnavailableError)) return true;
  return BLAMES_A_VALUE.test(failureOf(error)?.code ?? '');
}

/** Whether it gave up waiting for a lock that another transaction holds. */
export function waitedForLock(error: unknown): boolean {
  return failureOf(error)?.code === SQL_STATE.lockNotAvailable;
}

export function violates(error: unknown, constraint: string): boolean {
  const failure = failureOf(error);
  return failure?.code === SQL_STATE.uniqueViolation && failure.constraint === constraint;
}

function failureOf(error: unknown): PostgresFailure | undefined {
  const cause = error instanceof StoreUnavailableError ? error.cause : undefined;
  return cause instanceof PostgresFailure ? cause : undefined;
}

function fieldsOf(error: unknown): { code?: string; constraint?: string; message: string } {
  const { code, constraint, message } = (error ?? {}) as Record<string, unknown>;
  return {
    code: typeof code === 'string' ? code : undefined,
    constraint: typeof constraint === 'string' ? constraint : undefined,
    // connecting to several addresses of one host ends in an AggregateError without words
    message:
      typeof message === 'string' && message !== '' ? message : 'PostgreSQL cannot be reached',
  };
}

function withoutUrls(message: string): string {
  return message.replace(/\b[a-z][a-z0-9+.-]*:\/\/\S+/gi, '(a URL)');
}
