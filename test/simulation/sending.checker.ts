import type { OperationRecord } from '../../libs/payments/src/operations/operation-forms.js';
import type { Call } from './host.calls.js';
import type { CreateArrival } from './platform.truth.js';
import type { ReplicaAccount } from './replica.account.js';
import type { Simulation } from './history.simulation.js';

/** The default of `sendBeforeMs`, plus one second for the answer of the store. */
const SEND_BEFORE_MS = 61_000;

/** The library waits at least this long before it repeats a create, whatever `Retry-After` says. */
const LEAST_WAIT_MS = 1_000;

/** Checks that creates are sent once, in time, and only during a call of the host or after its commit. */
export class SendingChecker {
  /** The time when the platform answered 429, by process and idempotency key. */
  private readonly askedToWait = new Map<string, number>();

  constructor(private readonly simulation: Simulation) {}

  /** The simulation calls this when a process writes a create to the socket. */
  createSent(replica: ReplicaAccount, key: string): void {
    const { simulation } = this;
    this.inTime(replica, key);
    simulation.moneyOut.sent(replica, key);
    simulation.processes.permissions.sent(replica, key);
    const living = simulation.hosts.calls.filter(
      (call) => call.key === key && call.state === 'running' && call.replica === replica,
    );
    const transaction = simulation.hosts.transactions.get(key);
    // An operation that was recorded in a transaction is sent in the background, whatever calls run.
    for (const { begunAt } of living)
      if (key.startsWith('b')) simulation.processes.pauses.bareSent(simulation, key, begunAt);
    const [call] = transaction?.state === 'committed' ? [] : living;
    if (call && living.length === 1) call.sent = true;
    const asked = simulation.hosts.calls.some((call) => call.key === key);
    if (transaction && !(asked && transaction.state !== 'committed')) {
      if (transaction.state !== 'committed' && living.length === 0) {
        simulation.violate(
          'sent without a commit',
          `${replica.name} sends ${key}, whose host transaction is ${transaction.state}`,
        );
      }
      return;
    }
    if (living.length === 0) {
      const ended = simulation.hosts.calls
        .filter((call) => call.key === key)
        .map(({ state }) => state);
      simulation.violate(
        'sent without a running request',
        `${replica.name} sends ${key} while no request() for that key runs there (calls: ${ended.join(', ')})`,
      );
    }
  }

  /** A create is not sent after its deadline, and not sooner than `Retry-After` allows. */
  private inTime(replica: ReplicaAccount, key: string): void {
    const { simulation } = this;
    const { now } = simulation.scheduler;
    const known = simulation.observer.knownOf(key);
    const since = known?.approvedAt ?? known?.record?.createdAt.getTime() ?? now;
    if (now > since + SEND_BEFORE_MS) {
      simulation.violate(
        'sent late',
        `${replica.name} sends ${key} ${now - since} ms after it was recorded or approved`,
      );
    }
    const asked = this.askedToWait.get(`${replica.name} ${key}`);
    if (asked !== undefined && now - asked < LEAST_WAIT_MS)
      simulation.violate(
        'Retry-After ignored',
        `${replica.name} sends ${key} again ${now - asked} ms after a 429`,
      );
  }

  rateLimited(replica: ReplicaAccount, key: string): void {
    this.askedToWait.set(`${replica.name} ${key}`, this.simulation.scheduler.now);
  }

  /** The simulation calls this when an operation was recorded or has changed. */
  changed(record: OperationRecord): void {
    const { idempotencyKey: key, state } = record;
    const { reason } = record as { reason?: string | null };
    const { arrivals } = this.simulation.platform;
    const isCharged = arrivals.some((arrival) => arrival.key === key && arrival.couldCharge);
    if (state === 'failed' && reason === 'not_sent' && isCharged)
      this.simulation.violate('not sent but received', `${key} failed as not_sent`);
  }

  createArrived({ key }: CreateArrival): void {
    const { simulation } = this;
    const known = simulation.observer.knownOf(key)?.record;
    if (known) this.changed(known);
    const count = simulation.platform.arrivals.filter(
      (arrival) => arrival.key === key && arrival.couldCharge,
    ).length;
    if (count > 1)
      simulation.violate('second create', `the platform received ${count} creates for key ${key}`);
  }

  /** An error after sending must have the outcome `unknown`. Otherwise the host would ask again with another key. */
  callFailed(call: Call, error: unknown): void {
    if (!call.sent || (error as { outcome?: unknown }).outcome === 'unknown') return;
    const { arrivals } = this.simulation.platform;
    if (arrivals.some(({ key, couldCharge }) => key === call.key && couldCharge)) {
      this.simulation.violate(
        'error after sending',
        `request() of ${call.key} threw ${String(error)} after its create was sent`,
      );
    }
  }
}
