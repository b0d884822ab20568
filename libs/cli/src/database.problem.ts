import { StoreUnavailableError } from '@tillkit/payments';

const WHERE = 'PAYMENTS_DATABASE_URL, or --url';

/** Why a command cannot use its database. */
export interface DatabaseProblem {
  message: string;
  /** What to do. */
  cure: string;
  /** Whether the server says that a setting is wrong. It may also be down, which no setting cures. */
  isSetting: boolean;
}

/** What a server says that refuses a setting. @see https://www.postgresql.org/docs/current/errcodes-appendix.html */
const REFUSED_SETTINGS: Readonly<Record<string, string>> = {
  '28000': `Correct the user in ${WHERE}, or let pg_hba.conf accept it from here.`,
  '28P01': `Correct user and password in ${WHERE}; write %40 for @, %23 for # and %2F for / in a password.`,
  '3D000': `Correct the name of the database in ${WHERE}, or create it.`,
};

/** Codes of Node.js: the server was not reached. */
const NOT_REACHED = /^E[A-Z_]+$/;

/** Of an error of the connection; null of any other. */
export function databaseProblem(error: unknown): DatabaseProblem | null {
  if (!(error instanceof StoreUnavailableError)) return null;
  const code = (error.cause as { code?: string } | undefined)?.code ?? '';
  const message = error.message.replace(/\.?$/, '.');
  const cure = REFUSED_SETTINGS[code];
  if (cure !== undefined) return { message, cure, isSetting: true };
  return NOT_REACHED.test(code)
    ? { message, cure: `Start PostgreSQL, or correct host and port in ${WHERE}.`, isSetting: false }
    : null;
}
