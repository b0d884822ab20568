import { randomInt } from 'node:crypto';
import {
  resolveMerchant,
  type MerchantOptions,
  type MerchantSettings,
} from './merchants/merchant.options.js';
import { InvalidOptionError } from './simulator.errors.js';
import { isScenarioName, type ScenarioName } from './scenarios/scenarios.constants.js';

/** Delays and timeouts, in milliseconds on the simulator's clock. 0 means no delay. */
export interface SimulatorTimings {
  /** The delay from the create to the prompt on the phone. @default 500 */
  prompt: number;
  /** The delay from the prompt to the customer's answer. @default 1500 */
  answer: number;
  /** The delay from the answer to the final status; the payment is `Received` meanwhile. @default 500 */
  processing: number;
  /** An open prompt expires after this time. @default 60000 */
  promptTimeout: number;
  /** The platform tries this long to reach a phone that is off. @default 3000 */
  unreachable: number;
  /** The delay from the prompt to the answer of a slow customer. @default 45000 */
  slowAnswer: number;
  /** The delay of a late callback. @default 3600000 */
  lateCallback: number;
  /** The delay from the webhook to a callback that comes after it. @default 5000 */
  callbackAfterWebhook: number;
  /** The delay from the final status to a later reversal, or to money after a failure. @default 5000 */
  afterwards: number;
  /** The delay from a polling request to its result. @default 1000 */
  polling: number;
  /** The delay from an SMS request to its result. @default 1000 */
  sms: number;
  /** The delay from the create of a payout, refund or link to its schedule. @default 500 */
  payoutScheduling: number;
  /** The delay from the schedule of a payout or refund to `Processed`. @default 500 */
  payoutProcessing: number;
  /** The delay from `Processed` to the first disbursement, and from each to the next. @default 1000 */
  disbursement: number;
  /** The delay of a slow disbursement. @default 3600000 */
  slowDisbursement: number;
  /** A receiver may take this long to answer a delivery. @default 10000 */
  deliveryTimeout: number;
}

/**
 * The options of {@link Simulator.start}. Those of a merchant are the short form for one: they make the merchant `default`, which
 * by default has the tills 514459, 000123 and K000123.
 */
export interface SimulatorOptions extends Partial<Omit<MerchantOptions, 'name'>> {
  /** The port to listen on; 0 selects a free one. @default 0 */
  port?: number;
  /** The address to listen on. @default '127.0.0.1' */
  host?: string;
  /** Origin of locations and links, for a platform behind a proxy. @default its own URL */
  publicUrl?: string;
  /**
   * The merchants. With them, the merchant `default` exists only if one of its options is set.
   * @default [] only the merchant `default`
   */
  merchants?: readonly MerchantOptions[];
  /** Serve HTTPS with this key and certificate, and answer 302 on a plain-HTTP port. */
  tls?: { key: string | Buffer; cert: string | Buffer; redirectPort?: number };
  /** Certificates to trust, besides the usual ones, when delivering to `https:` callbacks. */
  receiverCa?: string | Buffer;
  /** Random seed of the faults: the same seed repeats a run. @default random */
  seed?: number;
  /** Scenario of phone numbers whose last digits are not listed. @default 'succeeds' */
  defaultScenario?: ScenarioName;
  /** Delays and timeouts. */
  timings?: Partial<SimulatorTimings>;
  /** The delay before each retry of a refused delivery. @default [1000, 5000, 30000, 120000, 600000] */
  deliveryRetries?: readonly number[];
  /** Hosts besides loopback to which callbacks may go over plain `http:`. @default [] */
  allowPlainCallbackHosts?: readonly string[];
  /**
   * Names by which the control API and the pages can be reached, besides loopback, `host` and `publicUrl`. Any other name is
   * refused, because a web page can make its own name resolve to this machine. @default []
   */
  allowedHosts?: readonly string[];
  /** The lifetime of a token in seconds. @default 3600 */
  tokenLifetime?: number;
  /** True makes a new token revoke the previous one. @default false */
  singleToken?: boolean;
  /**
   * True enforces the whole contract. `false` also accepts requests of all public clients, old and new: any or no `User-Agent` and
   * `Accept`, JSON bodies at the OAuth endpoints, amounts in a string, phone numbers with or without +, null for optional fields, unknown
   * fields, subscribers without names, and either version of a path. The README has the whole list.
   * @default true
   */
  strict?: boolean;
  /**
   * The versions of webhook subscriptions, polling and incoming payments: `'contract'` has one of each, `'both'` has two paths for
   * each. Without `strict` both are there. @default 'contract'
   */
  apiVersions?: 'contract' | 'both';
  /**
   * A file for the data of the platform. `stop()` writes it, and the next start with it continues. It contains payments, links, payouts,
   * refunds, transactions, subscriptions, recipients and balances of the merchants that the platform starts with. It does not contain
   * tokens, the journal, messages and waiting deliveries. @default none: a platform that stops loses everything
   */
  dataFile?: string;
  /** The number of journal entries that are kept. @default 1000 */
  journalSize?: number;
  /** The number of deliveries that are kept, to inspect and resend them. @default 2000 */
  deliveriesKept?: number;
}

/** The options without a default. */
type Absent = 'tls' | 'receiverCa' | 'publicUrl' | 'dataFile';

/** The options with every default filled in. */
export type SimulatorSettings = Required<
  Omit<SimulatorOptions, keyof MerchantOptions | 'merchants' | 'timings' | Absent>
> & {
  [Option in Absent]: SimulatorOptions[Option];
} & {
  /** Each merchant has the place of its options, for errors. */
  merchants: readonly (MerchantSettings & { readonly at: string })[];
  timings: SimulatorTimings;
};

export const DEFAULT_TILLS: readonly string[] = ['514459', '000123', 'K000123'];

/** Delays that a person can follow on a screen. */
export const DEFAULT_TIMINGS: Readonly<SimulatorTimings> = {
  prompt: 500,
  answer: 1_500,
  processing: 500,
  promptTimeout: 60_000,
  unreachable: 3_000,
  slowAnswer: 45_000,
  lateCallback: 3_600_000,
  callbackAfterWebhook: 5_000,
  afterwards: 5_000,
  polling: 1_000,
  sms: 1_000,
  payoutScheduling: 500,
  payoutProcessing: 500,
  disbursement: 1_000,
  slowDisbursement: 3_600_000,
  deliveryTimeout: 10_000,
};

/** Tests use these timings: no delays, except those that are the subject of a scenario (no answer, slow, late). */
export const INSTANT_TIMINGS: Readonly<SimulatorTimings> = {
  ...DEFAULT_TIMINGS,
  prompt: 0,
  answer: 0,
  processing: 0,
  unreachable: 0,
  polling: 0,
  sms: 0,
  payoutScheduling: 0,
  payoutProcessing: 0,
  disbursement: 0,
};

/** Applies the defaults and validates. @throws InvalidOptionError that names the option and the problem. */
export function resolveOptions(options: SimulatorOptions): SimulatorSettings {
  const settings: SimulatorSettings = {
    port: options.port ?? 0,
    host: options.host ?? '127.0.0.1',
    merchants: resolveMerchants(options),
    tls: options.tls,
    receiverCa: options.receiverCa,
    publicUrl: options.publicUrl,
    dataFile: options.dataFile,
    seed: options.seed ?? randomInt(2 ** 32),
    defaultScenario: options.defaultScenario ?? 'succeeds',
    timings: { ...DEFAULT_TIMINGS, ...options.timings },
    deliveryRetries: options.deliveryRetries ?? [1_000, 5_000, 30_000, 120_000, 600_000],
    allowPlainCallbackHosts: options.allowPlainCallbackHosts ?? [],
    allowedHosts: options.allowedHosts ?? [],
    tokenLifetime: options.tokenLifetime ?? 3_600,
    singleToken: options.singleToken ?? false,
    strict: options.strict ?? true,
    apiVersions: options.apiVersions ?? (options.strict === false ? 'both' : 'contract'),
    journalSize: options.journalSize ?? 1_000,
    deliveriesKept: options.deliveriesKept ?? 2_000,
  };
  validate(settings);
  return settings;
}

function resolveMerchants(options: SimulatorOptions): SimulatorSettings['merchants'] {
  const { clientId, clientSecret, apiKey, tillNumbers, tillAliases, openingBalances } = options;
  const short = { clientId, clientSecret, apiKey, tillNumbers, tillAliases, openingBalances };
  const given = Object.entries(short).filter(([, value]) => value !== undefined);
  const { merchants } = options;
  const listed = (merchants ?? []).map((merchant, index) => {
    const at = `merchants[${index}].`;
    return { at, ...resolveMerchant(merchant, at) };
  });
  if (merchants && given.length === 0) return listed;
  const defaults = { name: 'default', tillNumbers: DEFAULT_TILLS };
  const first = resolveMerchant({ ...defaults, ...Object.fromEntries(given) });
  return [{ at: '', ...first }, ...listed];
}

function validate(settings: SimulatorSettings): void {
  const { port, host, tls, publicUrl, defaultScenario, apiVersions, timings } = settings;
  const demand = (option: string, isValid: boolean, problem: string): void => {
    if (!isValid) throw new InvalidOptionError(option, problem);
  };
  const ports = { port, 'tls.redirectPort': tls?.redirectPort ?? 0 };
  for (const [option, given] of Object.entries(ports)) {
    const isPort = Number.isInteger(given) && given >= 0 && given <= 65_535;
    demand(option, isPort, `must be a port from 0 to 65535, not ${given}`);
  }
  demand('host', host !== '', 'must not be empty');
  demand(
    'publicUrl',
    publicUrl === undefined || (URL.canParse(publicUrl) && new URL(publicUrl).origin === publicUrl),
    `must be an origin such as https://platform.example, not "${publicUrl}"`,
  );
  demand(
    'defaultScenario',
    isScenarioName(defaultScenario),
    `is "${String(defaultScenario)}", which is not a scenario: use a key of SCENARIOS`,
  );
  const isKnown = ['contract', 'both'].includes(apiVersions);
  demand('apiVersions', isKnown, `is "${String(apiVersions)}": use contract or both`);
  const durations = [
    ...Object.entries<number>({ ...timings }).map(([name, ms]) => [`timings.${name}`, ms] as const),
    ...settings.deliveryRetries.map((ms) => ['deliveryRetries', ms] as const),
  ];
  for (const [option, ms] of durations) {
    const isDuration = Number.isFinite(ms) && ms >= 0;
    demand(option, isDuration, `must be a number of milliseconds of 0 or more, not ${ms}`);
  }
  for (const option of ['tokenLifetime', 'journalSize', 'deliveriesKept', 'seed'] as const) {
    const isCount = Number.isSafeInteger(settings[option]) && settings[option] >= 0;
    demand(option, isCount, `must be a whole number of 0 or more, not ${settings[option]}`);
  }
}
