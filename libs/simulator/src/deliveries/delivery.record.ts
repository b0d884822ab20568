import type { ScheduledTask } from '../clock/task-queue.service.js';

/** A delivery waits for its next attempt, reached its receiver, was given up after the last retry, was lost by a fault, or was dropped by hand. */
export type DeliveryState = 'waiting' | 'delivered' | 'given-up' | 'lost' | 'dropped';

/** The outcome of one attempt to deliver. */
export interface DeliveryAttempt {
  /** ISO 8601, on the simulator's clock. */
  readonly at: string;
  /** Null when the receiver gave no answer; `error` says why. */
  readonly status: number | null;
  readonly error: string | null;
  readonly faults: readonly string[];
}

/** A callback or a webhook to the application. */
export interface Delivery {
  readonly id: string;
  /** The name of the merchant. */
  readonly merchant: string;
  /** `callback`: the result of a request; `webhook`: of a subscription. */
  readonly kind: 'callback' | 'webhook';
  /** The event type of a webhook; the type of the resource of a callback, such as `incoming_payment` or `send_money`. */
  readonly topic: string;
  readonly url: string;
  readonly body: string;
  /** The platform's id of the payment, payout, refund or link. */
  readonly paymentId: string | null;
  readonly phone: string | null;
  /** The event id of a webhook. */
  readonly eventId: string | null;
  readonly createdAt: string;
  readonly state: DeliveryState;
  /** The latest attempts. */
  readonly attempts: readonly DeliveryAttempt[];
}

/** The merchant that sends the deliveries. Its key signs each attempt. */
export interface DeliveryOwner {
  readonly name: string;
  /** The key that signs now. */
  readonly apiKey: string;
}

/** A delivery to send. */
export interface NewDelivery {
  kind: 'callback' | 'webhook';
  topic: string;
  url: string;
  body: string | Buffer;
  paymentId?: string | undefined;
  phone?: string | undefined;
  eventId?: string | undefined;
}

const ATTEMPTS_KEPT = 20;

/** A delivery and the progress of its attempts. */
export class DeliveryRecord {
  readonly bytes: Buffer;
  readonly attempts: DeliveryAttempt[] = [];
  state: DeliveryState = 'waiting';
  /** Number of scheduled attempts, without copies and resends. */
  scheduled = 0;
  /** Number of all attempts. */
  attempted = 0;
  /** The next scheduled attempt, if any. */
  next: ScheduledTask | undefined;

  readonly details: Omit<NewDelivery, 'body'>;

  constructor(
    readonly id: string,
    readonly owner: DeliveryOwner,
    { body, ...details }: NewDelivery,
    readonly createdAt: string,
  ) {
    this.bytes = typeof body === 'string' ? Buffer.from(body) : body;
    this.details = details;
  }

  add(attempt: DeliveryAttempt): void {
    this.attempts.push(attempt);
    if (this.attempts.length > ATTEMPTS_KEPT) this.attempts.shift();
  }

  view(): Delivery {
    const { kind, topic, url, paymentId = null, phone = null, eventId = null } = this.details;
    return {
      id: this.id,
      merchant: this.owner.name,
      kind,
      topic,
      url,
      body: this.bytes.toString(),
      paymentId,
      phone,
      eventId,
      createdAt: this.createdAt,
      state: this.state,
      attempts: [...this.attempts],
    };
  }
}
