import { LedgerSignals } from '../ledger/ledger-signals.js';
import type { CurrentSettings } from '../work/payments.settings.js';
import { DeliveriesStore, type DeliveryRecord } from '../store/deliveries.store.js';
import { Concealed } from '../work/concealed.decorator.js';

/**
 * The stored deliveries of an account.
 * @example
 * const delivery = await deliveries.find(deliveryId); // of a delivery.unrecognised event
 * await deliveries.replay(deliveryId); // after an upgrade
 * @see docs/guide.md#deliveries
 * @publicApi
 */
@Concealed()
export class DeliveriesService {
  constructor(
    private readonly deliveriesStore: DeliveriesStore,
    private readonly signals: LedgerSignals,
    private readonly settings: CurrentSettings,
  ) {}

  /**
   * Reads a stored delivery and its state; null when there is none.
   * @throws StoreUnavailableError when the store does not answer
   */
  find(id: string): Promise<DeliveryRecord | null> {
    return this.deliveriesStore.find(this.settings.current.account, id);
  }

  /**
   * Processes a finished or unrecognised delivery again: after an upgrade, or when its payment exists now. What it already changed
   * is not changed twice, and no event is emitted twice.
   * @returns false when there is no such delivery, or it still waits
   * @throws StoreUnavailableError when the store does not answer
   */
  async replay(id: string): Promise<boolean> {
    const found = await this.deliveriesStore.reprocess(this.settings.current.account, id);
    if (found) this.signals.deliveries$.next();
    return found;
  }
}
