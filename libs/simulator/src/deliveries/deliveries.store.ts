import { NotKnownError } from '../simulator.errors.js';
import type { DeliveryOwner, DeliveryRecord } from './delivery.record.js';

/** The fault `replay` chooses from this many delivered deliveries of at most this size in bytes. */
const MAX_REPLAYABLE = 200;
const MAX_REPLAYABLE_BYTES = 1024 * 1024;

/** The maximum total size of the kept bodies: a polling result can have many megabytes. */
const BYTES_KEPT = 64 * 1024 * 1024;

/** The latest deliveries. Removing the oldest does not cancel its next attempt. */
export class DeliveriesStore {
  private readonly records = new Map<string, DeliveryRecord>();
  private readonly replayable: DeliveryRecord[] = [];
  private keptBytes = 0;

  constructor(private readonly size: number) {}

  add(record: DeliveryRecord): void {
    this.records.set(record.id, record);
    this.keptBytes += record.bytes.length;
    while (this.records.size > this.size || this.keptBytes > BYTES_KEPT) {
      const [oldest] = this.records.values();
      if (!oldest) return;
      this.records.delete(oldest.id);
      this.keptBytes -= oldest.bytes.length;
    }
  }

  /** Adds a delivered delivery to those that the fault `replay` chooses from. */
  addReplayable(record: DeliveryRecord): void {
    if (record.bytes.length > MAX_REPLAYABLE_BYTES) return;
    this.replayable.push(record);
    if (this.replayable.length > MAX_REPLAYABLE) this.replayable.shift();
  }

  /** Returns a delivery of the same merchant to replay. @param fraction its place among them, from 0 (the oldest) up to 1. */
  pickReplayable(owner: DeliveryOwner, fraction: number): DeliveryRecord | undefined {
    const replayable = this.replayable.filter((record) => record.owner === owner);
    return replayable[Math.floor(fraction * replayable.length)];
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
