import { Simulator } from '../simulator.js';
import { INSTANT_TIMINGS, type SimulatorOptions } from '../simulator.options.js';
import { PlatformClient } from './platform-client.fixture.js';
import { startReceiver, type Receiver } from './receiver.fixture.js';

/** A simulator, a receiver of its deliveries, and a client with a token. */
export interface Platform {
  simulator: Simulator;
  client: PlatformClient;
  receiver: Receiver;
  /** Subscribes the receiver to an event type. */
  subscribe(eventType?: string, changes?: Record<string, unknown>): Promise<string>;
  /** Returns the received deliveries: the status of each callback, the topic of each webhook. */
  arrivals(): string[];
  stop(): Promise<void>;
}

export async function startPlatform(options: SimulatorOptions = {}): Promise<Platform> {
  const receiver = await startReceiver();
  const simulator = await Simulator.start({ timings: INSTANT_TIMINGS, ...options });
  const client = new PlatformClient(simulator);
  await client.authenticate();
  return {
    simulator,
    client,
    receiver,
    async subscribe(eventType = 'buygoods_transaction_received', changes = {}) {
      const answer = await client.post('/api/v1/webhook_subscriptions', {
        event_type: eventType,
        url: `${receiver.url}/webhooks`,
        scope: 'till',
        scope_reference: '514459',
        ...changes,
      });
      if (answer.status !== 201) throw new Error(`Refused: ${JSON.stringify(answer.body)}`);
      return answer.headers.get('location')!.split('/').at(-1)!;
    },
    arrivals: () =>
      receiver.received.map(({ body }) => {
        const { data, topic } = (body ?? {}) as {
          data?: { attributes: { status: string } };
          topic?: string;
        };
        return data?.attributes.status ?? topic ?? 'unreadable';
      }),
    async stop() {
      await simulator.stop();
      await receiver.stop();
    },
  };
}
