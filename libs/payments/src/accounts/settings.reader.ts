import { defined, GivenSettings, kindOf, type Setting } from './given-settings.js';
import { pathProblems, VARIABLES, type ReadVariable } from './environment-variables.js';
import { DEFAULT_ACCOUNT, DEFAULT_CHANNEL, DEFAULT_PATH, DEFAULTS } from '../payments-defaults.js';
import { PaymentsConfigurationError } from '../payments.errors.js';
import type { AccountOptions } from './account.options.js';
import {
  type ApiVersions,
  type HttpSettings,
  isAccountName,
  type PaymentsSettings,
  type PayoutOptions,
} from './payments.settings.js';
import {
  contradictoryWords,
  TOPICS_WITH_STATUS,
  type AcceptedStatuses,
} from '../money/webhook-topics.js';
import {
  apiKeyRisk,
  certificatesRisk,
  isProduction,
  isRemote,
  publishedRisk,
  riskText,
} from './start-risks.js';
import { httpProblems } from './http-settings.js';
import { knownFailureProblems, type KnownFailure } from '../money/known-failures.js';
import { minorUnitDigits, toMinorUnits } from '../money/money.js';
import { isSupportedCountry, type CountryCode } from '../money/phone-number.js';
import { secureUrlProblem } from '../money/values.js';
import { isSameTill, isTillNumber, tillNumberProblem } from '../money/till-number.js';

/** Accounts that are added while the application runs read these settings from the environment. None of them belongs to one merchant. */
const SHARED: readonly Setting[] = [
  'baseUrl',
  'publicUrl',
  'tokenBaseUrl',
  'apiVersions',
  'channel',
  'userAgent',
  'defaultCountry',
];

const ALL = Object.keys(VARIABLES) as Setting[];

const PAYOUT_LIMITS: readonly string[] = ['perPayout', 'perDay', 'approveFrom'];
const VERSIONED = Object.keys(DEFAULTS.apiVersions);
const API_VERSIONS: readonly unknown[] = ['v1', 'v2'];
const MIN_URL_SECRET = 32;
const PRODUCT = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+\/[A-Za-z0-9!#$%&'*+.^_`|~-]+$/;

/**
 * Resolves the settings from the host's options, the environment and the defaults.
 * @param path path of the routes, which Nest needs before it resolves the options
 * @param given names of the variables that are set: an error says which of them may be misspelt
 * @throws PaymentsConfigurationError that names every missing or wrong setting, each with the cure
 */
export function resolveSettings(
  options: AccountOptions,
  read: ReadVariable,
  path: string = DEFAULT_PATH,
  given: readonly string[] = [],
): PaymentsSettings {
  const isDefault = (options.account ?? DEFAULT_ACCOUNT) === DEFAULT_ACCOUNT;
  const inEnvironment = isDefault ? ALL : [];
  const settings = new GivenSettings(options, read, inEnvironment);
  settings.refuseOthers();
  return new SettingsReader(settings, path).resolve(given);
}

/**
 * Resolves the settings of an account that is added while the application runs.
 * @throws PaymentsConfigurationError that names every missing or wrong setting, each with the cure
 */
export function resolveAddedSettings(
  options: AccountOptions & { removed?: boolean },
  read: ReadVariable,
  path: string,
): PaymentsSettings {
  const settings = new SettingsReader(new GivenSettings(options, read, SHARED), path).resolve();
  const { removed = false } = options;
  if (typeof removed !== 'boolean') {
    const account = options.account ? ` of account "${options.account}"` : '';
    throw new PaymentsConfigurationError([`option "removed"${account} must be true or false`]);
  }
  return { ...settings, isRemoved: removed };
}

class SettingsReader {
  private readonly options: AccountOptions;
  private readonly problems: string[];

  constructor(
    private readonly given: GivenSettings,
    private readonly path: string,
  ) {
    this.options = given.options;
    this.problems = given.problems;
  }

  resolve(variables: readonly string[] = []): PaymentsSettings {
    if (!isAccountName(this.given.account)) {
      this.problems.push(`account "${this.given.account}" must be 1 to 64 of A-Z a-z 0-9 _ -`);
    }
    this.problems.push(...pathProblems(this.path));
    const { options } = this;
    const baseUrl = this.origin(
      'baseUrl',
      this.given.required('baseUrl', "the platform's origin, such as https://api.kopokopo.com"),
    );
    const tokenBaseUrl = this.origin('tokenBaseUrl', this.given.text('tokenBaseUrl')) || baseUrl;
    const resolved: PaymentsSettings = {
      account: this.given.account,
      isRemoved: false,
      path: this.path,
      baseUrl,
      tokenBaseUrl,
      apiVersions: this.apiVersions(),
      clientId: this.given.required('clientId', 'the application key from the merchant portal'),
      clientSecret: this.given.required(
        'clientSecret',
        'the application secret from the merchant portal',
      ),
      publicUrl: this.publicUrl(),
      ...this.verification(),
      ...this.tills(),
      channel: this.given.text('channel') ?? DEFAULT_CHANNEL,
      userAgent: this.userAgent(),
      defaultCountry: this.defaultCountry(),
      background: options.background ?? DEFAULTS.background,
      http: this.http([baseUrl, tokenBaseUrl]),
      payouts: this.payouts(),
      knownFailures: this.knownFailures(),
      sending: this.given.group('sending'),
      reconciliation: this.given.group('reconciliation', {
        enabled: options.reconciliation !== false && options.background !== false,
      }),
      listeners: this.given.group('listeners'),
      deliveries: this.given.group('deliveries', { acceptedStatuses: this.acceptedStatuses() }),
      retention: this.given.group('retention'),
      telemetry: this.telemetry(),
    };
    if (resolved.retention.dedupeForMs < resolved.retention.personalDataMs) {
      this.problems.push(
        `${this.given.named('retention.dedupeForMs')} must not be shorter than retention.personalDataMs`,
      );
    }
    this.refuseRisks(resolved);
    if (this.problems.length > 0)
      throw new PaymentsConfigurationError(this.given.problemsWithCauses(variables));
    return resolved;
  }

  private origin(setting: 'baseUrl' | 'tokenBaseUrl', text: string | undefined): string {
    if (!text) return '';
    const problem = secureUrlProblem(text);
    if (problem) {
      this.problems.push(`${this.given.name(setting)} ${problem}`);
      return '';
    }
    const url = new URL(text);
    if (url.pathname !== '/' || url.search || url.hash) {
      this.problems.push(
        `${this.given.name(setting)} must be an origin without a path: write ${url.origin}`,
      );
    }
    return url.origin;
  }

  private apiVersions(): Required<ApiVersions> {
    const given: unknown = this.options.apiVersions;
    if (given !== undefined && !isPlainObject(given)) {
      this.problems.push(
        `${this.given.name('apiVersions')} must be an object such as { polling: 'v1' }, not ${kindOf(given)}`,
      );
      return DEFAULTS.apiVersions;
    }
    const entries = given ? Object.entries(defined(given)) : this.given.pairs('apiVersions');
    for (const [resource, version] of entries) {
      if (!VERSIONED.includes(String(resource)))
        this.problems.push(
          `${this.given.name('apiVersions')} has "${resource}", which has no choice of versions: use ${VERSIONED.join(', ')}`,
        );
      else if (!API_VERSIONS.includes(version))
        this.problems.push(
          `${this.given.name('apiVersions')} must give ${resource} a version of the platform: v1 or v2`,
        );
    }
    return { ...DEFAULTS.apiVersions, ...(Object.fromEntries(entries) as ApiVersions) };
  }

  private acceptedStatuses(): AcceptedStatuses {
    const given: unknown = this.options.deliveries?.acceptedStatuses ?? {};
    const name = this.given.named('deliveries.acceptedStatuses');
    if (!isPlainObject(given)) {
      this.problems.push(
        `${name} must be an object such as { card_transaction_received: ['Authorised'] }, not ${kindOf(given)}`,
      );
      return {};
    }
    const before = this.problems.length;
    for (const [topic, words] of Object.entries(given)) {
      if (!(TOPICS_WITH_STATUS as readonly string[]).includes(topic))
        this.problems.push(
          `${name} has "${topic}", which is no topic whose status counts: use ${TOPICS_WITH_STATUS.join(', ')}`,
        );
      else if (!Array.isArray(words) || words.length === 0 || !words.every(isWord))
        this.problems.push(
          `${name} must give ${topic} a list of words such as ['Received'], each a text that is not empty`,
        );
    }
    const accepted = given as AcceptedStatuses;
    if (this.problems.length > before) return {};
    for (const { topic, word } of contradictoryWords(accepted))
      this.problems.push(
        `${name} must not let "${word}" mean both that money came and that it went back: remove it from ${topic}, or from the topics of ` +
          'its reversal',
      );
    return accepted;
  }

  private knownFailures(): readonly KnownFailure[] {
    const given: unknown = this.options.knownFailures ?? [];
    const problems = knownFailureProblems(given);
    for (const problem of problems) {
      const place = problem.startsWith('[') ? problem : ` ${problem}`;
      this.problems.push(`${this.given.named('knownFailures')}${place}`);
    }
    return problems.length > 0 ? [] : (given as readonly KnownFailure[]);
  }

  private publicUrl(): string {
    const text = this.given.required(
      'publicUrl',
      'the https: address where the platform reaches this application, such as https://shop.example',
    );
    if (!text) return '';
    const problem = secureUrlProblem(text);
    if (problem) {
      this.problems.push(`${this.given.name('publicUrl')} ${problem}`);
      return '';
    }
    const url = new URL(text);
    if (url.search || url.hash) {
      this.problems.push(`${this.given.name('publicUrl')} must carry no query and no fragment`);
    }
    return url.origin + url.pathname.replace(/\/+$/, '');
  }

  private http(origins: readonly string[]): HttpSettings {
    const { proxy, tls = {} } = this.options.http ?? {};
    const http = this.given.group('http', { proxy, tls });
    for (const [option, problem] of httpProblems(http, origins))
      this.problems.push(`${this.given.named(`http.${option}`)} ${problem}`);
    return http;
  }

  private payouts(): PayoutOptions {
    const limits = this.options.payouts?.limits;
    for (const [currency, amounts] of Object.entries(limits ?? {})) {
      if (minorUnitDigits(currency) === null)
        this.problems.push(
          `payouts.limits.${currency} is no currency: use an ISO 4217 code, such as KES`,
        );
      for (const [name, value] of Object.entries(amounts as Record<string, unknown>)) {
        const problem = PAYOUT_LIMITS.includes(name)
          ? limitProblem(value, currency)
          : `is not known: use ${PAYOUT_LIMITS.join(', ')}`;
        if (problem) this.problems.push(`payouts.limits.${currency}.${name} ${problem}`);
      }
    }
    const { bareCreates = false } = this.options.payouts ?? {};
    if (typeof bareCreates !== 'boolean')
      this.problems.push('payouts.bareCreates must be true or false');
    return { ...(limits && { limits }), ...(bareCreates === true && { bareCreates }) };
  }

  private telemetry(): PaymentsSettings['telemetry'] {
    const telemetry = this.given.group('telemetry');
    if (typeof telemetry.accountInMetrics !== 'boolean')
      this.problems.push(`${this.given.named('telemetry.accountInMetrics')} must be true or false`);
    return telemetry;
  }

  private verification(): Pick<PaymentsSettings, 'apiKeys' | 'urlSecrets'> {
    const before = this.problems.length;
    const apiKeys = this.given.list('apiKeys');
    const urlSecrets = this.given.list('urlSecrets');
    if (urlSecrets.some((secret) => secret.length < MIN_URL_SECRET)) {
      this.problems.push(
        `${this.given.name('urlSecrets')} must be at least ${MIN_URL_SECRET} characters each: make one with "openssl rand -hex 32"`,
      );
    }
    if (apiKeys.length + urlSecrets.length === 0 && this.problems.length === before) {
      this.given.requireOneOf(
        'apiKeys',
        'urlSecrets',
        'else anybody could post a delivery: set the API key from the merchant portal, or a secret made with "openssl rand -hex 32"',
      );
    }
    return { apiKeys, urlSecrets };
  }

  /** Beside a platform on this machine, which has no real money, all of it may be. */
  private refuseRisks({ baseUrl, clientSecret, apiKeys }: PaymentsSettings): void {
    if (!isRemote(baseUrl)) return;
    const published = publishedRisk(clientSecret);
    if (published) this.problems.push(`${this.given.name('clientSecret')} ${riskText(published)}`);
    const [key] = apiKeys.flatMap((each) => apiKeyRisk(each) ?? []);
    if (key) this.problems.push(`${this.given.name('apiKeys')} ${riskText(key)}`);
    const certificates = certificatesRisk(baseUrl, this.given.readVariable);
    if (certificates && isProduction(this.given.readVariable))
      this.problems.push(riskText(certificates));
  }

  private tillNumber(): string | null {
    const till = this.given.text('tillNumber');
    const problem = till === undefined ? null : tillNumberProblem(till);
    if (problem) this.problems.push(`${this.given.name('tillNumber')} ${problem}`);
    return problem ? null : (till ?? null);
  }

  private tills(): Pick<PaymentsSettings, 'tillNumber' | 'tills' | 'tillAliases'> {
    const tillNumber = this.tillNumber();
    const tillAliases = this.tillAliases();
    const tills = this.given.list('tills');
    if (!tills.every(isTillNumber)) {
      this.problems.push(
        `${this.given.name('tills')} must be till numbers: digits, or K and digits for an online payment account`,
      );
    }
    if (tills.length > 0 && tillNumber !== null && !isSameTill(tillNumber, tills, tillAliases)) {
      this.problems.push(
        `${this.given.name('tills')} must list ${tillNumber}, the account's own till: no event is emitted for money of other tills`,
      );
    }
    return { tillNumber, tills, tillAliases };
  }

  private tillAliases(): Readonly<Record<string, string>> {
    const entries = this.options.tillAliases
      ? Object.entries(this.options.tillAliases)
      : this.given.pairs('tillAliases');
    if (entries.some((pair) => pair.length !== 2 || !pair.every(isTillNumber))) {
      this.problems.push(
        `${this.given.name('tillAliases')} must be pairs such as K000123=514459, separated by commas`,
      );
      return {};
    }
    const aliases = Object.fromEntries(entries) as Record<string, string>;
    const chained = Object.values(aliases).find((till) => Object.hasOwn(aliases, till));
    if (chained) {
      this.problems.push(
        `${this.given.name('tillAliases')} maps to ${chained}, which is itself an alias: name the till itself`,
      );
    }
    return aliases;
  }

  private userAgent(): string {
    const host = this.given.text('userAgent');
    if (host !== undefined && !PRODUCT.test(host)) {
      this.problems.push(
        `${this.given.name('userAgent')} must have the form product/version, such as my-shop/1.4.0`,
      );
    }
    return host ?? '';
  }

  private defaultCountry(): CountryCode | undefined {
    const country = this.given.text('defaultCountry');
    if (country === undefined || isSupportedCountry(country))
      return country as CountryCode | undefined;
    this.problems.push(
      `${this.given.name('defaultCountry')} must be an ISO 3166 code of two letters, such as KE or UG`,
    );
    return undefined;
  }
}

function isPlainObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isWord(value: unknown): boolean {
  return typeof value === 'string' && value.trim() !== '';
}

/** A limit may be 0, in contrast to an amount that is sent. */
function limitProblem(value: unknown, currency: string): string | null {
  return typeof value === 'string' && toMinorUnits(value, currency) !== null
    ? null
    : `must be a decimal string such as "50000.00", with no more decimals than ${currency} has`;
}
