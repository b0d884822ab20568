import { StoreUnavailableError } from '@tillkit/payments/internal/store';

/**
 * The error codes of PostgreSQL that this package handles.
 * @see https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
const SQL_STATE = {
  uniqueViolation: '23505',
  serializationFailure: '40001',
  deadlockDetected: '40P01',
  lockNotAvailable: '55P03',
  readOnlyTransaction: '25006',
} as const;

/**
 * With these codes the statement has changed nothing, and may succeed when it is repeated. Either the server rolled it back because of
 * another statement, or its connection leads to a server that only reads.
 */
const REPEATABLE: readonly string[] = [
  SQL_STATE.serializationFailure,
  SQL_STATE.deadlockDetected,
  SQL_STATE.readOnlyTransaction,
];

/** The values of these keys come from sequences. If one collides, its sequence is behind its rows. */
const OF_SEQUENCES: readonly string[] = ['pause_pkey', 'queue_pkey', 'total_change_pkey'];

/** A value causes errors of these classes: data exception, integrity constraint violation, program limit exceeded. */
const BLAMES_A_VALUE = /^(22|23|54)/;

/**
 * The error of the database. It replaces the error of the driver, which would carry rows (`detail`), values and the connection into logs.
 */
export class PostgresFailure extends Error {
  constructor(
    message: string,
    /** The five characters of PostgreSQL's SQLSTATE, or a code of the system such as `ECONNREFUSED`. */
    readonly code: string | undefined,
    /** The name of the violated constraint. */
    readonly constraint: string | undefined,
  ) {
    super(message);
    this.name = 'PostgresFailure';
  }
}

/**
 * The schema of the database is not the one that this version needs: it is newer, other migrations made it, or migrations are
 * missing and `migrate` is false. The message says what to do. No payment is recorded or sent.
 * @see docs/postgres.md
 * @publicApi
 */
export class PostgresSchemaError extends StoreUnavailableError {}

/** An option is missing or invalid. The message names the option and a valid value. @publicApi */
export class PostgresConfigurationError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'PostgresConfigurationError';
  }
}

/** @param wasSent true when the statement may have reached the server */
export function toStoreError(error: unknown, wasSent = true): StoreUnavailableError {
  if (error instanceof StoreUnavailableError) return error;
  const { code, constraint, message } = fieldsOf(error);
  const shown = shownCause(code, constraint, message);
  const where = [code, constraint].filter(Boolean).join(', ');
  return new StoreUnavailableError(where ? `${shown} (${where})` : shown, {
    cause: new PostgresFailure(shown, code, constraint),
    changedNothing: !wasSent || isRefused(error),
  });
}

function shownCause(
  code: string | undefined,
  constraint: string | undefined,
  message: string,
): string {
  if (constraint !== undefined && OF_SEQUENCES.includes(constraint))
    return 'a sequence of the database is behind its rows, as in a copy that has none; run `npx @tillkit/cli doctor`';
  return code && BLAMES_A_VALUE.test(code) ? 'the database refused a value' : withoutUrls(message);
}

/** True when only the statement failed, so that the connection can run the next one. */
export function leavesConnectionUsable(error: unknown): boolean {
  return isRefused(error) && !saysReadOnly(error);
}

/** True when the server reports that it has rolled the statement back. */
function isRefused(error: unknown): boolean {
  return ((error ?? {}) as { severity?: unknown }).severity === 'ERROR';
}

/** True when the connection leads to a server that only reads. After a failover that is the former primary. */
export function saysReadOnly(error: unknown): boolean {
  return fieldsOf(error).code === SQL_STATE.readOnlyTransaction;
}

/** True when the driver has given up waiting. The server does not know that. */
export function gaveUpWaiting(error: unknown): boolean {
  return fieldsOf(error).message === 'Query read timeout';
}

export function isRepeatable(error: unknown): boolean {
  return REPEATABLE.includes(fieldsOf(error).code ?? '');
}

/** True when one row may have caused the error, so that the others may succeed without it. */
export function blamesAValue(error: unknown): boolean {
  // Other errors come from before the database, for example for a value that cannot be written as JSON.
  if (!(error instanceof StoreUnavailableError)) return true;
  return BLAMES_A_VALUE.test(failureOf(error)?.code ?? '');
}

/** True when the statement failed because another transaction held a lock for too long. */
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
    // If a host has several addresses, the error of the connection is an AggregateError with an empty message.
    message:
      typeof message === 'string' && message !== '' ? message : 'PostgreSQL cannot be reached',
  };
}

function withoutUrls(message: string): string {
  return message.replace(/\b[a-z][a-z0-9+.-]*:\/\/\S+/gi, '(a URL)');
}
