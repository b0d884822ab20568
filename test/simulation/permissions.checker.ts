import type { LedgerChange } from '../../libs/payments/src/store/ledger.store.js';
import type { RecordOptions } from '../../libs/payments/src/store/operations.store.js';
import type { Processes } from './history.processes.js';
import type { ReplicaAccount } from './replica.account.js';
import { accountIn, changeIn } from './store.observer.js';

/** A create is sent at most this long after the store has allowed it. */
const WITHIN_MS = 1_000;

/** Checks that each create is sent just after the store has allowed it, because somebody may pause sending. */
export class Permissions {
  /** The time when the store last allowed or refused a create, by process and account. */
  private readonly asked = new Map<string, number>();

  constructor(private readonly processes: Processes) {}

  /** The simulation calls this when a call of the store took effect, which is when it is answered. */
  stored(process: string, method: string, args: readonly unknown[]): void {
    const account = accountIn(args);
    if (account !== undefined && asksWhether(method, args))
      this.asked.set(`${process} ${account}`, this.processes.scheduler.now);
  }

  /** The simulation calls this when a process writes a create to the socket. */
  sent({ name, account }: ReplicaAccount, key: string): void {
    // The statements of a real database do not pass here.
    if (this.processes.backend) return;
    const { scheduler } = this.processes;
    const askedAt = this.asked.get(`${name} ${account}`) ?? Number.NEGATIVE_INFINITY;
    if (scheduler.now - askedAt > WITHIN_MS)
      this.processes.violate(
        'sent without permission',
        `${name} sends ${key} ${scheduler.now - askedAt} ms after it has asked whether it may`,
      );
  }
}

function asksWhether(method: string, args: readonly unknown[]): boolean {
  if (method === 'pauses.current') return true;
  if (method === 'operations.record') return (args[1] as RecordOptions).mark !== undefined;
  const change: LedgerChange | undefined = changeIn(method, args);
  return change?.operation?.set.state === 'requested';
}
