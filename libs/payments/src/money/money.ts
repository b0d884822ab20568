/** An amount of money. `value` is a decimal string (`"100.00"`), never a float; `currency` is an ISO 4217 code. @publicApi */
export interface Amount {
  currency: string;
  value: string;
}

/** A JSON number (a double) keeps 15 significant decimal digits without loss. */
const MAX_SIGNIFICANT_DIGITS = 15;

/** More digits are no amount of money. Work on them must not take long. */
const MOST_DIGITS = 24;
const LONGEST_AMOUNT = 64;

const DECIMAL = /^\d+(\.\d+)?$/;
const GROUPED = /^[1-9]\d{0,2}(?:,\d{3})+(?:\.(\d+))?$/;

/**
 * The codes of ISO 4217 by their decimals, as of 2026. Metals, codes for tests and units of account that nobody pays with are not in it. It is a list of our own, because
 * that of `Intl` changes with patch releases of Node, and has the decimals of CLDR, which differ for some.
 */
const CODES_BY_DECIMALS: readonly (readonly [number, string])[] = [
  [0, 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'],
  [
    2,
    'AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BGN BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD CDF CHE CHF CHW CNY COP COU CRC ' +
      'CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS INR IRR JMD KES KGS KHR KPW ' +
      'KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MXV MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP ' +
      'PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD USN ' +
      'UYU UZS VED VES WST XAD XCD XCG YER ZAR ZMW ZWG',
  ],
  [3, 'BHD IQD JOD KWD LYD OMR TND'],
  [4, 'CLF UYW'],
];

const DECIMALS: ReadonlyMap<string, number> = new Map(
  CODES_BY_DECIMALS.flatMap(([decimals, codes]) =>
    codes.split(' ').map((code) => [code, decimals] as const),
  ),
);

/** Returns the decimals of a currency by ISO 4217 (KES 2, UGX 0); null for an unknown code. */
export function minorUnitDigits(currency: string): number | null {
  return DECIMALS.get(currency) ?? null;
}

/** True for a currency code of ISO 4217. */
export function isCurrency(text: string | null): text is string {
  return text !== null && minorUnitDigits(text) !== null;
}

/** Currencies by what people call them. */
const CURRENCY_NAMES: Readonly<Record<string, string>> = {
  KSH: 'KES',
  KSHS: 'KES',
  USH: 'UGX',
  USHS: 'UGX',
  TSH: 'TZS',
  TSHS: 'TZS',
};

/** Reads a currency as the platform writes it: `KES`, `kes` or `Ksh`. A text that is no currency stays as it is; null for an empty text. */
export function readCurrency(text: string | null): string | null {
  const trimmed = text?.trim();
  if (!trimmed) return null;
  const code = trimmed.toUpperCase().replace(/\.$/, '');
  if (Object.hasOwn(CURRENCY_NAMES, code)) return CURRENCY_NAMES[code] as string;
  return isCurrency(code) ? code : trimmed;
}

/**
 * Reads an amount as the platform writes it: `"100.0"`, `"313"`, the JSON number 313, or `"1,007.00"` if the currency has these decimals. A
 * number becomes its shortest decimal text. Null for a number with more than 15 significant digits, for more than 24 digits, and for an
 * exponent, a sign or any other text.
 */
export function readAmountValue(wire: unknown, currency: string | null = null): string | null {
  if (typeof wire === 'number') {
    const text = String(wire);
    return DECIMAL.test(text) && significantDigits(text) <= MAX_SIGNIFICANT_DIGITS ? text : null;
  }
  if (typeof wire !== 'string' || wire.length > LONGEST_AMOUNT) return null;
  const text = wire.trim();
  const plain = currency !== null && isGrouped(text, currency) ? text.replaceAll(',', '') : text;
  return DECIMAL.test(plain) && plain.replace('.', '').length <= MOST_DIGITS ? plain : null;
}

/** True when the commas of an amount can only separate thousands. */
function isGrouped(text: string, currency: string): boolean {
  const grouped = GROUPED.exec(text);
  const digits = minorUnitDigits(currency);
  if (!grouped || digits === null) return false;
  const [, fraction] = grouped;
  return fraction === undefined ? digits < 3 : fraction.length <= digits;
}

/**
 * Returns the amount in minor units (cents of KES, whole shillings of UGX). Null for an unknown currency, and for a non-zero digit below the minor
 * unit.
 */
export function toMinorUnits(value: string, currency: string): bigint | null {
  const digits = minorUnitDigits(currency);
  if (digits === null || !DECIMAL.test(value)) return null;
  const [whole = '0', fraction = ''] = value.split('.');
  if (/[1-9]/.test(fraction.slice(digits))) return null;
  return BigInt(whole + fraction.slice(0, digits).padEnd(digits, '0'));
}

/** Returns the sum of amounts in minor units; null when one of them is absent or has none. */
export function sumInMinorUnits(
  parts: readonly { amount: string | null }[],
  currency: string,
): bigint | null {
  let sum = 0n;
  for (const { amount } of parts) {
    const minor = amount === null ? null : toMinorUnits(amount, currency);
    if (minor === null) return null;
    sum += minor;
  }
  return sum;
}

/** True when two amounts are equal: `100`, `100.0` and `"100.00"` of one currency are. */
export function isSameAmount(one: Amount, other: Amount): boolean {
  if (one.currency !== other.currency) return false;
  const minor = toMinorUnits(one.value, one.currency);
  return minor !== null && minor === toMinorUnits(other.value, other.currency);
}

/** Returns the canonical text of an amount: `"100"` and `"100.0"` KES become `"100.00"`. Null when it has no minor units. */
export function canonicalValue(value: string, currency: string): string | null {
  const minor = toMinorUnits(value, currency);
  return minor === null ? null : fromMinorUnits(minor, currency);
}

/** Returns the decimal text of minor units, with all decimals of the currency: 10000 KES become `"100.00"`. */
export function fromMinorUnits(minor: bigint, currency: string): string {
  const digits = minorUnitDigits(currency) ?? 0;
  const text = minor.toString().padStart(digits + 1, '0');
  return digits === 0 ? text : `${text.slice(0, -digits)}.${text.slice(-digits)}`;
}

/** Returns the error text for a value that is no currency code; null when it is one. */
export function currencyProblem(value: unknown): string | null {
  return typeof value === 'string' && minorUnitDigits(value) !== null
    ? null
    : 'must be an ISO 4217 currency code in capitals, such as KES';
}

/**
 * Returns the error text for an amount that cannot be requested; null when it is valid. Without a currency, or with an unknown one, the number of
 * decimals is not checked.
 */
export function amountProblem(value: unknown, currency = ''): string | null {
  if (typeof value !== 'string') return 'must be a decimal string such as "100.00", not a number';
  if (!DECIMAL.test(value)) {
    return 'must be a plain decimal string such as "100.00": digits and one point, no sign, exponent or spaces';
  }
  if (significantDigits(value) > MAX_SIGNIFICANT_DIGITS) {
    return 'has more than 15 significant digits, which the JSON number of the platform cannot carry';
  }
  if (!/[1-9]/.test(value)) return 'must be more than 0';
  const digits = minorUnitDigits(currency);
  if (digits === null) return null; // `currencyProblem` refuses an unknown currency
  if ((value.split('.')[1] ?? '').length > digits) {
    return `has more decimals than ${currency} has: ${digits} at most`;
  }
  return null;
}

function significantDigits(text: string): number {
  return text.replace('.', '').replace(/^0+/, '').length;
}
