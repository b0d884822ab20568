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
} from './payments.settings.js';
import type { KnownFailure } from '../money/known-failures.js';
import type { CountryCode } from '../money/phone-number.js';

/** The options of one account, but for the store, which all accounts share. @publicApi */
export interface AccountOptions {
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
  /**
   * True when this process works in the background: it processes deliveries, calls listeners and reads overdue payments. Set it to `false`
   * in a command or a web tier; then another replica on the same store must do this work.
   * @default true
   */
  background?: boolean;
  /** Limits of requests to the platform. */
  http?: HttpOptions;
  /** Limits how long a payment may wait to be sent. */
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
  /** Says what metrics contain about the account. */
  telemetry?: TelemetryOptions;
}

/** Options that Nest needs before a factory of `forRootAsync` runs. @publicApi */
export interface PaymentsModuleExtras {
  /** Path of our routes, after the host's global prefix. @default PAYMENTS_PATH, else 'payments' */
  path?: string;
  /** Name of the account. In `forRootAsync` set it here, not in the factory. @default 'default' */
  account?: string;
  /** Decorators of the host that our routes need: `[Public(), SkipThrottle()]`. @default [] */
  controllerDecorators?: readonly RouteDecorator[];
  /** When true, every module can inject the services without importing this one. @default true */
  global?: boolean;
}

/** A decorator of the host for our controller and its methods, such as `@Public()` or `@SkipThrottle()`. @publicApi */
export type RouteDecorator = ClassDecorator & MethodDecorator;

/** These options belong to one merchant, so no other account can use them. */
type Own =
  'account' | 'clientId' | 'clientSecret' | 'apiKeys' | 'tillNumber' | 'tills' | 'tillAliases';

/**
 * An account that is added while the application runs. Options that it leaves out come from `PaymentsModule.forAccounts()`, then from
 * `PAYMENTS_BASE_URL`, `PAYMENTS_PUBLIC_URL` and the other variables that are no credentials.
 * @publicApi
 */
export interface AddedAccountOptions extends Omit<AccountOptions, 'account'> {
  /** True when the merchant has left. The account takes no new requests, and what is open goes on. @default false */
  removed?: boolean;
}

/** An account that a `PaymentsAccountsSource` returns. @publicApi */
export interface LoadedAccountOptions extends AddedAccountOptions {
  /**
   * The name of the account as your database has it. Another spelling is then another account, which does not exist. Set it if your database
   * finds `Shop-1` when it is asked for `shop-1`.
   * @default the name that was asked for
   */
  account?: string;
}

/** Options of `PaymentsModule.forAccounts()`: what accounts that are added while the application runs have in common. @publicApi */
export interface PaymentsAccountsOptions
  extends Omit<AccountOptions, Own>, Pick<PaymentsModuleExtras, 'path' | 'controllerDecorators'> {
  /**
   * Milliseconds after which an account in use is loaded from the `PaymentsAccountsSource` again.
   * @default 300000 (5 min)
   */
  refreshMs?: number;
  /**
   * Milliseconds for which a removed account is kept at least: results of requests that the library does not follow still come.
   * @default 86400000 (1 day)
   */
  keepRemovedMs?: number;
}
