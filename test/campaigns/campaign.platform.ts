import { INSTANT_TIMINGS, Simulator } from '@tillkit/simulator';

/** The till of the replicas. */
export const TILL = '514459';

/** Another form of the same till, where a phase says so. */
export const OTHER_FORM = 'K000123';

export interface PlatformOptions {
  seed: number;
  /** Whether the platform tells the other form as the till itself. */
  joinsForms: boolean;
  /** Subscriptions to each topic: each makes a webhook of its own for the same money. */
  subscriptions: number;
}

export function startPlatform({ seed, joinsForms }: PlatformOptions): Promise<Simulator> {
  return Simulator.start({
    seed,
    timings: { ...INSTANT_TIMINGS, deliveryTimeout: 5_000, afterwards: 1_000 },
    deliveryRetries: [200, 500, 1_000, 2_000, 4_000, 8_000],
    journalSize: 100,
    deliveriesKept: 100,
    tillAliases: joinsForms ? { [OTHER_FORM]: TILL } : {},
  });
}

/** Asks for webhooks at the merchant's URL. */
export async function subscribe(
  simulator: Simulator,
  publicUrl: string,
  { subscriptions, joinsForms }: PlatformOptions,
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
    ...(joinsForms ? [OTHER_FORM] : []),
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
