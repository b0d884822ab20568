import { randomUUID } from 'node:crypto';
import type { ActivityTracker } from '../clock/activity.service.js';
import type { SimulatedClock } from '../clock/clock.service.js';
import type { Faults, FaultSubject } from '../faults/faults.service.js';
import { excerpt, maskBody, maskHeaders } from '../journal/journal-masking.service.js';
import type { Journal } from '../journal/journal.service.js';
import type { SimulatorSettings } from '../simulator.options.js';
import { CORRUPTIONS, writeDelivery, type Corruption } from './delivery-corruption.service.js';
import {
  DeliveryRecord,
  type Delivery,
  type DeliveryAttempt,
  type DeliveryOrder,
  type DeliveryState,
} from './delivery.record.js';
import { DeliveriesStore } from './deliveries.store.js';
import type { DeliverySender } from './delivery-sender.service.js';

/**
 * What the platform sends to the application: signed, repeated until the application accepts it, and subject to faults.
 *
 * @publicApi
 */
export class Deliveries {
  private readonly shelf: DeliveriesStore;
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
    this.shelf = new DeliveriesStore(settings.deliveriesKept);
  }

  /** The deliveries that are kept, oldest first. */
  list(
    filter: { state?: DeliveryState; kind?: 'callback' | 'webhook'; paymentId?: string } = {},
  ): Delivery[] {
    const found: Delivery[] = [];
    for (const record of this.shelf.all()) {
      if (filter.state && record.state !== filter.state) continue;
      if (filter.kind && record.order.kind !== filter.kind) continue;
      if (filter.paymentId && record.order.paymentId !== filter.paymentId) continue;
      found.push(record.view());
    }
    return found;
  }

  /** @throws NotKnownError */
  get(id: string): Delivery {
    return this.shelf.find(id).view();
  }

  /** Sends the same bytes again now, whatever has become of them; on request damaged. */
  async resend(id: string, ...corruptions: Corruption[]): Promise<DeliveryAttempt> {
    return this.attempt(this.shelf.find(id), corruptions);
  }

  /** Sends the same bytes so many times more, all at once. */
  async duplicate(id: string, times = 1): Promise<DeliveryAttempt[]> {
    const record = this.shelf.find(id);
    return Promise.all(Array.from({ length: times }, () => this.attempt(record)));
  }

  /** Puts the next attempt off by so many milliseconds from now. */
  delay(id: string, ms: number): void {
    const record = this.shelf.find(id);
    if (record.state !== 'waiting') return;
    this.scheduleNext(record, ms);
    this.note('delivery put off', record, `${ms} ms, by hand`);
  }

  /** Sends it no more. */
  drop(id: string): void {
    const record = this.shelf.find(id);
    record.next?.cancel();
    this.held.delete(record);
    if (record.state !== 'waiting') return;
    record.state = 'dropped';
    this.note('delivery dropped', record, 'by hand');
  }

  /**
   * Delivers as the schedule and the faults will have it.
   *
   * @returns when the first attempt is over, or put off.
   */
  async send(order: DeliveryOrder, delayMs = 0): Promise<void> {
    const record = new DeliveryRecord(
      randomUUID(),
      order,
      new Date(this.clock.now()).toISOString(),
    );
    this.shelf.keep(record);
    const subject = subjectOf(order);
    if (this.faults.strike('lose', subject)) {
      this.lose(record, 'fault: lose');
      return;
    }
    const late = this.faults.strike('delay', subject);
    if (late || delayMs > 0) {
      this.scheduleNext(record, delayMs + (late?.ms ?? 0));
      this.note('delivery put off', record, late ? 'fault: delay' : 'scenario');
      return;
    }
    const reordered = this.faults.strike('reorder', subject);
    if (reordered) {
      this.held.add(record);
      this.scheduleNext(record, reordered.ms!);
      this.note('delivery put off', record, 'fault: reorder');
      return;
    }
    await this.attemptBySchedule(record);
    this.releaseHeld();
  }

  /** Notes a delivery that a scenario never makes, so that it can still be looked at and sent by hand. */
  sendNever(order: DeliveryOrder): void {
    const record = new DeliveryRecord(
      randomUUID(),
      order,
      new Date(this.clock.now()).toISOString(),
    );
    this.shelf.keep(record);
    this.lose(record, 'scenario');
  }

  stop(): void {
    this.stopped = true;
    this.sender.stop();
  }

  private lose(record: DeliveryRecord, why: string): void {
    record.state = 'lost';
    this.note('delivery lost', record, why);
  }

  /** What the journal would not see: deliveries that are not attempted. */
  private note(what: string, record: DeliveryRecord, why: string): void {
    const { topic, paymentId = null, phone = null } = record.order;
    this.journal.happening(what, {
      deliveryId: record.id,
      paymentId,
      phone,
      detail: `${topic}, ${why}`,
    });
  }

  private async attemptBySchedule(record: DeliveryRecord): Promise<void> {
    if (record.state !== 'waiting' || this.stopped) return;
    record.next = undefined;
    this.held.delete(record);
    const isFirst = record.scheduled++ === 0;
    const subject = subjectOf(record.order);
    const copies = isFirst ? (this.faults.strike('duplicate', subject)?.times ?? 0) : 0;
    await Promise.all(Array.from({ length: 1 + copies }, () => this.attempt(record)));
    if (isFirst) this.replay(record, subject);
    // Read anew: the attempt may have changed it, or somebody dropped it meanwhile.
    if ((record.state as DeliveryState) !== 'waiting') return;
    const pause = this.settings.deliveryRetries[record.scheduled - 1];
    if (pause !== undefined) {
      this.scheduleNext(record, pause);
      return;
    }
    record.state = 'given-up';
    this.note('delivery given up', record, `${record.scheduled} attempts`);
  }

  private scheduleNext(record: DeliveryRecord, ms: number): void {
    record.next?.cancel();
    record.next = this.clock.schedule(ms, () => void this.attemptBySchedule(record));
  }

  private releaseHeld(): void {
    for (const record of this.held) {
      this.held.delete(record);
      this.scheduleNext(record, 0);
    }
  }

  private replay(record: DeliveryRecord, subject: FaultSubject): void {
    const fault = this.faults.strike('replay', subject);
    if (!fault) return;
    if (fault.ms !== undefined) {
      this.clock.schedule(fault.ms, () => void this.attempt(record));
      return;
    }
    const old = this.shelf.pickDelivered(this.faults.choose('replay'));
    if (old) void this.attempt(old);
  }

  /** One POST. Byte faults are drawn anew at each, so that a repetition can arrive whole. */
  private async attempt(
    record: DeliveryRecord,
    wanted: readonly Corruption[] = [],
  ): Promise<DeliveryAttempt> {
    const { order } = record;
    const subject = subjectOf(order);
    const corruptions = CORRUPTIONS.filter(
      (kind) => wanted.includes(kind) || this.faults.strike(kind, subject),
    );
    const { headers, body } = writeDelivery(record.bytes, this.settings.apiKey, corruptions);
    const number = ++record.attempted;
    const started = performance.now();
    const at = new Date(this.clock.now()).toISOString();
    const done = this.activity.begin();
    try {
      const { status, error } = await this.sender.post(order.url, headers, body);
      const attempt: DeliveryAttempt = { at, status, error, faults: corruptions };
      record.add(attempt);
      if (status !== null && status >= 200 && status < 300) this.arrived(record);
      const durationMs = Math.round(performance.now() - started);
      this.journal.attempt(() => ({
        deliveryId: record.id,
        attempt: number,
        kind: order.kind,
        topic: order.topic,
        paymentId: order.paymentId ?? null,
        url: order.url,
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

  private arrived(record: DeliveryRecord): void {
    if (record.state === 'delivered') return;
    record.state = 'delivered';
    record.next?.cancel();
    this.shelf.keepDelivered(record);
  }
}

function subjectOf({ kind, topic, phone, paymentId }: Omit<DeliveryOrder, 'body'>): FaultSubject {
  return {
    delivery: kind,
    topic,
    ...(phone === undefined ? {} : { phone }),
    ...(paymentId === undefined ? {} : { paymentId }),
  };
}
