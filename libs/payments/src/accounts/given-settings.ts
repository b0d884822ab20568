import { DEFAULT_ACCOUNT, DEFAULTS } from '../payments-defaults.js';
import type { AccountOptions, PaymentsModuleExtras } from './account.options.js';
import type { PaymentsSettings } from './payments.settings.js';
import { rawTextProblem } from '../money/values.js';
import {
  misspeltVariables,
  unreadFile,
  VARIABLES,
  type ReadVariable,
} from './environment-variables.js';

export type Setting = keyof typeof VARIABLES;

/** Options that are an object with defaults. */
type Group =
  'http' | 'sending' | 'reconciliation' | 'listeners' | 'deliveries' | 'retention' | 'telemetry';

/** Options of `forRoot`; the last three are read by the module. */
const OPTIONS: readonly string[] = Object.keys({
  ...VARIABLES,
  ...DEFAULTS,
  account: true,
  store: true,
  transactions: true,
  payouts: true,
  knownFailures: true,
  path: true,
  global: true,
  controllerDecorators: true,
} satisfies Record<
  keyof (AccountOptions & PaymentsModuleExtras) | 'store' | 'transactions',
  unknown
>);

/** Members of groups that have no default. */
const WITHOUT_DEFAULT: readonly string[] = ['proxy', 'tls', 'enabled'];

/** Collects the options and environment variables that the host has given for one account, and the problems in them. */
export class GivenSettings {
  readonly problems: string[] = [];
  private readonly missing: Setting[] = [];
  readonly account: string;

  constructor(
    readonly options: AccountOptions,
    readonly readVariable: ReadVariable,
    /** The settings that may come from the environment. */
    private readonly inEnvironment: readonly Setting[],
  ) {
    this.account = options.account ?? DEFAULT_ACCOUNT;
  }

  text(
    setting: Exclude<Setting, 'apiKeys' | 'urlSecrets' | 'tillAliases' | 'apiVersions'>,
  ): string | undefined {
    const given: unknown = this.options[setting];
    if (!this.isGiven(setting)) return this.fromEnvironment(setting);
    if (typeof given === 'string' && given.trim() !== '') return this.asMeant(setting, given);
    this.problems.push(
      typeof given === 'string'
        ? `${this.name(setting)} is empty: write a text, or remove it`
        : `${this.name(setting)} must be a text, not ${kindOf(given)}${setting === 'tillNumber' ? quotedCure(given) : ''}`,
    );
    return undefined;
  }

  required(setting: 'clientId' | 'clientSecret' | 'baseUrl' | 'publicUrl', what: string): string {
    const before = this.problems.length;
    const text = this.text(setting);
    if (text === undefined && this.problems.length === before) {
      this.problems.push(`${this.name(setting)} is missing: set it to ${what}`);
      this.missing.push(setting);
    }
    return text ?? '';
  }

  /** Notes that neither of two lists is given, of which one is required. */
  requireOneOf(one: 'apiKeys', other: 'urlSecrets', why: string): void {
    this.problems.push(`${this.name(one)} or ${this.name(other)} is required, ${why}`);
    this.missing.push(one, other);
  }

  /** Returns the problems, and what may have caused them: variables with wrong names, and a file that nothing reads. */
  problemsWithCauses(variables: readonly string[]): string[] {
    const missing = this.missing.filter((setting) => this.inEnvironment.includes(setting));
    const unread = unreadFile(missing.map((setting) => VARIABLES[setting]));
    return [...this.problems, ...misspeltVariables(variables, this.options), ...unread];
  }

  list(setting: 'apiKeys' | 'urlSecrets' | 'tills'): readonly string[] {
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
    const texts = (items as string[]).map((item) => item.trim());
    return this.hasRaw(setting, texts) ? [] : texts;
  }

  /** Returns the pairs of a variable such as `K000123=514459,K000124=514460`. */
  pairs(setting: 'tillAliases' | 'apiVersions'): string[][] {
    const pairs = this.fromEnvironment(setting)?.split(',') ?? [];
    return pairs.map((pair) => pair.split('=').map((text) => text.trim()));
  }

  /**
   * Returns a group of options with its defaults. Every number is a count or a duration: it must be finite and not negative.
   * @param settled what is decided by more than the option of that name
   */
  group<G extends Group>(
    group: G,
    settled: Partial<PaymentsSettings[G]> = {},
  ): PaymentsSettings[G] {
    const given = defined(this.options[group] || undefined);
    const values = { ...DEFAULTS[group], ...given, ...settled };
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
    return values as unknown as PaymentsSettings[G];
  }

  /** Refuses unknown options that stand in code. An account that is loaded may be a row with more columns: they must not keep it from opening. */
  refuseOthers(): void {
    for (const option of Object.keys(this.options))
      if (!OPTIONS.includes(option)) this.refuse(option);
  }

  private refuse(option: string): void {
    this.problems.push(`${this.named(option)} is no setting: remove it`);
  }

  /** Returns where a setting comes from: the option, if it is given, else the variable that may be set. */
  name(setting: Setting): string {
    const name = this.named(setting);
    if (this.isGiven(setting)) return name;
    if (this.account === DEFAULT_ACCOUNT) return VARIABLES[setting];
    return this.inEnvironment.includes(setting) ? `${VARIABLES[setting]}, or ${name},` : name;
  }

  named(option: string): string {
    return this.account === DEFAULT_ACCOUNT ? option : `${option} of account "${this.account}"`;
  }

  private isGiven(setting: Setting): boolean {
    return this.options[setting] !== undefined && this.options[setting] !== null;
  }

  /** A named account reads no credentials from the environment, so that it cannot use those of another account. */
  private fromEnvironment(setting: Setting): string | undefined {
    if (!this.inEnvironment.includes(setting)) return undefined;
    const text = this.readVariable(VARIABLES[setting]);
    return text === undefined || text.trim() === '' ? undefined : this.asMeant(setting, text);
  }

  private asMeant(setting: Setting, given: string): string | undefined {
    const text = given.trim();
    return this.hasRaw(setting, [text]) ? undefined : text;
  }

  private hasRaw(setting: Setting, texts: readonly string[]): boolean {
    const problem = texts.map(rawTextProblem).find((each) => each !== null);
    if (problem !== undefined) this.problems.push(`${this.name(setting)} ${problem}`);
    return problem !== undefined;
  }
}

export function kindOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value)
    ? 'a list'
    : `${typeof value === 'object' ? 'an' : 'a'} ${typeof value}`;
}

/** Till numbers are often given as numbers, which would lose a leading zero. */
function quotedCure(value: unknown): string {
  return typeof value === 'number' ? `: write '${value}' in quotes` : '';
}

/** Returns the values without `undefined` properties, which would overwrite a default in a spread. */
export function defined<T extends object>(values: T | undefined): Partial<T> {
  return Object.fromEntries(
    Object.entries(values ?? {}).filter(([, value]) => value !== undefined),
  ) as Partial<T>;
}
