import type { Operation } from '../store/operation.js';
import { OVERDUE_WORK } from '../work/backoff.js';
import { Recent } from '../work/recent.js';
import type { Runtime } from '../work/runtime.js';

/** Operations whose read has failed: the first failure is repeated soon, because money at a till may wait for the answer. */
export class FailedReads {
  private readonly failed: Recent<true>;

  constructor(runtime: Pick<Runtime, 'elapsed'>) {
    this.failed = new Recent(runtime);
  }

  /** Milliseconds until a read that has failed is repeated: `laterMs` when it failed in the last ten minutes too. */
  againInMs<Later extends number | null>(
    { account, id }: Pick<Operation, 'account' | 'id'>,
    laterMs: Later,
  ): number | Later {
    const name = `${account} ${id}`;
    const isFirst = this.failed.get(name) === null;
    this.failed.put(name, true);
    return isFirst ? OVERDUE_WORK.firstRetryMs : laterMs;
  }
}
