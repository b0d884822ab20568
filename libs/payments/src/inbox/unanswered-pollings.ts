import { Injectable, type OnModuleInit } from '@nestjs/common';
import { LedgerCommits } from '../ledger/ledger-commits.js';
import { BackgroundRequests } from '../platform/background-requests.js';
import { BareRequests } from '../platform/bare-requests.js';
import { getResource } from '../platform/resource-requests.js';
import { Resources } from '../platform/resources.js';
import { type Polling, POLLING } from '../platform/resources/polling.service.js';
import { MINUTE, SECOND } from '../runtime/clock.js';
import { errorText, SafeLogger } from '../runtime/logging.js';
import { ShutdownSignal } from '../runtime/shutdown-signal.js';
import { EventsStore } from '../store/events.store.js';
import { hasFinalStatus } from './bare-results.service.js';
import { deliveryEvent } from './deliveries.service.js';

/** Waits before the reads of a result that does not come. */
const WAITS_MS = [30 * SECOND, 2 * MINUTE, 10 * MINUTE];

/**
 * Reads the results of the host's pollings that do not come: a large one is refused by the limit of a proxy, or by ours, each time. A process
 * that ends forgets its pollings: no money waits for them, and `PollingService.get(id)` reads them at any time.
 */
@Injectable()
export class UnansweredPollings implements OnModuleInit {
  private readonly logger = new SafeLogger();

  constructor(
    private readonly bareRequests: BareRequests,
    private readonly commits: LedgerCommits,
    private readonly events: EventsStore,
    private readonly background: BackgroundRequests,
    private readonly resources: Resources,
    private readonly shutdown: ShutdownSignal,
  ) {}

  onModuleInit(): void {
    this.bareRequests.pollings$.subscribe(({ account, id }) => void this.read(account, id));
  }

  private async read(account: string, id: string): Promise<void> {
    let problem = 'it is not ready';
    for (const waitMs of WAITS_MS) {
      if (!(await this.shutdown.pause(waitMs))) return;
      try {
        if ((await this.events.list(account, id)).length > 0) return;
        const polling = await this.get(account, id);
        if (hasFinalStatus(polling)) return await this.commit(account, polling);
      } catch (error) {
        problem = errorText(error);
      }
    }
    this.logger.warn(
      `no result of polling ${id} came, and it could not be read (${problem}). It emits no polling.completed: read it with PollingService.get(id)`,
      { account },
    );
  }

  private get(account: string, id: string): Promise<Polling> {
    return this.background.run(account, 'confirmation', (permit) =>
      getResource(this.resources.resources(account, permit).client, POLLING, id),
    );
  }

  private async commit(account: string, polling: Polling): Promise<void> {
    const subject = { account, stream: polling.id, via: 'status' } as const;
    const event = deliveryEvent('polling.completed', subject, { polling });
    await this.commits.commit({ account, events: [event], history: [] });
    this.logger.warn(
      `no callback of polling ${polling.id} had come, so it was read. A callback that is larger than 1 MB, or than the limit of a proxy, is answered ` +
        '413 and never comes: nothing is to do then',
      { account },
    );
  }
}
