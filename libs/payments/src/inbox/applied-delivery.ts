import type { ArrivingDelivery } from '../ledger/arriving-delivery.js';
import type { ClaimedDelivery, DeliveryRecord } from '../store/deliveries.store.js';

/** A delivery that is being applied: it is claimed, or it is not stored yet. */
export type AppliedDelivery =
  (ClaimedDelivery & { arriving?: undefined }) | (DeliveryRecord & { arriving: ArrivingDelivery });
