import { Inject, Injectable, Logger } from '@nestjs/common';
import { RESOLVED_OPTIONS } from '../payments.constants.js';
import type { ResolvedPaymentsOptions } from '../payments.options.js';
import { BareRequests, type BareRequest } from '../resources/bare-requests.js';
import { PaymentsStore } from './payments.store.js';

@Injectable()
export class StoredBareRequests extends BareRequests {
  private readonly logger = new Logger('Tillkit');

  constructor(
    private readonly store: PaymentsStore,
    @Inject(RESOLVED_OPTIONS) private readonly options: ResolvedPaymentsOptions,
  ) {
    super();
  }

  async keep(request: BareRequest): Promise<void> {
    try {
      await this.store.init();
      await this.store.keepBareRequest(this.options.account, request);
    } catch (error) {
      this.logger.warn(
        `a request of your own to ${request.resource} could not be remembered: ${String(error)}`,
      );
    }
  }
}
