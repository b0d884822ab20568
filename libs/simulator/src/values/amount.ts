import type { NumberRange } from './number-range.js';

/** Active ISO 4217 codes, by the number of their decimals. */
const CODES_BY_DECIMALS: readonly (readonly [number, string])[] = [
  [0, 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'],
  [3, 'BHD IQD JOD KWD LYD OMR TND'],
  [4, 'CLF UYW'],
  [
    2,
    'AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CNY COP CRC CUP ' +
      'CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS INR IRR JMD KES KGS ' +
      'KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR ' +
      'NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS ' +
      'TMT TOP TRY TTD TWD TZS UAH USD UYU UZS VED VES WST YER ZAR ZMW ZWG',
  ],
];

const DECIMALS: ReadonlyMap<string, number> = new Map(
  CODES_BY_DECIMALS.flatMap(([decimals, codes]) =>
    codes.split(' ').map((code) => [code, decimals] as const),
  ),
);

/** The only currency of money out and of opening balances. */
export const OWN_CURRENCY = 'KES';

/** The amounts of one transaction. */
export const AMOUNT: NumberRange = { min: 0.000_1, max: 999_999_999 };

/** True for an active ISO 4217 code. */
export function isCurrency(value: unknown): value is string {
  return typeof value === 'string' && DECIMALS.has(value);
}

/** True when an amount has no more decimals than its currency. */
export function fitsCurrency(value: number, currency: string): boolean {
  const text = value.toString();
  const decimals = text.includes('e-') ? Infinity : (text.split('.')[1]?.length ?? 0);
  return decimals <= (DECIMALS.get(currency) ?? 0);
}

/** Returns an amount in minor units: cents of KES. It must fit the currency. */
export function minorUnits(value: number, currency: string): number {
  return Math.round(value * 10 ** (DECIMALS.get(currency) ?? 0));
}

/** Returns an amount of minor units in units of the currency. */
export function majorUnits(minor: number, currency: string): number {
  return minor / 10 ** (DECIMALS.get(currency) ?? 0);
}

/** Returns an amount as the platform writes it: a decimal in a string, such as `"100.0"` or `"99.5"`. */
export function amountText(value: number): string {
  return Number.isInteger(value) ? `${value}.0` : value.toString();
}
