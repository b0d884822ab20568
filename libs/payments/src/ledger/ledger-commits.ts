import { Injectable } from '@nestjs/common';
import { KnownAccounts } from '../work/known-accounts.js';
import { accountAttributes } from '../work/telemetry/account-attributes.js';
import { METRICS } from '../work/telemetry/metrics-list.js';
import { count, record } from '../work/telemetry/metrics.js';
import { ATTRIBUTE } from '../work/telemetry/telemetry-names.js';
import { currentTraceparent } from '../work/telemetry/trace-parent.js';
import { KnownRecords } from './known-records.js';
import { LedgerSignals } from './ledger-signals.js';
import {
  LedgerStore,
  type Committed,
  type CommitWithDelivery,
  type LedgerChange,
} from '../store/ledger.store.js';
import type { NewDelivery } from '../store/new-delivery.js';
import type { NewEvent } from '../store/new-event.js';
import type { Operation } from '../store/operation.js';
import { isSettled } from './operation-states.js';
import { OwnCalls } from '../store/own-calls.js';

/** A change, and the operation as it is after it. */
export interface PreparedChange<O extends Operation = Operation> {
  change: LedgerChange;
  /** @param at the time of the change; absent when it changes no operation */
  after?: (at: Date) => O;
}

/** Writes a change that may claim calls. `committed` is null when it was refused. */
type Commit<T> = (change: LedgerChange) => Promise<{ committed: Committed | null; result: T }>;

/** Commits changes of the ledger, and passes them on inside this process: to watchers, and to the listeners of their events. */
@Injectable()
export class LedgerCommits {
  constructor(
    private readonly store: LedgerStore,
    private readonly records: KnownRecords,
    private readonly signals: LedgerSignals,
    private readonly calls: OwnCalls,
    private readonly accounts: KnownAccounts,
  ) {}

  /** Resolves with null when the change was refused. */
  async commit(prepared: PreparedChange): Promise<Committed | null> {
    return this.during(prepared, async (change) => {
      const committed = await this.store.commit(change);
      return { committed, result: committed };
    });
  }

  /** See `LedgerStore.commitWithDelivery`. */
  async commitWithDelivery(
    prepared: PreparedChange,
    delivery: NewDelivery,
    leaseMs: number,
  ): Promise<CommitWithDelivery> {
    return this.during(prepared, async (change) => {
      const result = await this.store.commitWithDelivery(change, delivery, leaseMs);
      return { committed: result.kind === 'committed' ? result : null, result };
    });
  }

  /** Who needs the records of the change meanwhile can wait for the end of the commit. */
  private during<T>(prepared: PreparedChange, commit: Commit<T>): Promise<T> {
    const result = this.made(prepared, commit);
    this.records.during(
      prepared.change,
      result.catch(() => undefined),
    );
    return result;
  }

  private async made<T>({ change, after }: PreparedChange, commit: Commit<T>): Promise<T> {
    const { account, operation } = change;
    const events = traced(change.events);
    const claim = this.calls.claimOf(account, events);
    let committed: Committed | null = null;
    try {
      const made = await commit({ ...change, events, ...(claim && { claim }) });
      ({ committed } = made);
      return made.result;
    } finally {
      // After a failure, too, the records may have changed.
      const changed = committed && after?.(committed.at);
      if (changed) this.measure(change, changed);
      if (committed) this.records.learn(change, committed.at, changed || undefined);
      else this.records.forget(change);
      if (committed && operation)
        this.signals.changes$.next({ account, id: operation.id, dueInMs: operation.dueInMs });
      this.calls.written(account, events, committed?.calls ?? [], claim);
    }
  }

  /** Measures a change that settles its operation. */
  private measure({ account, history }: LedgerChange, operation: Operation): void {
    const { kind, state, reason, cause, createdAt, updatedAt } = operation;
    const entry = history.find(({ what }) => what === 'state');
    if (!entry || !isSettled(state)) return;
    const attributes = {
      [ATTRIBUTE.operationKind]: kind,
      [ATTRIBUTE.operationState]: state,
      ...accountAttributes(this.accounts, account),
    };
    record(METRICS.timeToOutcome, updatedAt.getTime() - createdAt.getTime(), attributes);
    count(METRICS.outcomes, {
      ...attributes,
      [ATTRIBUTE.operationReason]: reason ?? cause ?? '',
      [ATTRIBUTE.via]: entry.via,
    });
  }
}

/** Events with the span in which they are committed, so that their listener calls can be found from it. */
function traced(events: readonly NewEvent[]): readonly NewEvent[] {
  if (events.length === 0) return events;
  const traceparent = currentTraceparent();
  return traceparent === undefined ? events : events.map((event) => ({ ...event, traceparent }));
}
