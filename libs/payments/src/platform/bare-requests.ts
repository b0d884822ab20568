import { Injectable } from '@nestjs/common';
import { BareRequestsStore, type BareRequest } from '../store/bare-requests.store.js';
import { SafeLogger } from '../work/safe-logger.js';

/** Stores bare requests for as long as a transaction may be matched, so that no transaction of a bare request is matched to a payment. */
@Injectable()
export class BareRequests {
  private readonly logger = new SafeLogger();

  constructor(private readonly bareRequestsStore: BareRequestsStore) {}

  /**
   * Stores a request before it is sent.
   * @throws StoreUnavailableError when it cannot be stored: then it must not be sent, because nobody would know whose its money is
   */
  remember(account: string, request: BareRequest): Promise<void> {
    return this.bareRequestsStore.keep(account, request);
  }

  /** Stores what became of a request. Never throws: the host must not repeat a request that was made, only because it could not be stored. */
  async keep(account: string, request: BareRequest): Promise<void> {
    try {
      await this.bareRequestsStore.keep(account, request);
    } catch (error) {
      this.logger.warn(
        `a bare request to ${request.resource} could not be stored: ${String(error)}`,
        { resourceId: request.id },
      );
    }
  }
}
