import { randomBytes, randomUUID } from 'node:crypto';
import { InvalidOptionError } from '../simulator.errors.js';
import { AMOUNT, fitsCurrency, OWN_CURRENCY } from '../values/amount.js';
import { isTillNumber } from '../values/till-number.js';

/** One merchant of the platform: a company with one application. */
export interface MerchantOptions {
  /** 1 to 64 of `A-Z a-z 0-9 _ -`. Each merchant needs its own. */
  name: string;
  /** The application key. Each merchant needs its own. @default random */
  clientId?: string;
  /** The application secret. @default random */
  clientSecret?: string;
  /** The key that signs the merchant's deliveries. @default random */
  apiKey?: string;
  /** The tills and online payment accounts. A till belongs to one merchant. */
  tillNumbers: readonly string[];
  /** The platform replaces these till numbers in its messages: `{ K000123: '514459' }`. @default {} */
  tillAliases?: Readonly<Record<string, string>>;
  /**
   * The money that tills have at the start, in KES: `{ '514459': 100_000 }`. A till cannot pay out more than it has.
   * @default {} each till has the money that was paid into it
   */
  openingBalances?: Readonly<Record<string, number>>;
}

/** The options of a merchant with every default filled in. */
export type MerchantSettings = Readonly<Required<MerchantOptions>>;

const NAME = /^[\w-]{1,64}$/;

/** Returns a secret that nobody can guess. */
export function randomSecret(): string {
  return randomBytes(24).toString('base64url');
}

/** Returns an API key that nobody can guess. */
export function randomApiKey(): string {
  return randomBytes(24).toString('hex');
}

/**
 * Applies the defaults and validates.
 * @param at the place of the options, such as `merchants[3].`: the beginning of the option's name in errors
 * @throws InvalidOptionError that names the option and the problem
 */
export function resolveMerchant(options: MerchantOptions, at = ''): MerchantSettings {
  const settings: MerchantSettings = {
    name: options.name,
    clientId: options.clientId ?? randomUUID(),
    clientSecret: options.clientSecret ?? randomSecret(),
    apiKey: options.apiKey ?? randomApiKey(),
    tillNumbers: options.tillNumbers,
    tillAliases: options.tillAliases ?? {},
    openingBalances: options.openingBalances ?? {},
  };
  if (typeof settings.name !== 'string' || !NAME.test(settings.name)) {
    throw new InvalidOptionError(
      `${at}name`,
      `is "${String(settings.name).slice(0, 100)}": a name is 1 to 64 of A-Z a-z 0-9 _ -`,
    );
  }
  for (const option of ['clientId', 'clientSecret', 'apiKey'] as const) {
    if (!settings[option]) throw new InvalidOptionError(at + option, 'must not be empty');
  }
  validateTills(settings, at);
  return settings;
}

function validateTills(settings: MerchantSettings, at: string): void {
  const { tillNumbers, tillAliases, openingBalances } = settings;
  if (!Array.isArray(tillNumbers))
    throw new InvalidOptionError(`${at}tillNumbers`, 'must be a list of till numbers');
  const aliases = Object.entries(tillAliases).flat();
  const lists: Record<string, readonly string[]> = { tillNumbers, tillAliases: aliases };
  for (const [option, numbers] of Object.entries(lists)) {
    const wrong = numbers.find((number) => !isTillNumber(number));
    if (wrong === undefined) continue;
    throw new InvalidOptionError(
      at + option,
      `has "${wrong}": a till number is digits, or K and digits`,
    );
  }
  const tills = tillsOf(settings);
  for (const [till, amount] of Object.entries(openingBalances)) {
    if (!tills.includes(till))
      throw new InvalidOptionError(`${at}openingBalances`, `has "${till}", which is not a till`);
    if (!(amount >= 0) || amount > AMOUNT.max || !fitsCurrency(amount, OWN_CURRENCY)) {
      throw new InvalidOptionError(
        `${at}openingBalances`,
        `gives till ${till} ${amount}: an amount is from 0 to ${AMOUNT.max}, with at most 2 decimals`,
      );
    }
  }
}

/** Returns every number of the merchant's tills, also those that only an alias names. */
export function tillsOf({ tillNumbers, tillAliases }: MerchantSettings): string[] {
  return [...tillNumbers, ...Object.entries(tillAliases).flat()];
}
