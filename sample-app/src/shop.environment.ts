/** What the shop reads from the environment besides `PAYMENTS_*`. */
export interface ShopEnvironment {
  readonly host: string;
  readonly port: number;
  /** Whether a real platform is meant. */
  readonly isReal: boolean;
}

/** Any of these says that a real platform is meant; the payments module then names what is missing. */
const PLATFORM_VARIABLES = [
  'PAYMENTS_BASE_URL',
  'PAYMENTS_CLIENT_ID',
  'PAYMENTS_CLIENT_SECRET',
  'PAYMENTS_API_KEYS',
  'PAYMENTS_URL_SECRETS',
  'PAYMENTS_PUBLIC_URL',
] as const;

/** The start was refused; the message says what to do. */
export class ShopStartError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ShopStartError';
  }
}

/** @throws ShopStartError */
export function readEnvironment(variables: NodeJS.ProcessEnv): ShopEnvironment {
  const port = Number(variables['PORT'] || 3000);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new ShopStartError(
      `PORT is "${variables['PORT']}": set it to a number from 0 (any free port) to 65535.`,
    );
  }
  return {
    host: variables['HOST'] || '127.0.0.1',
    port,
    isReal: PLATFORM_VARIABLES.some((name) => Boolean(variables[name])),
  };
}
