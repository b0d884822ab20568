import { misspeltVariables, VARIABLES, type ReadVariable } from './environment-variables.js';
import { DEFAULT_ACCOUNT, DEFAULT_CHANNEL, DEFAULT_PATH, DEFAULTS } from '../payments-defaults.js';
import { PaymentsConfigurationError } from '../payments.errors.js';
import type { PaymentsModuleExtras } from '../payments.module-definition.js';
import type { PaymentsOptions } from '../payments.options.js';
import type { ApiVersions, PaymentsSettings, PayoutOptions } from '../work/payments.settings.js';
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
import { isAccountName } from '../work/account-name.js';
import { knownFailureProblems, type KnownFailure } from '../money/known-failures.js';
import { minorUnitDigits, toMinorUnits } from '../money/money.js';
import { isSupportedCountry, type CountryCode } from '../money/phone-number.js';
import { secureUrlProblem } from '../money/secure-url.js';
import { isSameTill, isTillNumber, tillNumberProblem } from '../money/till-number.js';

type Setting = keyof typeof VARIABLES;

/** What accounts that are added while the application runs read from the environment: nothing that belongs to one merchant. */
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
/** Members of groups that have no default. */
const WITHOUT_DEFAULT: readonly string[] = ['ca', 'enabled'];
/** Options of `forRoot`; the last three are read by the module. */
const OPTIONS: readonly string[] = Object.keys({
  ...VARIABLES,
  ...DEFAULTS,
  account: true,
  store: true,
  payouts: true,
  knownFailures: true,
  path: true,
  global: true,
  controllerDecorators: true,
} satisfies Record<keyof (PaymentsOptions & PaymentsModuleExtras), unknown>);
const MIN_URL_SECRET = 32;
const PRODUCT = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+\/[A-Za-z0-9!#$%&'*+.^_`|~-]+$/;

/**
 * Resolves the settings from the host's options, the environment and the defaults.
 * @param path path of the routes, which Nest needs before it resolves the options
 * @param given names of the variables that are set: an error says which of them may be misspelt
 * @throws PaymentsConfigurationError that names every missing or wrong setting, each with the cure
 */
export function resolveSettings(
  options: PaymentsOptions,
  read: ReadVariable,
  path: string = DEFAULT_PATH,
  given: readonly string[] = [],
): PaymentsSettings {
  const isDefault = (options.account ?? DEFAULT_ACCOUNT) === DEFAULT_ACCOUNT;
  const reader = new SettingsReader(options, read, path, isDefault ? ALL : []);
  reader.refuseOthers();
  return reader.resolve(given);
}

/**
 * Resolves the settings of an account that is added while the application runs.
 * @throws PaymentsConfigurationError that names every missing or wrong setting, each with the cure
 */
export function resolveAddedSettings(
  options: PaymentsOptions & { removed?: boolean },
  read: ReadVariable,
  path: string,
): PaymentsSettings {
  const settings = new SettingsReader(options, read, path, SHARED).resolve();
  const { removed = false } = options;
  if (typeof removed !== 'boolean') {
    const account = options.account ? ` of account "${options.account}"` : '';
    throw new PaymentsConfigurationError([`option "removed"${account} must be true or false`]);
  }
  return { ...settings, isRemoved: removed };
}

class SettingsReader {
  private readonly problems: string[] = [];
  private readonly account: string;

  constructor(
    private readonly options: PaymentsOptions,
    private readonly readVariable: ReadVariable,
    private readonly path: string,
    /** The settings that may come from the environment. */
    private readonly inEnvironment: readonly Setting[],
  ) {
    this.account = options.account ?? DEFAULT_ACCOUNT;
  }

  /** For options that stand in code. An account that is loaded may be a row with more columns: they must not keep it from opening. */
  refuseOthers(): void {
    for (const option of Object.keys(this.options))
      if (!OPTIONS.includes(option)) this.refuse(option);
  }

  resolve(given: readonly string[] = []): PaymentsSettings {
    if (!isAccountName(this.account)) {
      this.problems.push(`account "${this.account}" must be 1 to 64 of A-Z a-z 0-9 _ -`);
    }
    const { options } = this;
    const baseUrl = this.origin(
      'baseUrl',
      this.required('baseUrl', "the platform's origin, such as https://api.kopokopo.com"),
    );
    const resolved: PaymentsSettings = {
      account: this.account,
      isRemoved: false,
      path: this.path,
      baseUrl,
      tokenBaseUrl: this.origin('tokenBaseUrl', this.text('tokenBaseUrl')) || baseUrl,
      apiVersions: this.apiVersions(),
      clientId: this.required('clientId', 'the application key from the merchant portal'),
      clientSecret: this.required(
        'clientSecret',
        'the application secret from the merchant portal',
      ),
      publicUrl: this.publicUrl(),
      ...this.verification(),
      tillNumber: this.tillNumber(),
      ...this.tills(),
      channel: this.text('channel') ?? DEFAULT_CHANNEL,
      userAgent: this.userAgent(),
      defaultCountry: this.defaultCountry(),
      background: options.background ?? DEFAULTS.background,
      http: this.checkedGroup('http', { ...DEFAULTS.http, ...defined(options.http) }),
      payouts: this.payouts(),
      knownFailures: this.knownFailures(),
      sending: this.checkedGroup('sending', { ...DEFAULTS.sending, ...defined(options.sending) }),
      reconciliation: this.checkedGroup('reconciliation', {
        ...DEFAULTS.reconciliation,
        ...defined(options.reconciliation || undefined),
        enabled: options.reconciliation !== false && options.background !== false,
      }),
      listeners: this.checkedGroup('listeners', {
        ...DEFAULTS.listeners,
        ...defined(options.listeners),
      }),
      deliveries: this.checkedGroup('deliveries', {
        ...DEFAULTS.deliveries,
        ...defined(options.deliveries),
        acceptedStatuses: this.acceptedStatuses(),
      }),
      retention: this.checkedGroup('retention', {
        ...DEFAULTS.retention,
        ...defined(options.retention),
      }),
      telemetry: this.telemetry(),
    };
    if (resolved.retention.dedupeForMs < resolved.retention.personalDataMs) {
      this.problems.push(
        `${this.named('retention.dedupeForMs')} must not be shorter than retention.personalDataMs`,
      );
    }
    this.refuseRisks(resolved);
    if (this.problems.length > 0)
      throw new PaymentsConfigurationError([...this.problems, ...misspeltVariables(given)]);
    return resolved;
  }

  /** A named account reads no credentials from the environment, so that it cannot use those of another account. */
  private fromEnvironment(setting: Setting): string | undefined {
    if (!this.inEnvironment.includes(setting)) return undefined;
    const text = this.readVariable(VARIABLES[setting]);
    return text === undefined || text.trim() === '' ? undefined : text.trim();
  }

  private text(
    setting: Exclude<Setting, 'apiKeys' | 'urlSecrets' | 'tillAliases' | 'apiVersions'>,
  ): string | undefined {
    const given: unknown = this.options[setting];
    if (given === undefined || given === null) return this.fromEnvironment(setting);
    if (typeof given === 'string' && given.trim() !== '') return given.trim();
    this.problems.push(
      typeof given === 'string'
        ? `${this.name(setting)} is empty: write a text, or remove it`
        : `${this.name(setting)} must be a text, not ${kindOf(given)}${setting === 'tillNumber' ? quotedCure(given) : ''}`,
    );
    return undefined;
  }

  private required(
    setting: 'clientId' | 'clientSecret' | 'baseUrl' | 'publicUrl',
    what: string,
  ): string {
    const before = this.problems.length;
    const text = this.text(setting);
    if (text === undefined && this.problems.length === before) {
      this.problems.push(`${this.name(setting)} is missing: set it to ${what}`);
    }
    return text ?? '';
  }

  private origin(setting: 'baseUrl' | 'tokenBaseUrl', text: string | undefined): string {
    if (!text) return '';
    const problem = secureUrlProblem(text);
    if (problem) {
      this.problems.push(`${this.name(setting)} ${problem}`);
      return '';
    }
    const url = new URL(text);
    if (url.pathname !== '/' || url.search || url.hash) {
      this.problems.push(
        `${this.name(setting)} must be an origin without a path: write ${url.origin}`,
      );
    }
    return url.origin;
  }

  private apiVersions(): Required<ApiVersions> {
    const given: unknown = this.options.apiVersions;
    if (given !== undefined && !isPlainObject(given)) {
      this.problems.push(
        `${this.name('apiVersions')} must be an object such as { polling: 'v1' }, not ${kindOf(given)}`,
      );
      return DEFAULTS.apiVersions;
    }
    const entries = given ? Object.entries(defined(given)) : this.pairs('apiVersions');
    for (const [resource, version] of entries) {
      if (!VERSIONED.includes(String(resource)))
        this.problems.push(
          `${this.name('apiVersions')} has "${resource}", which has no choice of versions: use ${VERSIONED.join(', ')}`,
        );
      else if (!API_VERSIONS.includes(version))
        this.problems.push(
          `${this.name('apiVersions')} must give ${resource} a version of the platform: v1 or v2`,
        );
    }
    return { ...DEFAULTS.apiVersions, ...(Object.fromEntries(entries) as ApiVersions) };
  }

  /** The pairs of a variable such as `K000123=514459,K000124=514460`. */
  private pairs(setting: 'tillAliases' | 'apiVersions'): string[][] {
    const pairs = this.fromEnvironment(setting)?.split(',') ?? [];
    return pairs.map((pair) => pair.split('=').map((text) => text.trim()));
  }

  private acceptedStatuses(): AcceptedStatuses {
    const given: unknown = this.options.deliveries?.acceptedStatuses ?? {};
    const name = this.named('deliveries.acceptedStatuses');
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
      this.problems.push(`${this.named('knownFailures')}${place}`);
    }
    return problems.length > 0 ? [] : (given as readonly KnownFailure[]);
  }

  private publicUrl(): string {
    const text = this.required(
      'publicUrl',
      'the https: address where the platform reaches this application, such as https://shop.example',
    );
    if (!text) return '';
    const problem = secureUrlProblem(text);
    if (problem) {
      this.problems.push(`${this.name('publicUrl')} ${problem}`);
      return '';
    }
    const url = new URL(text);
    if (url.search || url.hash) {
      this.problems.push(`${this.name('publicUrl')} must carry no query and no fragment`);
    }
    return url.origin + url.pathname.replace(/\/+$/, '');
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
    const telemetry = this.checkedGroup('telemetry', {
      ...DEFAULTS.telemetry,
      ...defined(this.options.telemetry),
    });
    if (typeof telemetry.accountInMetrics !== 'boolean')
      this.problems.push(`${this.named('telemetry.accountInMetrics')} must be true or false`);
    return telemetry;
  }

  private verification(): Pick<PaymentsSettings, 'apiKeys' | 'urlSecrets'> {
    const before = this.problems.length;
    const apiKeys = this.list('apiKeys');
    const urlSecrets = this.list('urlSecrets');
    if (urlSecrets.some((secret) => secret.length < MIN_URL_SECRET)) {
      this.problems.push(
        `${this.name('urlSecrets')} must be at least ${MIN_URL_SECRET} characters each: make one with "openssl rand -hex 32"`,
      );
    }
    if (apiKeys.length + urlSecrets.length === 0 && this.problems.length === before) {
      this.problems.push(
        `${this.name('apiKeys')} or ${this.name('urlSecrets')} is required, else anybody could post a delivery: set ` +
          'the API key from the merchant portal, or a secret made with "openssl rand -hex 32"',
      );
    }
    return { apiKeys, urlSecrets };
  }

  /** Beside a platform on this machine, which has no real money, all of it may be. */
  private refuseRisks({ baseUrl, clientSecret, apiKeys }: PaymentsSettings): void {
    if (!isRemote(baseUrl)) return;
    const published = publishedRisk(clientSecret);
    if (published) this.problems.push(`${this.name('clientSecret')} ${riskText(published)}`);
    const [key] = apiKeys.flatMap((each) => apiKeyRisk(each) ?? []);
    if (key) this.problems.push(`${this.name('apiKeys')} ${riskText(key)}`);
    const certificates = certificatesRisk(baseUrl, this.readVariable);
    if (certificates && isProduction(this.readVariable)) this.problems.push(riskText(certificates));
  }

  private list(setting: 'apiKeys' | 'urlSecrets' | 'tills'): readonly string[] {
    const given: unknown = this.options[setting];
    const items = given ?? this.fromEnvironment(setting)?.split(',') ?? [];
    if (!Array.isArray(items)) {
      this.problems.push(`${this.name(setting)} must be a list of texts, not ${kindOf(items)}`);
      return [];
    }
    const wrong: unknown = items.find((item) => typeof item !== 'string' || item.trim() === '');
    if (wrong !== undefined) {
      this.problems.push(
        typeof wrong === 'string'
          ? `${this.name(setting)} has an empty element: remove the comma or the empty text`
          : `${this.name(setting)} must have texts only, not ${kindOf(wrong)}${setting === 'tills' ? quotedCure(wrong) : ''}`,
      );
      return [];
    }
    return (items as string[]).map((item) => item.trim());
  }

  private tillNumber(): string | null {
    const till = this.text('tillNumber');
    const problem = till === undefined ? null : tillNumberProblem(till);
    if (problem) this.problems.push(`${this.name('tillNumber')} ${problem}`);
    return till ?? null;
  }

  private tills(): Pick<PaymentsSettings, 'tills' | 'tillAliases'> {
    const tillAliases = this.tillAliases();
    const tills = this.list('tills');
    if (!tills.every(isTillNumber)) {
      this.problems.push(
        `${this.name('tills')} must be till numbers: digits, or K and digits for an online payment account`,
      );
    }
    const own = this.text('tillNumber');
    if (tills.length > 0 && own !== undefined && !isSameTill(own, tills, tillAliases)) {
      this.problems.push(
        `${this.name('tills')} must list ${own}, the account's own till: no event is emitted for money of other tills`,
      );
    }
    return { tills, tillAliases };
  }

  private tillAliases(): Readonly<Record<string, string>> {
    const entries = this.options.tillAliases
      ? Object.entries(this.options.tillAliases)
      : this.pairs('tillAliases');
    if (entries.some((pair) => pair.length !== 2 || !pair.every(isTillNumber))) {
      this.problems.push(
        `${this.name('tillAliases')} must be pairs such as K000123=514459, separated by commas`,
      );
      return {};
    }
    const aliases = Object.fromEntries(entries) as Record<string, string>;
    const chained = Object.values(aliases).find((till) => Object.hasOwn(aliases, till));
    if (chained) {
      this.problems.push(
        `${this.name('tillAliases')} maps to ${chained}, which is itself an alias: name the till itself`,
      );
    }
    return aliases;
  }

  private userAgent(): string {
    const host = this.text('userAgent');
    if (host !== undefined && !PRODUCT.test(host)) {
      this.problems.push(
        `${this.name('userAgent')} must have the form product/version, such as my-shop/1.4.0`,
      );
    }
    return host ?? '';
  }

  private defaultCountry(): CountryCode | undefined {
    const country = this.text('defaultCountry');
    if (country === undefined || isSupportedCountry(country))
      return country as CountryCode | undefined;
    this.problems.push(
      `${this.name('defaultCountry')} must be an ISO 3166 code of two letters, such as KE or UG`,
    );
    return undefined;
  }

  /** Checks a group of options. Every number is a count or a duration: it must be finite and not negative. */
  private checkedGroup<T extends object>(group: keyof typeof DEFAULTS, values: T): T {
    const defaults = DEFAULTS[group] as Readonly<Record<string, unknown>>;
    for (const [option, value] of Object.entries(values) as [string, unknown][]) {
      if (!Object.hasOwn(defaults, option) && !WITHOUT_DEFAULT.includes(option))
        this.refuse(`${group}.${option}`);
      const isList = Array.isArray(defaults[option]);
      if (!isList && typeof defaults[option] !== 'number') continue;
      const numbers: unknown[] = isList && Array.isArray(value) ? value : [value];
      const allowed = (n: unknown): boolean =>
        typeof n === 'number' && Number.isFinite(n) && n >= 0;
      if (isList !== Array.isArray(value) || numbers.length === 0 || !numbers.every(allowed)) {
        this.problems.push(
          `${this.named(`${group}.${option}`)} must be ${isList ? 'a list of numbers' : 'a number'} of 0 or more`,
        );
      }
    }
    return values;
  }

  private refuse(option: string): void {
    this.problems.push(`${this.named(option)} is no setting: remove it`);
  }

  private name(setting: Setting): string {
    if (this.account === DEFAULT_ACCOUNT) return VARIABLES[setting];
    const name = this.named(setting);
    return this.inEnvironment.includes(setting) ? `${VARIABLES[setting]}, or ${name},` : name;
  }

  private named(option: string): string {
    return this.account === DEFAULT_ACCOUNT ? option : `${option} of account "${this.account}"`;
  }
}

function isPlainObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isWord(value: unknown): boolean {
  return typeof value === 'string' && value.trim() !== '';
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value)
    ? 'a list'
    : `${typeof value === 'object' ? 'an' : 'a'} ${typeof value}`;
}

/** Till numbers are often given as numbers, which would lose a leading zero. */
function quotedCure(value: unknown): string {
  return typeof value === 'number' ? `: write '${value}' in quotes` : '';
}

/** The values without `undefined` properties, which would overwrite a default in a spread. */
function defined<T extends object>(values: T | undefined): Partial<T> {
  return Object.fromEntries(
    Object.entries(values ?? {}).filter(([, value]) => value !== undefined),
  ) as Partial<T>;
}

/** A limit may be 0, in contrast to an amount that is sent. */
function limitProblem(value: unknown, currency: string): string | null {
  return typeof value === 'string' && toMinorUnits(value, currency) !== null
    ? null
    : `must be a decimal string such as "50000.00", with no more decimals than ${currency} has`;
}
