import type { KnownFailure } from '../money/known-failures.js';
import type { CountryCode } from '../money/phone-number.js';

/** Injection token of the settings of the account. */
export const PAYMENTS_SETTINGS = Symbol('PAYMENTS_SETTINGS');

/** The settings that an account has now, for what works for it as long as the application runs. Each piece of work reads them once. */
export interface CurrentSettings {
  readonly current: PaymentsSettings;
}

/** Limits of requests to the platform. @publicApi */
export interface HttpOptions {
  /** Milliseconds a create may take. After that its outcome is unknown, and it is not sent again. @default 30000 */
  createTimeoutMs?: number;
  /** Milliseconds each attempt of a read or of a token request may take. @default 10000 */
  readTimeoutMs?: number;
  /**
   * Maximum number of connections of an account to the platform. Accounts with the same options share them, about four times as many: the more
   * are in use, the fewer one account gets, and each gets one. @default 50
   */
  maxSockets?: number;
  /**
   * A proxy on the way to the platform: `http://user:password@proxy.example:3128`, or `'environment'` for that of `HTTPS_PROXY` and `NO_PROXY`. It sees
   * names and times, and nothing of what is sent (`CONNECT`). @default none, whatever the environment says
   */
  proxy?: string;
  /** Certificates for TLS. */
  tls?: TlsOptions;
}

/** Certificates for the connections to the platform, as PEM. @publicApi */
export interface TlsOptions {
  /** Certificates to trust beside those of Node.js, for a platform or a proxy with a private certificate authority. */
  ca?: string | Buffer | readonly (string | Buffer)[];
  /** Certificate of this client, with its chain, for a platform that asks for one. */
  cert?: string | Buffer;
  /** Private key of `cert`. */
  key?: string | Buffer;
  /** Passphrase of `key`. */
  passphrase?: string;
}

/** The limits with their defaults. */
export type HttpSettings = Required<Omit<HttpOptions, 'proxy' | 'tls'>> & {
  readonly proxy: string | undefined;
  readonly tls: TlsOptions;
};

/** Limits how long a payment may wait to be sent. @publicApi */
export interface SendingOptions {
  /**
   * Milliseconds after recording in which a payment may be sent. Later it fails with reason `not_sent`, and nobody is charged.
   * @default 60000
   */
  sendBeforeMs?: number;
}

/** Limits of payouts in one currency. Amounts are decimal strings in its main unit: `'250000.00'`. @publicApi */
export interface PayoutLimits {
  /** Most money in one payout. */
  perPayout?: string;
  /** Most money in all payouts that were recorded in the last 24 hours and did not fail. */
  perDay?: string;
  /**
   * A payout of this amount or more waits for `approve()` by a second person, and so does one with which a destination gets as much in 24 hours, whoever
   * asked for the others. `'0'`: every payout. Once it is set, each payout must name who asks for it (`requestedBy`).
   */
  approveFrom?: string;
}

/** Rules for payouts. @publicApi */
export interface PayoutOptions {
  /** The limits of each currency: `{ KES: { perPayout: '50000', perDay: '500000' } }`. A payout in another currency is then refused. */
  limits?: Readonly<Record<string, PayoutLimits>>;
  /**
   * When true, `SendMoneyService`, `PayService` and `SettlementTransfersService`, which know no limits, may create although `limits` are
   * set.
   * @default false
   */
  bareCreates?: boolean;
}

/** Says how the library finds outcomes whose callback or webhook never came. @publicApi */
export interface ReconciliationOptions {
  /**
   * Milliseconds after sending at which an open payment is read. The last value repeats.
   * @default 20 s, 45 s, 90 s, 3, 10 and 30 min, then every hour
   */
  scheduleMs?: readonly number[];
  /** Milliseconds without evidence after which a payment goes to `needs_review`. @default 86400000 (24 h) */
  reviewAfterMs?: number;
  /**
   * Milliseconds between two looks for due work while a process is idle: the longest time in which it finds what another process has
   * left. It finds on time what it has stored itself.
   * @default 5000
   */
  intervalMs?: number;
  /**
   * Milliseconds between two sweeps for till transactions whose webhook never came. With 0, the library sweeps only to match
   * payments whose platform id is unknown. @default 900000
   */
  sweepEveryMs?: number;
  /** Maximum number of background requests to the platform per second, in each process. @default 5 */
  requestsPerSecond?: number;
  /**
   * Scope of our own polling requests. @default { scope: 'company', scopeReference: '' }
   * @see docs/conformance.md#polling
   */
  sweepScope?: { scope: string; scopeReference: string };
}

/** Says how the dispatcher calls listeners. @publicApi */
export interface ListenerOptions {
  /**
   * Maximum number of listener calls of the account that run at the same time in this process. With more than four accounts, the
   * process runs at most four times the highest number. @default 50
   */
  concurrency?: number;
  /**
   * Milliseconds before each repeat of a failed listener call. When the last repeat fails, the call becomes a dead letter.
   * @default 12 repeats, 1 s to 24 h apart, 77 h in total
   */
  retryScheduleMs?: readonly number[];
  /** Milliseconds after which a call counts as failed and is repeated, although it may still run. @default 120000 */
  timeoutMs?: number;
  /**
   * Milliseconds of the lease on a call. Its process renews the lease; when it stops, another replica repeats the call. With
   * several accounts the longest lease counts.
   * @default 30000
   */
  leaseMs?: number;
}

/** Says how deliveries are accepted and stored. @publicApi */
export interface DeliveryOptions {
  /** Milliseconds in which the body of a delivery must arrive. After that we answer 408. @default 10000 */
  bodyTimeoutMs?: number;
  /** Milliseconds a delivery waits for its payment. After that it counts as unrecognised. @default 600000 */
  unmatchedForMs?: number;
  /**
   * Words of the status that prove what a webhook of a topic says, besides those that we know:
   * `{ card_transaction_received: ['Authorised'] }`. For webhooks in the Daraja format they are transaction types. Sweeps accept the
   * same words. `payment.succeeded` always needs `Received` or `Complete`.
   * @default {} @see docs/guide.md#deliveries
   */
  acceptedStatuses?: Readonly<Record<string, readonly string[]>>;
}

/** A version of the platform's API. @publicApi */
export type ApiVersion = 'v1' | 'v2';

/**
 * The versions of the platform's API that we write to. Both are read: a resource that was created in the other version is still
 * found. The other resources have one version each.
 * @publicApi
 */
export interface ApiVersions {
  /** @default 'v1' */
  webhookSubscriptions?: ApiVersion;
  /** @default 'v2' */
  polling?: ApiVersion;
  /** @default 'v2' */
  incomingPayments?: ApiVersion;
}

/** Says when the library redacts and deletes. It touches only finished operations, deliveries and events. @publicApi */
export interface RetentionOptions {
  /** Milliseconds after which names, phone numbers and delivery bodies are removed. @default 7776000000 (90 days) */
  personalDataMs?: number;
  /** Milliseconds for which idempotency keys and transaction references are kept. @default 157680000000 (5 years) */
  dedupeForMs?: number;
  /** Milliseconds between two runs; 0 turns them off. @default 3600000 */
  everyMs?: number;
}

/** Says what the account measures. @publicApi */
export interface TelemetryOptions {
  /**
   * When true, metrics have the attribute `tillkit.account`. Each account then has its own time series, some hundreds: leave it off with
   * many accounts. Spans always have it.
   * @default false @see docs/observability.md#cardinality
   */
  accountInMetrics?: boolean;
}

/** The resolved settings of one account: options, environment and defaults. They do not contain the store. */
export interface PaymentsSettings {
  readonly account: string;
  /** True when it takes no new requests. Open operations go on. */
  readonly isRemoved: boolean;
  /** Path of its routes, below the host's global prefix. */
  readonly path: string;
  readonly baseUrl: string;
  /** Origin of all `/oauth/` paths. */
  readonly tokenBaseUrl: string;
  readonly apiVersions: Readonly<Required<ApiVersions>>;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly publicUrl: string;
  readonly apiKeys: readonly string[];
  readonly urlSecrets: readonly string[];
  readonly tillNumber: string | null;
  readonly tills: readonly string[];
  readonly tillAliases: Readonly<Record<string, string>>;
  readonly channel: string;
  readonly userAgent: string;
  readonly defaultCountry: CountryCode | undefined;
  readonly background: boolean;
  readonly http: HttpSettings;
  readonly sending: Required<SendingOptions>;
  readonly payouts: PayoutOptions;
  readonly knownFailures: readonly KnownFailure[];
  readonly reconciliation: Required<ReconciliationOptions> & { readonly enabled: boolean };
  readonly listeners: Required<ListenerOptions>;
  readonly deliveries: Required<DeliveryOptions>;
  readonly retention: Required<RetentionOptions>;
  readonly telemetry: Required<TelemetryOptions>;
}

const ACCOUNT = /^[A-Za-z0-9_-]{1,64}$/;

/** Says why a value cannot be the name of an account; null when it can be one. */
export function accountNameProblem(value: unknown): string | null {
  return typeof value === 'string' && isAccountName(value)
    ? null
    : 'must be the name of an account';
}

export function isAccountName(text: string): boolean {
  return ACCOUNT.test(text);
}
