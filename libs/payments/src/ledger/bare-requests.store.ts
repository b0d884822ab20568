import type { BareRequest } from '../resources/bare-requests.js';
import type { CandidateQuery } from './operations.store.js';

/** Store of the host's bare requests. Every method may throw `StoreUnavailableError`. */
export abstract class BareRequestsStore {
  /**
   * Stores a request for 31 days: as long as a transaction may be matched. A second write merges: a known platform id stays,
   * and `money: null` stays, because the writer may not know what another process has stored meanwhile.
   */
  abstract keep(account: string, request: BareRequest): Promise<void>;
  abstract find(
    account: string,
    resource: BareRequest['resource'],
    id: string,
  ): Promise<BareRequest | null>;
  /** Requests that may own a transaction, 10 at most; see `OperationsStore.findCandidates`. */
  abstract findCandidates(account: string, query: CandidateQuery): Promise<BareRequest[]>;
}
