import { NotKnownError } from '../simulator.errors.js';
import type { DeliveryRecord } from './delivery.record.js';

/** The number of delivered ones that a replay chooses from, and their maximum size in bytes. */
const REPLAYABLE = 200;
const LARGEST_REPLAYED = 1024 * 1024;

/** The total size of kept bodies in bytes: a polling result can have many megabytes. */
const BYTES_KEPT = 64 * 1024 * 1024;

/** The kept deliveries. Removing the oldest does not cancel its next attempt. */
export class DeliveriesStore {
  private readonly records = new Map<string, DeliveryRecord>();
  private readonly delivered: DeliveryRecord[] = [];
  private keptBytes = 0;

  constructor(private readonly size: number) {}

  keep(record: DeliveryRecord): void {
    this.records.set(record.id, record);
    this.keptBytes += record.bytes.length;
    while (this.records.size > this.size || this.keptBytes > BYTES_KEPT) {
      const [oldest] = this.records.values();
      if (!oldest) return;
      this.records.delete(oldest.id);
      this.keptBytes -= oldest.bytes.length;
    }
  }

  /** Remembers one that arrived, to be replayed some day. */
  keepDelivered(record: DeliveryRecord): void {
    if (record.bytes.length > LARGEST_REPLAYED) return;
    this.delivered.push(record);
    if (this.delivered.length > REPLAYABLE) this.delivered.shift();
  }

  /** One of those that arrived. @param where from 0 (the oldest) up to 1. */
  pickDelivered(where: number): DeliveryRecord | undefined {
    return this.delivered[Math.floor(where * this.delivered.length)];
  }

  /** @throws NotKnownError */
  find(id: string): DeliveryRecord {
    const record = this.records.get(id);
    if (!record) throw new NotKnownError('delivery', id);
    return record;
  }

  all(): Iterable<DeliveryRecord> {
    return this.records.values();
  }
}
