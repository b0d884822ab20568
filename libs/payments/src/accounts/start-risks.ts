import type { ReadVariable } from './environment-variables.js';
import type { PayoutOptions } from './payments.settings.js';
import { isLoopback } from '../money/values.js';

/** Settings that can all be read, and with which money is lost or forged. The start and `tillkit doctor` have the same rules: these. */
export interface StartRisk {
  /** The setting, and what happens with it. */
  readonly cause: string;
  readonly cure: string;
}

/**
 * The simulator has these secrets by default, and those of its named merchants begin with them. A test compares them with the simulator.
 */
const PUBLISHED = ['simulator-api-key', 'simulator-client-secret'];

/** Far fewer characters than a key of the platform has, and too many to guess. */
const MIN_API_KEY = 16;

/** True when a platform is another machine, so its money is real. */
export function isRemote(baseUrl: string): boolean {
  return URL.canParse(baseUrl) && !isLoopback(new URL(baseUrl).hostname);
}

/** Returns the risk of a client secret or an API key at a remote platform; null when it can be one. */
export function publishedRisk(secret: string): StartRisk | null {
  if (!PUBLISHED.some((published) => secret.startsWith(published))) return null;
  return {
    cause: 'is published in the documentation of the simulator, so that everybody knows it',
    cure: 'set the one from the merchant portal, or give a simulator on another machine one of its own',
  };
}

/** Returns the risk of an API key at a remote platform; null when it can be one. */
export function apiKeyRisk(key: string): StartRisk | null {
  if (key.length >= MIN_API_KEY) return publishedRisk(key);
  return {
    cause: `has a key of fewer than ${MIN_API_KEY} characters, which somebody could guess to forge payments`,
    cure: 'set the whole API key from the merchant portal',
  };
}

export function isProduction(read: ReadVariable): boolean {
  return read('NODE_ENV') === 'production';
}

/** Nobody checks certificates, and Node.js says so once in a line that no log of the application has. */
export function certificatesRisk(baseUrl: string, read: ReadVariable): StartRisk | null {
  if (read('NODE_TLS_REJECT_UNAUTHORIZED') !== '0' || !isRemote(baseUrl)) return null;
  return {
    cause:
      'NODE_TLS_REJECT_UNAUTHORIZED is 0, so whoever is between this machine and the platform can read the client secret and forge payments',
    cure: 'remove the variable, and name a certificate authority of your own with `http.tls.ca` or NODE_EXTRA_CA_CERTS',
  };
}

/** Returns risks that are only logged, because reads and sweeps still find the money. */
export function startWarnings(
  { baseUrl, publicUrl, payouts }: { baseUrl: string; publicUrl: string; payouts: PayoutOptions },
  read: ReadVariable,
): StartRisk[] {
  const unreachable = isRemote(baseUrl) && !isRemote(publicUrl);
  const publicUrlRisk: StartRisk = {
    cause: `PAYMENTS_PUBLIC_URL (${publicUrl}) is this machine, which the platform ${baseUrl} cannot reach: no callback and no webhook comes`,
    cure: 'set it to the https: address at which the platform reaches this application',
  };
  const certificates = certificatesRisk(baseUrl, read);
  const bareRisk: StartRisk = {
    cause:
      'payouts.bareCreates is true: SendMoneyService, PayService and SettlementTransfersService pass payouts.limits',
    cure: 'remove it, and pay with PayoutsService',
  };
  const isBare = payouts.limits !== undefined && payouts.bareCreates === true;
  return [
    ...(unreachable ? [publicUrlRisk] : []),
    ...(certificates ? [certificates] : []),
    ...(isBare ? [bareRisk] : []),
  ];
}

const STORE_CURE =
  'import PostgresStoreModule.forRoot() of @tillkit/postgres (if you do, two copies of @tillkit/payments are installed: `npm ls ' +
  '@tillkit/payments`), or set the option `store: new MemoryStore()` if payments may be lost';

/** The host has a database, and keeps payments in memory. */
export const UNUSED_DATABASE: StartRisk = {
  cause:
    'PAYMENTS_DATABASE_URL is set, and no store uses it: a restart would lose the payments, which are in memory',
  cure: STORE_CURE,
};

const NO_STORE: StartRisk = {
  cause:
    'NODE_ENV is production, and no store is set: a restart would lose the payments, which are in memory',
  cure: STORE_CURE,
};

/** Returns the risk of payments that only the memory of this process has; null while somebody develops. */
export function memoryRisk(read: ReadVariable): StartRisk | null {
  if ((read('PAYMENTS_DATABASE_URL') ?? '') !== '') return UNUSED_DATABASE;
  return isProduction(read) ? NO_STORE : null;
}

/** Returns a risk as a sentence of an error or a log. */
export function riskText({ cause, cure }: StartRisk): string {
  return `${cause}: ${cure}`;
}
