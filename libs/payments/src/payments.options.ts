import type {
  ApiVersions,
  DeliveryOptions,
  HttpOptions,
  ListenerOptions,
  PayoutOptions,
  ReconciliationOptions,
  RetentionOptions,
  SendingOptions,
  TelemetryOptions,
} from './work/payments.settings.js';
import type { PaymentsStore } from './store/payments.store.js';
import type { KnownFailure } from './money/known-failures.js';
import type { CountryCode } from './money/phone-number.js';

/**
 * Options of one account. The default account reads each omitted setting from its `PAYMENTS_*` variable. A named account reads
 * nothing from the environment, so that two accounts never share credentials.
 * @example
 * PaymentsModule.forRoot({ account: 'shop', path: 'payments/shop', baseUrl: 'https://api.kopokopo.com', ... })
 * @publicApi
 */
export interface PaymentsOptions {
  /** Name of the account, 1 to 64 of `A-Z a-z 0-9 _ -`. Each merchant in one process needs its own. @default 'default' */
  account?: string;
  /** Origin of the platform, `https:` without a path. @default PAYMENTS_BASE_URL */
  baseUrl?: string;
  /**
   * Origin that gives tokens, if it is another one: only `/oauth/` paths are called there, and nowhere else.
   * @default PAYMENTS_TOKEN_BASE_URL, else `baseUrl`
   */
  tokenBaseUrl?: string;
  /**
   * Versions of the platform's API: `{ webhookSubscriptions: 'v2' }`. Resources that were created in the other version stay readable.
   * @default PAYMENTS_API_VERSIONS (`webhookSubscriptions=v2,polling=v1`), else those of the documented interface
   */
  apiVersions?: ApiVersions;
  /** OAuth client id: the application key of the merchant portal. @default PAYMENTS_CLIENT_ID */
  clientId?: string;
  /** OAuth client secret: the application secret of the merchant portal. @default PAYMENTS_CLIENT_SECRET */
  clientSecret?: string;
  /** `https:` URL at which the platform reaches this application, with a path if there is one. @default PAYMENTS_PUBLIC_URL */
  publicUrl?: string;
  /**
   * API keys with which the platform signs deliveries; several during a rotation. Required without `urlSecrets`.
   * @default PAYMENTS_API_KEYS
   */
  apiKeys?: readonly string[];
  /**
   * Secrets of at least 32 characters for the MAC in the URLs that we give to the platform. The first signs, all verify.
   * Required without `apiKeys`. @default PAYMENTS_URL_SECRETS
   */
  urlSecrets?: readonly string[];
  /** Till of payments that name none. @default PAYMENTS_TILL_NUMBER */
  tillNumber?: string;
  /**
   * Tills of this account: only transactions at these tills emit till events. Set it when two accounts belong to one company,
   * because the platform lists all tills of the company to both. @default PAYMENTS_TILLS, else every till
   */
  tills?: readonly string[];
  /** Other numbers that the platform uses for a till: `{ K000123: '514459' }`. @default PAYMENTS_TILL_ALIASES */
  tillAliases?: Readonly<Record<string, string>>;
  /** Payment channel of requests that name none. @default PAYMENTS_CHANNEL, else 'M-PESA STK Push' */
  channel?: string;
  /** `product/version` of the host; it comes first in `User-Agent`. @default PAYMENTS_USER_AGENT */
  userAgent?: string;
  /** Country of phone numbers without `+`: with `'KE'`, `0712…` becomes `+254712…`. @default PAYMENTS_DEFAULT_COUNTRY */
  defaultCountry?: CountryCode;
  /** Store of all accounts: two accounts that set one must set the same. @default the `PaymentsStore` that the application provides, else the memory of this process */
  store?: PaymentsStore;
  /**
   * Whether this process works in the background: it processes deliveries, calls listeners and reads overdue payments. Set it to
   * `false` in a command or a web tier; then another replica on the same store must do this work. @default true
   */
  background?: boolean;
  /** Limits of requests to the platform. */
  http?: HttpOptions;
  /** How long a payment may wait to be sent. */
  sending?: SendingOptions;
  /** Limits of payouts, and whether a second person must approve them. None by default. */
  payouts?: PayoutOptions;
  /**
   * Texts of the platform that we do not know, and what they mean; they come before ours.
   * @default [] @see docs/failures.md
   */
  knownFailures?: readonly KnownFailure[];
  /** Reads and sweeps. `false` stops them in this process; then another replica must do them. */
  reconciliation?: ReconciliationOptions | false;
  /** Calls of `@OnPaymentEvent` listeners. */
  listeners?: ListenerOptions;
  /** Limits of deliveries from the platform. */
  deliveries?: DeliveryOptions;
  /** Redaction of personal data, and deletion of old rows. */
  retention?: RetentionOptions;
  /** What metrics say about the account. */
  telemetry?: TelemetryOptions;
}
