import type { PaymentsOptions } from '@tillkit/payments';
import type { PracticePlatform } from './practice/practice-platform.js';

/** The settings of the shop. Also an injection token. */
export class ShopSettings {
  constructor(
    /** The simulated platform; null with a real platform. */
    readonly practice: PracticePlatform | null,
    /** Connection string of the database of orders and payments. */
    readonly databaseUrl: string,
    /** Options that do not come from `PAYMENTS_*`. */
    readonly payments: PaymentsOptions,
  ) {}
}

/** The shop refuses to start. The message says what to do. */
export class ShopStartError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ShopStartError';
  }
}

/** If one of these variables is set, the shop uses the real platform, and the library names each missing variable. */
const PLATFORM_VARIABLES = [
  'PAYMENTS_BASE_URL',
  'PAYMENTS_CLIENT_ID',
  'PAYMENTS_CLIENT_SECRET',
  'PAYMENTS_API_KEYS',
  'PAYMENTS_URL_SECRETS',
  'PAYMENTS_PUBLIC_URL',
] as const;

export function wantsRealPlatform(environment: NodeJS.ProcessEnv): boolean {
  return PLATFORM_VARIABLES.some((name) => Boolean(environment[name]));
}

/** @throws ShopStartError */
export function readPort({ PORT }: NodeJS.ProcessEnv): number {
  const port = Number(PORT || 3000);
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
  throw new ShopStartError(
    `PORT is "${PORT}". Set it to a number from 0 (any free port) to 65535.`,
  );
}
