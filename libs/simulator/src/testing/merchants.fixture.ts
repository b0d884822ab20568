import { startPlatform, type Platform } from './platform.fixture.js';
import { PlatformClient } from './platform-client.fixture.js';
import type { SimulatorOptions } from '../simulator.options.js';

/** The till of each merchant of {@link startTwoMerchants}. */
export const ONE_TILL = '100001';
export const TWO_TILL = '200002';

/** A platform with the merchants `one` and `two`. The platform's own client is that of `one`. */
export interface TwoMerchants extends Platform {
  /** The client of the merchant `two`. */
  readonly other: PlatformClient;
}

/** Returns a platform with two merchants that each have a till with money and a token. */
export async function startTwoMerchants(options: SimulatorOptions = {}): Promise<TwoMerchants> {
  const platform = await startPlatform({
    ...options,
    merchants: [
      { name: 'one', tillNumbers: [ONE_TILL], openingBalances: { [ONE_TILL]: 1_000 } },
      { name: 'two', tillNumbers: [TWO_TILL], openingBalances: { [TWO_TILL]: 1_000 } },
    ],
  });
  return { ...platform, other: await clientOf(platform, 'two') };
}

/** Returns a client with a token of the merchant with this name. */
export async function clientOf({ simulator }: Platform, name: string): Promise<PlatformClient> {
  const client = new PlatformClient(simulator, simulator.merchants.get(name));
  await client.authenticate();
  return client;
}
