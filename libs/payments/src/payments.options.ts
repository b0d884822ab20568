import type { CountryCode } from './values/phone-number.js';
import type { PaymentsStore } from './ledger/payments.store.js';

/** How this account talks to the platform. */
export interface HttpOptions {
  /** Milliseconds a create may take before its outcome counts as unknown. @default 30000 */
  createTimeoutMs?: number;
  /** Milliseconds a read may take, each attempt. @default 10000 */
  readTimeoutMs?: number;
  /** Milliseconds a token request may take, each attempt. @default 10000 */
  tokenTimeoutMs?: number;
  /** Largest answer taken, in bytes; a polling result may be ten times as large. @default 8388608 */
  maxResponseBytes?: number;
  /** Connections kept open to the platform. @default 50 */
  maxSockets?: number;
  /** Certificates (PEM) to trust besides the system's, for a platform behind a private authority. */
  ca?: string | Buffer;
  /** Obey `HTTPS_PROXY` and its kin. Off, because a proxy sees where the money goes. @default false */
  environmentProxy?: boolean;
}

/** How long a payment may wait to be sent. */
export interface SendingOptions {
  /** Milliseconds after recording in which a payment may be sent; later it fails as `not_sent`. @default 60000 */
  sendBeforeMs?: number;
}

/** How missing news is asked for. */
export interface ReconciliationOptions {
  /** Milliseconds after sending at which an open payment is read; the last one repeats. @default 20 s, 45 s, 90 s, 3, 10, 30 min, hourly */
  scheduleMs?: readonly number[];
  /** Milliseconds without evidence after which a payment goes to `needs_review`. @default 86400000 (24 h) */
  reviewAfterMs?: number;
  /** Milliseconds between looks for overdue payments. @default 1000 */
  intervalMs?: number;
  /**
   * Milliseconds between sweeps for till transactions whose webhook never came; 0 leaves only those that match payments of
   * which the platform gave no id. @default 900000
   */
  sweepEveryMs?: number;
  /** Background requests to the platform a second, at most. @default 5 */
  requestsPerSecond?: number;
  /** What a polling request of ours covers (spec 4.6). @default { scope: 'company', scopeReference: '' } */
  sweepScope?: { scope: string; scopeReference: string };
}

/** How listeners are called. */
export interface ListenerOptions {
  /** Listener calls under way at once in this process. @default 20 */
  concurrency?: number;
  /** Milliseconds before each repeat of a listener that failed; after the last it is a dead letter. @default 1 s to 24 h, 77 h in all */
  retryScheduleMs?: readonly number[];
  /** Milliseconds after which a call counts as failed and is repeated, though it may still be running. @default 120000 */
  timeoutMs?: number;
  /** Milliseconds a call may go without its process renewing its claim before another replica takes over. @default 30000 */
  leaseMs?: number;
}

/** How deliveries are taken in. */
export interface DeliveryOptions {
  /** Largest webhook taken, in bytes. @default 65536 */
  maxWebhookBytes?: number;
  /** Largest callback taken, in bytes. @default 1048576 */
  maxCallbackBytes?: number;
  /** Milliseconds in which the store must have taken a delivery, else it is answered 503. @default 5000 */
  storeTimeoutMs?: number;
  /** Confirm with the platform a webhook that the URL alone vouches for (no API key). @default true */
  confirmWebhooks?: boolean;
  /** Milliseconds a delivery waits for its payment to appear before it counts as unrecognised. @default 600000 */
  unmatchedForMs?: number;
}

/** What is forgotten, and when. Nothing unfinished ever is. */
export interface RetentionOptions {
  /** Milliseconds after which names, phones and bodies of what is finished are removed. @default 7776000000 (90 days) */
  personalDataMs?: number;
  /** Milliseconds for which idempotency keys and keys of money are remembered. @default 157680000000 (5 years) */
  dedupeForMs?: number;
  /** Milliseconds between purges; 0 turns them off. @default 3600000 */
  everyMs?: number;
}

/**
 * Options of one account. For the default account each setting not given is read from its `PAYMENTS_*` variable; a
 * named account takes nothing from the environment, so that two accounts never mix.
 * @publicApi
 */
export interface PaymentsOptions {
  /** Name of the account: two merchants in one process have two. @default 'default' */
  account?: string;
  /** The platform's origin, `https:`. @default PAYMENTS_BASE_URL */
  baseUrl?: string;
  /** OAuth application key. @default PAYMENTS_CLIENT_ID */
  clientId?: string;
  /** OAuth application secret. @default PAYMENTS_CLIENT_SECRET */
  clientSecret?: string;
  /** Where the platform reaches this application, `https:`, with its path if it has one. @default PAYMENTS_PUBLIC_URL */
  publicUrl?: string;
  /** Keys that sign deliveries, several while rotating. This or `urlSecrets` is required. @default PAYMENTS_API_KEYS */
  apiKeys?: readonly string[];
  /** Secrets of 32 characters or more that sign the URLs handed out: the first signs, all verify. @default PAYMENTS_URL_SECRETS */
  urlSecrets?: readonly string[];
  /** Till used where a payment names none. @default PAYMENTS_TILL_NUMBER */
  tillNumber?: string;
  /**
   * Tills of this account. When given, till events are emitted for their money only: for two accounts of one company, of
   * which the platform lists all tills to both. @default PAYMENTS_TILLS, else every till
   */
  tills?: readonly string[];
  /** Other numbers of the same till: `{ K000123: '514459' }`. @default PAYMENTS_TILL_ALIASES */
  tillAliases?: Readonly<Record<string, string>>;
  /** Payment channel sent with each request. @default PAYMENTS_CHANNEL, else 'M-PESA STK Push' */
  channel?: string;
  /** `product/version` of the host, put before ours in `User-Agent`. @default PAYMENTS_USER_AGENT */
  userAgent?: string;
  /** Country whose way of writing phone numbers is read: `0712…` in `'KE'`. @default PAYMENTS_DEFAULT_COUNTRY */
  defaultCountry?: CountryCode;
  /** Where payments are kept. @default a store provided for the whole application, else this process's memory */
  store?: PaymentsStore;
  /**
   * Whether this process works in the background: understands deliveries, calls listeners, reads what is overdue. Where it
   * does not (a command, a web tier), another replica on the same store must. @default true
   */
  background?: boolean;
  http?: HttpOptions;
  sending?: SendingOptions;
  /** `false` switches background reads off in this process: another replica must do them. */
  reconciliation?: ReconciliationOptions | false;
  listeners?: ListenerOptions;
  deliveries?: DeliveryOptions;
  retention?: RetentionOptions;
}

/** Options of which nothing is missing: what every part of the module works with. */
export interface ResolvedPaymentsOptions {
  readonly account: string;
  readonly baseUrl: string;
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
  readonly store: PaymentsStore | undefined;
  readonly background: boolean;
  readonly http: Required<Omit<HttpOptions, 'ca'>> & Pick<HttpOptions, 'ca'>;
  readonly sending: Required<SendingOptions>;
  readonly reconciliation: Required<ReconciliationOptions> & { readonly enabled: boolean };
  readonly listeners: Required<ListenerOptions>;
  readonly deliveries: Required<DeliveryOptions>;
  readonly retention: Required<RetentionOptions>;
}
