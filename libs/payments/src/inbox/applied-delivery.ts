import type { ArrivingDelivery } from '../ledger/arriving-delivery.js';
import type { ClaimedDelivery } from '../store/deliveries.store.js';

/** A delivery that is being applied: it is claimed, or it is not stored yet. */
export type AppliedDelivery =
  | (ClaimedDelivery & { arriving?: undefined })
  | (Pick<ClaimedDelivery, 'account' | 'id' | 'verifiedBy' | 'ageMs'> & {
      arriving: ArrivingDelivery;
    });
