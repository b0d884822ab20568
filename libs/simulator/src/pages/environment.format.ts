import type { SimulatedMerchant } from '../merchants/merchant.model.js';
import type { SimulatedPlatform } from '../simulated-platform.model.js';

/** An application that NestJS has generated listens here. */
const APPLICATION_URL = 'http://localhost:3000';

/** Returns the text of an `.env` file with which an application of this merchant uses the simulator. */
export function environmentOf({ url }: SimulatedPlatform, merchant: SimulatedMerchant): string {
  const { clientId, clientSecret, apiKey, nextApiKey, tills } = merchant;
  const aliases = Object.entries(tills.aliases).map((alias) => alias.join('='));
  // The application must know the next signing key before the platform uses it.
  const apiKeys = nextApiKey ? [apiKey, nextApiKey.apiKey] : [apiKey];
  const settings: [string, string | undefined][] = [
    ['PAYMENTS_BASE_URL', url],
    ['PAYMENTS_CLIENT_ID', clientId],
    ['PAYMENTS_CLIENT_SECRET', clientSecret],
    ['PAYMENTS_API_KEYS', apiKeys.join(',')],
    ['PAYMENTS_TILL_NUMBER', tills.first()?.number],
    ['PAYMENTS_TILL_ALIASES', aliases.length > 0 ? aliases.join(',') : undefined],
    ['PAYMENTS_PUBLIC_URL', APPLICATION_URL],
    ['PAYMENTS_DEFAULT_COUNTRY', 'KE'],
  ];
  return settings
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${quoted(value!)}\n`)
    .join('');
}

/** Quotes a value that would otherwise be read back differently: `#` begins a comment, and white space at the ends is lost. */
function quoted(value: string): string {
  if (/^[\w.:/,=+@-]*$/.test(value)) return value;
  const quote = ["'", '`', '"'].find((one) => !value.includes(one)) ?? '"';
  return quote + value + quote;
}
