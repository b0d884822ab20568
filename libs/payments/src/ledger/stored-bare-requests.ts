import { Injectable } from '@nestjs/common';
import { BareRequests, type BareRequest } from '../resources/bare-requests.js';
import { BareRequestsStore } from './bare-requests.store.js';
import { SafeLogger } from '../runtime/safe.logger.js';

/** Stores bare requests. After a request was sent, a failure of the store is only logged, because the request itself has succeeded. */
@Injectable()
export class StoredBareRequests extends BareRequests {
  private readonly logger = new SafeLogger();

  constructor(private readonly bareRequestsStore: BareRequestsStore) {
    super();
  }

  remember(account: string, request: BareRequest): Promise<void> {
    return this.bareRequestsStore.keep(account, request);
  }

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
