import type { HostDatabase, HostTransaction } from '@tillkit/payments/internal/store';
import { hostTransactionIdSql } from '../generated/sql.js';
import { PostgresConfigurationError } from '../postgres.errors.js';
import {
  isObject,
  libraryOfDatabase,
  libraryOfTransaction,
  nameOf,
  type HostLibrary,
} from './host-libraries.js';

/** The answer of a statement for hosts when it did not run in the transaction in which the id was read. */
const OUTSIDE = 'outside';

/**
 * An open transaction of the host. Errors of its library stay as they are, because code of the host that retries serialisation failures must
 * recognise them.
 *
 * A pool, a data source or the manager of one runs each statement in a transaction of its own: after a rollback of the host's, what we
 * wrote would stay. So each statement gets the id of the transaction that an earlier statement ran in. It writes nothing and answers
 * `outside` when its own is another one.
 */
export class OpenTransaction {
  private constructor(
    private readonly given: HostTransaction,
    private readonly library: HostLibrary,
    private readonly id: string,
  ) {}

  /** @throws PostgresConfigurationError when the host gave something else */
  static async of(given: HostTransaction): Promise<OpenTransaction> {
    const library = libraryOfTransaction(given);
    const id = await resultOf(library, given, hostTransactionIdSql, []);
    return new OpenTransaction(given, library, id);
  }

  /**
   * Runs one statement, and returns its one text.
   * @param statement with qualified names; the id is its `$1`. All libraries can run it: its values and its one column `result` are texts
   */
  async ask(statement: string, values: readonly string[]): Promise<string> {
    const answer = await resultOf(this.library, this.given, statement, [this.id, ...values]);
    if (answer === OUTSIDE) throw this.isOutside();
    return answer;
  }

  /** Fails when the transaction has ended, or can only be rolled back: then a commit would roll back and say nothing. */
  async assertOpen(): Promise<void> {
    const id = await resultOf(this.library, this.given, hostTransactionIdSql, []);
    if (id !== this.id) throw this.isOutside();
  }

  private isOutside(): Error {
    const { name, transactionIs } = this.library;
    return new PostgresConfigurationError(
      `\`transaction\`, ${nameOf(this.given)} of ${name}, is in no open transaction, or not in the same one: each of its statements runs in one ` +
        `of its own. Nothing was written. Pass ${transactionIs}`,
    );
  }
}

/**
 * Runs work in a transaction of the host, which commits when the work resolves and rolls back when it rejects.
 * @param limitMs for libraries that limit the time of a transaction
 */
export async function transact(
  given: HostDatabase,
  work: (transaction: HostTransaction) => Promise<void>,
  limitMs: number,
): Promise<void> {
  const library = libraryOfDatabase(given);
  const inIt = (transaction: unknown): Promise<void> => work(transaction as HostTransaction);
  await library.transact(given as never, inIt, limitMs);
}

async function resultOf(
  library: HostLibrary,
  given: HostTransaction,
  statement: string,
  values: readonly string[],
): Promise<string> {
  // Sequelize takes a statement that begins with a comment for one that returns no rows, and a dollar sign in it for a value.
  const text = statement.replace(/^--.*\n/gm, '');
  const answer = await library.query(given as never, text, values);
  const result = firstRowOf(answer)?.['result'];
  if (typeof result === 'string') return result;
  throw new PostgresConfigurationError(
    `\`transaction\`, ${nameOf(given)} of ${library.name}, must give the rows of a statement, as an array or as \`rows\`, with the column ` +
      `\`result\` under that name. It gave ${shapeOf(answer)}. Remove what changes results in its configuration, or pass a client of \`pg\``,
  );
}

/** Libraries give the rows, an object that has them as `rows`, or an array whose first element has them. */
function firstRowOf(answer: unknown): Record<string, unknown> | undefined {
  const rows: unknown = Array.isArray(answer)
    ? answer
    : (answer as { rows?: unknown } | null)?.rows;
  const first: unknown = Array.isArray(rows) ? rows[0] : undefined;
  return (Array.isArray(first) ? first[0] : first) as Record<string, unknown> | undefined;
}

/** Describes an answer without its values, which may be personal. */
function shapeOf(answer: unknown): string {
  if (Array.isArray(answer))
    return answer.length === 0 ? 'an empty array' : `an array of ${shapeOf(answer[0])}`;
  if (!isObject(answer)) return answer === null ? 'null' : typeof answer;
  return `an object with the keys ${Object.keys(answer).join(', ') || 'of none'}`;
}
