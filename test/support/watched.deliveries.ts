import { MemoryStore, type PaymentsOptions } from '@tillkit/payments';
import type { DeliveryRecord } from '@tillkit/payments/types';
import type { LedgerChange } from '@tillkit/payments/internal/store';
import { altered } from './altered.store.js';

const ANY = { id: '', version: 0, set: {} };

/** A store whose clock a test can move. It remembers which deliveries were claimed. */
export class WatchedDeliveries {
  /** Ids of the deliveries that were claimed. */
  readonly claimed = new Set<string>();
  failing = false;
  offsetMs = 0;

  readonly store = altered(new MemoryStore(() => Date.now() + this.offsetMs), {
    deliveries: {
      store: (store) => async (delivery, leaseMs) => {
        const stored = await store(delivery, leaseMs);
        if (stored.claimed) this.claimed.add(delivery.id);
        return stored;
      },
      claim:
        (claim) =>
        async (...args) => {
          const claimed = await claim(...args);
          for (const { id } of claimed) this.claimed.add(id);
          return claimed;
        },
    },
    ledger: {
      commit: (commit) => async (change) => {
        this.assertWorking(change);
        return commit(change);
      },
      commitWithDelivery:
        (commit) =>
        async (change, ...args) => {
          this.assertWorking(change);
          return commit(change, ...args);
        },
    },
    operations: {
      findByPlatformId:
        (findByPlatformId) =>
        async (...args) => {
          this.assertWorking();
          return findByPlatformId(...args);
        },
    },
  });

  /** Changes of operations fail; events alone can be written. */
  private assertWorking({ operation }: Partial<LedgerChange> = { operation: ANY }): void {
    if (this.failing && operation) throw new Error('the index is broken');
  }

  /** Returns options of a merchant with this store, which sweeps nothing and reads the platform at once. */
  options(payments: PaymentsOptions = {}): PaymentsOptions {
    return {
      store: this.store,
      reconciliation: { sweepEveryMs: 0, requestsPerSecond: 1_000 },
      ...payments,
    };
  }

  /** Resolves with the first claimed delivery that fits, as soon as there is one. */
  async processed(fits: (delivery: DeliveryRecord) => boolean): Promise<DeliveryRecord> {
    for (;;) {
      for (const id of this.claimed) {
        const delivery = await this.store.deliveries.find('default', id);
        if (delivery && fits(delivery)) return delivery;
      }
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }
}
