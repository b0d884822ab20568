import { UsageError } from './cli.errors.js';
import type { MerchantOptions } from './merchants/merchant.options.js';
import { DEFAULT_TILLS, type SimulatorOptions } from './simulator.options.js';

/**
 * The credentials have constant defaults, so that an application can keep them in its settings. Those of a `--merchant` end in its
 * name.
 */
export const CREDENTIALS = {
  clientId: 'simulator-client-id',
  clientSecret: 'simulator-client-secret',
  apiKey: 'simulator-api-key',
} as const;

/** `--merchant` may have these fields. */
const MERCHANT_FIELDS: readonly string[] = [
  'name',
  'till',
  'client-id',
  'client-secret',
  'api-key',
];

/** The values of the options about merchants. */
export interface MerchantValues {
  clientId?: string;
  clientSecret?: string;
  apiKey?: string;
  till?: string[];
  merchant?: MerchantOptions[];
  openingBalance: number;
}

/** Returns the merchant of the short form, and those of `--merchant`. The first exists by default, or when one of its options is set. */
export function merchantsOf(values: MerchantValues): SimulatorOptions {
  const { clientId, clientSecret, apiKey, till, merchant, openingBalance } = values;
  const balancesOf = (tills: readonly string[]) => ({
    openingBalances: Object.fromEntries(tills.map((number) => [number, openingBalance])),
  });
  const merchants = merchant?.map((one) => ({ ...one, ...balancesOf(one.tillNumbers) }));
  if (merchants && ![clientId, clientSecret, apiKey, till].some((value) => value !== undefined))
    return { merchants };
  return {
    clientId: clientId ?? CREDENTIALS.clientId,
    clientSecret: clientSecret ?? CREDENTIALS.clientSecret,
    apiKey: apiKey ?? CREDENTIALS.apiKey,
    ...(till && { tillNumbers: till }),
    ...balancesOf(till ?? DEFAULT_TILLS),
    ...(merchants && { merchants }),
  };
}

/** Reads one `--merchant`. @throws UsageError */
export function collectMerchant(
  text: string,
  previous: readonly MerchantOptions[] = [],
): MerchantOptions[] {
  const fields = text.split(',').map((field) => field.split(/=(.*)/s, 2));
  const given = new Map<string, string[]>();
  for (const [key = '', value = ''] of fields) {
    if (!MERCHANT_FIELDS.includes(key) || value === '') {
      throw new UsageError(
        // The message never contains the value, because it may be a secret.
        `--merchant has "${key}" ${MERCHANT_FIELDS.includes(key) ? 'without a value' : 'which is not one of its fields'}. Write it as name=<name>,till=<till>. Its fields are ${MERCHANT_FIELDS.join(', ')}.`,
      );
    }
    given.set(key, [...(given.get(key) ?? []), value]);
  }
  const twice = [...given].find(([key, values]) => key !== 'till' && values.length > 1);
  if (twice)
    throw new UsageError(`--merchant has ${twice[0]} more than once. Only till may repeat.`);
  const [name] = given.get('name') ?? [];
  const tillNumbers = given.get('till');
  if (name === undefined || !tillNumbers)
    throw new UsageError('--merchant needs name=<name> and till=<till>.');
  const merchant = {
    name,
    clientId: given.get('client-id')?.[0] ?? `${CREDENTIALS.clientId}-${name}`,
    clientSecret: given.get('client-secret')?.[0] ?? `${CREDENTIALS.clientSecret}-${name}`,
    apiKey: given.get('api-key')?.[0] ?? `${CREDENTIALS.apiKey}-${name}`,
    tillNumbers,
  };
  return [...previous, merchant];
}
