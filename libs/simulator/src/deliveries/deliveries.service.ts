import { randomUUID } from 'node:crypto';
import type { ActivityTracker } from '../clock/activity.service.js';
import type { SimulatedClock } from '../clock/clock.service.js';
import type { Faults } from '../faults/faults.service.js';
import type { FaultSubject } from '../faults/fault-subject.js';
import { excerpt, maskBody, maskHeaders } from '../journal/journal-masking.service.js';
import type { Journal } from '../journal/journal.service.js';
import type { SimulatorSettings } from '../simulator.options.js';
import { CORRUPTIONS, writeDelivery, type Corruption } from './delivery-corruption.service.js';
import {
  DeliveryRecord,
  type Delivery,
  type DeliveryAttempt,
  type DeliveryOwner,
  type NewDelivery,
  type DeliveryState,
} from './delivery.record.js';
import { DeliveriesStore } from './deliveries.store.js';
import type { DeliverySender } from './delivery-sender.service.js';

/** Sends the callbacks and webhooks of one merchant. */
export interface MerchantDeliveries {
  /** @returns after the first attempt, or when a fault or scenario delays it. */
  send(details: NewDelivery, delayMs?: number): Promise<void>;
  /** Records a delivery that a scenario never sends, so that a person can see it and resend it. */
  recordLost(details: NewDelivery): void;
}

/**
 * Sends callbacks and webhooks to the application: signs them, retries until the application accepts them, injects faults.
 *
 * @publicApi
 */
export class Deliveries {
  private readonly store: DeliveriesStore;
  /** The deliveries that the fault `reorder` holds until another one is sent. */
  private readonly held = new Set<DeliveryRecord>();
  private stopped = false;

  constructor(
    private readonly settings: SimulatorSettings,
    private readonly clock: SimulatedClock,
    private readonly activity: ActivityTracker,
    private readonly faults: Faults,
    private readonly journal: Journal,
    private readonly sender: DeliverySender,
  ) {
    this.store = new DeliveriesStore(settings.deliveriesKept);
  }

  /** Returns the kept deliveries, oldest first. */
  list(
    filter: {
      state?: DeliveryState;
      kind?: 'callback' | 'webhook';
      paymentId?: string;
      merchant?: string;
    } = {},
  ): Delivery[] {
    const isWanted = ({ state, owner, details }: DeliveryRecord): boolean =>
      (!filter.state || state === filter.state) &&
      (!filter.kind || details.kind === filter.kind) &&
      (!filter.paymentId || details.paymentId === filter.paymentId) &&
      (!filter.merchant || owner.name === filter.merchant);
    return [...this.store.all()].filter(isWanted).map((record) => record.view());
  }

  /** @throws NotKnownError */
  get(id: string): Delivery {
    return this.store.find(id).view();
  }

  /** Sends the same bytes again now, in any state, with the given corruptions. */
  async resend(id: string, ...corruptions: Corruption[]): Promise<DeliveryAttempt> {
    return this.attempt(this.store.find(id), corruptions);
  }

  /** Sends the same bytes this many more times, concurrently. */
  async duplicate(id: string, times = 1): Promise<DeliveryAttempt[]> {
    const record = this.store.find(id);
    return Promise.all(Array.from({ length: times }, () => this.attempt(record)));
  }

  /** Delays the next attempt until this many milliseconds from now. */
  delay(id: string, ms: number): void {
    const record = this.store.find(id);
    if (record.state !== 'waiting') return;
    this.scheduleNext(record, ms);
    this.note('delivery delayed', record, `${ms} ms, by hand`);
  }

  /** Cancels all further attempts. */
  drop(id: string): void {
    const record = this.store.find(id);
    record.next?.cancel();
    this.held.delete(record);
    if (record.state !== 'waiting') return;
    record.state = 'dropped';
    this.note('delivery dropped', record, 'by hand');
  }

  /** Delivers for one merchant, with retries and faults. */
  forOwner(owner: DeliveryOwner): MerchantDeliveries {
    return {
      send: (details, delayMs) => this.send(this.record(owner, details), delayMs),
      recordLost: (details) => this.lose(this.record(owner, details), 'scenario'),
    };
  }

  stop(): void {
    this.stopped = true;
    this.sender.stop();
  }

  private record(owner: DeliveryOwner, details: NewDelivery): DeliveryRecord {
    const createdAt = new Date(this.clock.now()).toISOString();
    const record = new DeliveryRecord(randomUUID(), owner, details, createdAt);
    this.store.add(record);
    return record;
  }

  private async send(record: DeliveryRecord, delayMs = 0): Promise<void> {
    const subject = subjectOf(record);
    if (this.faults.inject('lose', subject)) {
      this.lose(record, 'fault: lose');
      return;
    }
    const late = this.faults.inject('delay', subject);
    if (late || delayMs > 0) {
      this.scheduleNext(record, delayMs + (late?.ms ?? 0));
      this.note('delivery delayed', record, late ? 'fault: delay' : 'scenario');
      return;
    }
    const reordered = this.faults.inject('reorder', subject);
    if (reordered) {
      this.held.add(record);
      this.scheduleNext(record, reordered.ms!);
      this.note('delivery delayed', record, 'fault: reorder');
      return;
    }
    await this.attemptBySchedule(record);
    this.releaseHeld(record.owner);
  }

  private lose(record: DeliveryRecord, reason: string): void {
    record.state = 'lost';
    this.note('delivery lost', record, reason);
  }

  /** Adds a note to the journal about a delivery without an attempt. */
  private note(title: string, record: DeliveryRecord, reason: string): void {
    const { topic, paymentId = null, phone = null } = record.details;
    this.journal.note(title, {
      merchant: record.owner.name,
      deliveryId: record.id,
      paymentId,
      phone,
      detail: `${topic}, ${reason}`,
    });
  }

  private async attemptBySchedule(record: DeliveryRecord): Promise<void> {
    if (record.state !== 'waiting' || this.stopped) return;
    record.next = undefined;
    this.held.delete(record);
    const isFirst = record.scheduled++ === 0;
    const subject = subjectOf(record);
    const copies = isFirst ? (this.faults.inject('duplicate', subject)?.times ?? 0) : 0;
    await Promise.all(Array.from({ length: 1 + copies }, () => this.attempt(record)));
    if (isFirst) this.replay(record, subject);
    // The type checker still expects `waiting`, but the attempt or a person may have changed the state.
    if ((record.state as DeliveryState) !== 'waiting') return;
    const retryDelay = this.settings.deliveryRetries[record.scheduled - 1];
    if (retryDelay !== undefined) {
      this.scheduleNext(record, retryDelay);
      return;
    }
    record.state = 'given-up';
    this.note('delivery given up', record, `${record.scheduled} attempts`);
  }

  private scheduleNext(record: DeliveryRecord, ms: number): void {
    record.next?.cancel();
    record.next = this.clock.schedule(ms, () => void this.attemptBySchedule(record));
  }

  private releaseHeld(owner: DeliveryOwner): void {
    for (const record of this.held) {
      if (record.owner !== owner) continue;
      this.held.delete(record);
      this.scheduleNext(record, 0);
    }
  }

  private replay(record: DeliveryRecord, subject: FaultSubject): void {
    const fault = this.faults.inject('replay', subject);
    if (!fault) return;
    if (fault.ms !== undefined) {
      this.clock.schedule(fault.ms, () => void this.attempt(record));
      return;
    }
    const old = this.store.pickReplayable(record.owner, this.faults.choose('replay'));
    if (old) void this.attempt(old);
  }

  /** Sends one POST. Faults of the bytes are drawn for each attempt, so a retry can arrive undamaged. */
  private async attempt(
    record: DeliveryRecord,
    requested: readonly Corruption[] = [],
  ): Promise<DeliveryAttempt> {
    const { details } = record;
    const subject = subjectOf(record);
    const corruptions = CORRUPTIONS.filter(
      (kind) => requested.includes(kind) || this.faults.inject(kind, subject),
    );
    const { headers, body } = writeDelivery(record.bytes, record.owner.apiKey, corruptions);
    const number = ++record.attempted;
    const started = performance.now();
    const at = new Date(this.clock.now()).toISOString();
    const done = this.activity.begin();
    try {
      const { status, error } = await this.sender.post(details.url, headers, body);
      const attempt: DeliveryAttempt = { at, status, error, faults: corruptions };
      record.add(attempt);
      if (status !== null && status >= 200 && status < 300) this.markDelivered(record);
      const durationMs = Math.round(performance.now() - started);
      this.journal.attempt(() => ({
        merchant: record.owner.name,
        deliveryId: record.id,
        attempt: number,
        kind: details.kind,
        topic: details.topic,
        paymentId: details.paymentId ?? null,
        url: details.url,
        headers: maskHeaders(headers),
        body: maskBody(excerpt(body)),
        status,
        error,
        durationMs,
        faults: corruptions,
      }));
      return attempt;
    } finally {
      done();
    }
  }

  private markDelivered(record: DeliveryRecord): void {
    if (record.state === 'delivered') return;
    record.state = 'delivered';
    record.next?.cancel();
    this.store.addReplayable(record);
  }
}

function subjectOf({ owner, details }: DeliveryRecord): FaultSubject {
  const { kind, topic, phone, paymentId } = details;
  return {
    merchant: owner.name,
    delivery: kind,
    topic,
    ...(phone === undefined ? {} : { phone }),
    ...(paymentId === undefined ? {} : { paymentId }),
  };
}
