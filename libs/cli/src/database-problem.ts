import { StoreUnavailableError } from '@tillkit/payments';

const WHERE = 'PAYMENTS_DATABASE_URL, or --url';
const USER_AND_PASSWORD = `user and password in ${WHERE}; write %40 for @, %23 for # and %2F for / in a password.`;

export interface DatabaseProblem {
  message: string;
  /** This text says how to cure the problem. */
  cure: string;
  /**
   * True when the server or the driver says that a setting is wrong. False when the server was not reached: it may be down, and then no
   * setting cures it.
   */
  isSetting: boolean;
}

/** A server answers with these codes when it refuses a setting. @see https://www.postgresql.org/docs/current/errcodes-appendix.html */
const REFUSED_SETTINGS: Readonly<Record<string, string>> = {
  '28000': `Correct the user in ${WHERE}, or let pg_hba.conf accept it from here.`,
  '28P01': `Correct ${USER_AND_PASSWORD}`,
  '3D000': `Correct the name of the database in ${WHERE}, or create it.`,
};

/** The driver gives these messages, without a code, when the server wants something else than the settings say. */
const WRONG_FOR_SERVER: readonly (readonly [RegExp, string])[] = [
  [/client password must be a/, `The server wants a password: write ${USER_AND_PASSWORD}`],
  [
    /server does not support SSL connections/,
    `Let the server accept TLS, or, if nobody else can read its network, write sslmode=disable in ${WHERE}.`,
  ],
  [
    /certificate/i,
    `Name the host in ${WHERE} as the server's certificate does, and give the authority that signed it: sslrootcert=<file>.`,
  ],
];

/** Node.js gives these codes when the server was not reached. */
const NOT_REACHED = /^E(?!RR_)[A-Z_]+$/;

/** Null when the error is not about the connection. */
export function databaseProblem(error: unknown): DatabaseProblem | null {
  if (!(error instanceof StoreUnavailableError)) return null;
  const code = (error.cause as { code?: string } | undefined)?.code ?? '';
  const message = error.message.replace(/\.?$/, '.');
  const cure = REFUSED_SETTINGS[code] ?? cureOf(error.message);
  if (cure !== undefined) return { message, cure, isSetting: true };
  return NOT_REACHED.test(code)
    ? { message, cure: `Start PostgreSQL, or correct host and port in ${WHERE}.`, isSetting: false }
    : null;
}

function cureOf(message: string): string | undefined {
  return WRONG_FOR_SERVER.find(([says]) => says.test(message))?.[1];
}
