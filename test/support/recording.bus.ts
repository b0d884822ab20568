import { ClientProxy, type ReadPacket } from '@nestjs/microservices';
import type { PaymentsEventName } from '@tillkit/payments';
import type { PaymentsCloudEvent } from '@tillkit/payments/microservices';
import { until } from './until.js';

export interface Emitted {
  pattern: string;
  event: PaymentsCloudEvent;
}

/** A real client of `@nestjs/microservices` without a broker. It records the events that it should emit, and fails on demand. */
export class RecordingBus extends ClientProxy {
  /** Every attempt, also those that failed. */
  readonly attempts: Emitted[] = [];
  /** The events that the bus has accepted. */
  readonly accepted: Emitted[] = [];
  closedAfter: number | null = null;
  /** Runs at each attempt before the bus accepts the event. It may throw. */
  fault: (emitted: Emitted) => unknown = () => undefined;

  connect(): Promise<void> {
    return Promise.resolve();
  }

  close(): void {
    this.closedAfter = this.accepted.length;
  }

  override unwrap<T>(): T {
    throw new Error('there is nothing behind it');
  }

  protected publish(): () => void {
    throw new Error('events are emitted, not sent');
  }

  protected async dispatchEvent<T>({ pattern, data }: ReadPacket): Promise<T> {
    const emitted = { pattern: pattern as string, event: data as PaymentsCloudEvent };
    this.attempts.push(emitted);
    await this.fault(emitted);
    this.accepted.push(emitted);
    return undefined as T;
  }

  named<Name extends PaymentsEventName>(name: Name): PaymentsCloudEvent<Name>[] {
    return this.accepted.flatMap(({ event }) =>
      event.type === `com.tillkit.${name}` ? [event as unknown as PaymentsCloudEvent<Name>] : [],
    );
  }

  /** Returns the first event of a name, as soon as the bus has accepted it. */
  async next<Name extends PaymentsEventName>(name: Name): Promise<PaymentsCloudEvent<Name>> {
    await until(() => this.named(name).length > 0);
    return this.named(name)[0] as PaymentsCloudEvent<Name>;
  }
}
