import type { HostTransaction } from '../../libs/payments/src/store/host-transaction.js';
import { PaymentsError } from '../../libs/payments/src/payments.errors.js';
import type { OperationRecord } from '../../libs/payments/src/operations/operation-forms.js';
import type { AfterError } from './history.plan.js';
import { HostTransactionModel, type SimulatedTransaction } from './host.transaction.js';
import type { ReplicaAccount } from './replica.account.js';
import type { Simulation } from './history.simulation.js';

/** One call of a host that may send a create. */
export interface Call {
  key: string;
  replica: ReplicaAccount;
  /** True when it has sent a create. */
  sent: boolean;
  state: 'running' | 'answered' | 'failed' | 'lost';
  begunAt: number;
}

/** A request of a host, under one key, or after an error under a new one. */
export interface Ask {
  kind: string;
  afterError: AfterError;
  request(replica: ReplicaAccount, key: string): Promise<unknown>;
  record(replica: ReplicaAccount, key: string, transaction: HostTransaction): Promise<unknown>;
}

const OPEN = new Set(['created', 'requested', 'pending', 'unknown', 'needs_review']);

/** A host asks this many times before it gives up. */
export const MAX_ASKS = 4;

/** The calls of hosts that may send something, and their transactions. */
export class HostCalls {
  readonly all: Call[] = [];
  /** Host transactions by idempotency key. An operation that was recorded in one is sent only after its commit. */
  readonly transactions = new Map<string, SimulatedTransaction>();
  private readonly onLost = new Map<ReplicaAccount, (() => void)[]>();

  constructor(private readonly simulation: Simulation) {}

  /** Returns the ids of operations that the host knows without an outcome, at most as many as a request may pass. */
  known(isInTheWay: (record: OperationRecord) => boolean): string[] {
    return [...this.simulation.observer.operations.values()]
      .flatMap(({ record }) => record ?? [])
      .filter((record) => OPEN.has(record.state) && isInTheWay(record))
      .map(({ id }) => id)
      .slice(0, 20);
  }

  lost(replica: ReplicaAccount): void {
    for (const call of this.all) {
      if (call.replica === replica && call.state === 'running') {
        call.state = 'lost';
        if (call.sent) this.simulation.reached('crash between sending and answer');
      }
    }
    const waiting = this.onLost.get(replica) ?? [];
    this.onLost.delete(replica);
    for (const next of waiting) next();
  }

  /** Rolls back the transactions that are still open. */
  endTransactions(): void {
    for (const transaction of this.transactions.values()) {
      if (transaction.state === 'open') transaction.rollback();
    }
  }

  /** Makes one call that may send something for a key. */
  make(
    key: string,
    replica: ReplicaAccount,
    what: string,
    run: () => Promise<unknown>,
    { failed, lost }: { failed?: (error: unknown) => void; lost?: () => void } = {},
  ): void {
    const { simulation } = this;
    const { scheduler } = simulation;
    const call: Call = {
      key,
      replica,
      sent: false,
      state: 'running',
      begunAt: scheduler.now,
    };
    this.all.push(call);
    if (lost)
      this.whenLost(replica, () => {
        if (call.state === 'lost') lost();
      });
    scheduler.park(replica, `HOST ${what} ${key} at ${replica.name}`, () => {
      run().then(
        (answer: unknown) => {
          call.state = 'answered';
          simulation.crossTalk.answered(`the answer to ${key}`, answer);
        },
        (error: unknown) => {
          call.state = 'failed';
          const code = error instanceof PaymentsError ? error.code : String(error);
          scheduler.note(`HOST ${what} ${key} ended in ${code}`);
          simulation.reached(`HOST ${what} refused: ${code}`);
          simulation.checker.sending.callFailed(call, error);
          simulation.crossTalk.refused(call, error);
          failed?.(error);
        },
      );
    });
  }

  /** Calls `request()`, and again after an error if the plan says so. */
  request(ask: Ask, key: string, asked: number): void {
    const { simulation } = this;
    const { scheduler } = simulation;
    const name = simulation.nthOf(`ask ${key}`);
    const chance = simulation.chanceOf(name);
    const replica = simulation.someReplica(chance);
    const again = (): void => {
      if (asked >= MAX_ASKS || ask.afterError === 'nothing') return;
      const next = ask.afterError === 'new key' ? `${key}'` : key;
      if (ask.afterError === 'new key') simulation.reached('new idempotency key after an error');
      scheduler.after(chance.duration(50, 40_000), null, `HOST asks again ${next}`, () =>
        this.request(ask, next, asked + 1),
      );
    };
    if (!replica) {
      scheduler.after(1_000, null, `HOST finds no replica for ${key}`, again);
      return;
    }
    const run = (): Promise<unknown> => ask.request(replica, key);
    this.make(key, replica, 'requests', run, { failed: again, lost: again });
  }

  record(name: string, ask: Ask, key: string, end: string, openMs: number): void {
    const { simulation } = this;
    const { scheduler } = simulation;
    const replica = simulation.someReplica(simulation.chanceOf(name));
    if (!replica || this.transactions.has(key)) return;
    const transaction =
      simulation.processes.backend?.transaction(simulation, key) ?? new HostTransactionModel();
    this.transactions.set(key, transaction);
    this.whenLost(replica, () => {
      if (transaction.state === 'open') transaction.rollback();
    });
    scheduler.park(replica, `HOST records ${key} at ${replica.name}`, () => {
      ask.record(replica, key, transaction).then(
        () => {
          if (end === 'leave open') {
            simulation.reached('host transaction left open');
            return;
          }
          scheduler.after(openMs, replica, `HOST ${end} of ${key}`, () => {
            if (end === 'rollback' || transaction.state !== 'open') {
              transaction.rollback();
              simulation.reached('host transaction rolled back');
              return;
            }
            void transaction.commit(simulation).then((done) => {
              simulation.reached(done ? 'host transaction committed' : 'host transaction refused');
              return simulation.observer.recordingVisible(key, ask.kind);
            });
          });
        },
        () => transaction.rollback(),
      );
    });
  }

  private whenLost(replica: ReplicaAccount, next: () => void): void {
    const waiting = this.onLost.get(replica) ?? [];
    waiting.push(next);
    this.onLost.set(replica, waiting);
  }
}
