import type { ScheduledTask } from '../clock/task.queue.js';

/** What has become of a delivery. */
export type DeliveryState = 'waiting' | 'delivered' | 'given-up' | 'lost' | 'dropped';

/** How one attempt to deliver went. */
export interface DeliveryAttempt {
  /** ISO 8601, on the simulator's clock. */
  readonly at: string;
  /** Null when the receiver gave no answer; `error` says why. */
  readonly status: number | null;
  readonly error: string | null;
  readonly faults: readonly string[];
}

/** A callback or a webhook on its way to the application, or arrived there. */
export interface Delivery {
  readonly id: string;
  /** `callback`: the result of a request; `webhook`: of a subscription. */
  readonly kind: 'callback' | 'webhook';
  /** The event type of a webhook; `incoming_payment`, `polling` or `transaction_sms_notification` of a callback. */
  readonly topic: string;
  readonly url: string;
  readonly body: string;
  readonly paymentId: string | null;
  readonly phone: string | null;
  /** The event id of a webhook. */
  readonly eventId: string | null;
  readonly createdAt: string;
  readonly state: DeliveryState;
  /** The latest attempts. */
  readonly attempts: readonly DeliveryAttempt[];
}

/** What is to be delivered. */
export interface DeliveryOrder {
  kind: 'callback' | 'webhook';
  topic: string;
  url: string;
  body: string | Buffer;
  paymentId?: string | undefined;
  phone?: string | undefined;
  eventId?: string | undefined;
}

const ATTEMPTS_KEPT = 20;

/** A delivery as its service holds it. */
export class DeliveryRecord {
  readonly bytes: Buffer;
  readonly attempts: DeliveryAttempt[] = [];
  state: DeliveryState = 'waiting';
  /** How many of the attempts were of the schedule, not copies or sent again by hand. */
  scheduled = 0;
  /** How many attempts there were. */
  attempted = 0;
  /** The next attempt, when one is to come. */
  next: ScheduledTask | undefined;

  readonly order: Omit<DeliveryOrder, 'body'>;

  constructor(
    readonly id: string,
    { body, ...order }: DeliveryOrder,
    readonly createdAt: string,
  ) {
    this.bytes = typeof body === 'string' ? Buffer.from(body) : body;
    this.order = order;
  }

  add(attempt: DeliveryAttempt): void {
    this.attempts.push(attempt);
    if (this.attempts.length > ATTEMPTS_KEPT) this.attempts.shift();
  }

  view(): Delivery {
    const { kind, topic, url, paymentId = null, phone = null, eventId = null } = this.order;
    return {
      id: this.id,
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
