import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { BackgroundRequests } from '../work/background-requests.js';
import { KnownAccounts } from '../work/known-accounts.js';
import { accountAttributes } from '../work/telemetry/account-attributes.js';
import { METRICS } from '../work/telemetry/metrics-list.js';
import { observe, type Measured } from '../work/telemetry/metrics.js';
import { ATTRIBUTE } from '../work/telemetry/telemetry-names.js';
import { QUEUES, type QueueLength } from '../store/statistics.store.js';
import { WaitingWorkService } from './waiting-work.service.js';

const { backlog, backlogAge, storeUp, circuitsOpen, pauses: paused } = METRICS;

/** Exports what waits in the store, which circuits are open and what is paused, whenever an SDK collects metrics. */
@Injectable()
export class WorkGauges implements OnApplicationBootstrap, OnModuleDestroy {
  private stop: (() => void) | null = null;

  constructor(
    private readonly waitingWork: WaitingWorkService,
    private readonly background: BackgroundRequests,
    private readonly accounts: KnownAccounts,
  ) {}

  onApplicationBootstrap(): void {
    this.stop = observe([backlog, backlogAge, storeUp, circuitsOpen, paused], (measured) =>
      this.measure(measured),
    );
  }

  onModuleDestroy(): void {
    this.stop?.();
  }

  private async measure(measured: Measured): Promise<void> {
    measured(circuitsOpen, this.background.openCircuits().length);
    const { queues, pauses, isKnown } = await this.waitingWork.read();
    measured(storeUp, isKnown ? 1 : 0);
    if (!isKnown) return;
    measured(paused, pauses.length);
    for (const group of this.groupsOf(queues)) {
      for (const name of QUEUES) {
        const waiting = group.queues.filter(({ queue }) => queue === name);
        const attributes = { ...group.attributes, [ATTRIBUTE.queue]: name };
        const count = waiting.reduce((sum, queue) => sum + queue.count, 0);
        const oldestMs = waiting.reduce((oldest, queue) => Math.max(oldest, queue.oldestMs), 0);
        measured(backlog, count, attributes);
        measured(backlogAge, oldestMs / 1_000, attributes);
      }
    }
  }

  /** The queues of each account that has its own time series, and those of all others together. */
  private groupsOf(queues: readonly QueueLength[]) {
    const names = this.accounts.all().map(({ account }) => account);
    const own = names.filter((name) => ATTRIBUTE.account in accountAttributes(this.accounts, name));
    return [
      ...own.map((name) => ({
        attributes: accountAttributes(this.accounts, name),
        queues: queues.filter(({ account }) => account === name),
      })),
      { attributes: {}, queues: queues.filter(({ account }) => !own.includes(account)) },
    ];
  }
}
