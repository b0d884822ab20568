import { INSTANT_TIMINGS, Simulator } from '@tillkit/simulator';

/** The till of the replicas. */
export const TILL = '514459';

/** The other number of the same till, where a phase uses it. */
export const OTHER_NUMBER = 'K000123';

export interface PlatformOptions {
  seed: number;
  /** True when the platform accepts the other number as the same till. */
  joinsNumbers: boolean;
  /** Subscriptions to each topic: each causes its own webhook about a transaction. */
  subscriptions: number;
  /** Waits between the attempts of a delivery, after which the platform gives up. */
  deliveryRetries?: readonly number[];
}

const DELIVERY_RETRIES = [200, 500, 1_000, 2_000, 4_000, 8_000];

export function startPlatform({
  seed,
  joinsNumbers,
  deliveryRetries = DELIVERY_RETRIES,
}: PlatformOptions): Promise<Simulator> {
  return Simulator.start({
    seed,
    timings: { ...INSTANT_TIMINGS, deliveryTimeout: 5_000, afterwards: 1_000 },
    deliveryRetries: [...deliveryRetries],
    journalSize: 100,
    openingBalances: { [TILL]: 10_000_000 },
    deliveriesKept: 100,
    tillAliases: joinsNumbers ? { [OTHER_NUMBER]: TILL } : {},
  });
}

/** Subscribes the merchant's URL to webhooks. */
export async function subscribe(
  simulator: Simulator,
  publicUrl: string,
  { subscriptions, joinsNumbers }: PlatformOptions,
): Promise<void> {
  const token = await fetch(`${simulator.url}/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams({
      client_id: simulator.clientId,
      client_secret: simulator.clientSecret,
      grant_type: 'client_credentials',
    }),
  });
  const { access_token } = (await token.json()) as { access_token: string };
  const tills = [
    ...Array.from({ length: subscriptions }, () => TILL),
    ...(joinsNumbers ? [OTHER_NUMBER] : []),
  ];
  for (const topic of ['buygoods_transaction_received', 'buygoods_transaction_reversed']) {
    for (const till of tills) {
      await fetch(`${simulator.url}/api/v1/webhook_subscriptions`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${access_token}`,
          accept: 'application/json',
          'content-type': 'application/json',
          'user-agent': 'campaign/1.0 (tests)',
        },
        body: JSON.stringify({
          event_type: topic,
          url: `${publicUrl}/payments/webhooks`,
          scope: 'till',
          scope_reference: till,
        }),
      });
    }
  }
}
