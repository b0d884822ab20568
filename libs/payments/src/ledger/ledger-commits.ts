import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { fromEvent, type Observable, Subject } from 'rxjs';
import { accountAttributes, AccountRegistry } from '../accounts/account-registry.js';
import { Runtime } from '../runtime/clock.js';
import { ShutdownSignal } from '../runtime/shutdown-signal.js';
import { ATTRIBUTE, METRICS } from '../runtime/telemetry/metrics-list.js';
import { count, record } from '../runtime/telemetry/metrics.js';
import { currentTraceparent } from '../runtime/telemetry/spans.js';
import type { NewDelivery } from '../store/deliveries.store.js';
import {
  type Committed,
  type CommitWithDelivery,
  type LedgerChange,
  LedgerStore,
  LocalCalls,
} from '../store/ledger.store.js';
import type { NewEvent } from '../store/new-event.js';
import type { Operation, OperationKey } from '../store/operation.js';
import { RecentRecords } from './recent-records.js';
import { isSettled } from './operation-states.js';

/** At the end of the application: open streams need a moment to end, else Express waits seconds for them. */
const STREAMS_END_MS = 5;

/** Signals between the parts of one process. Other replicas learn of changes by polling the store. */
@Injectable()
export class LedgerSignals implements OnModuleDestroy {
  /** Emits each operation that this process changed. The operation is due in `dueInMs` milliseconds if the change says so. */
  readonly changes$ = new Subject<OperationKey & { dueInMs?: number | null | undefined }>();
  /** A delivery was stored. */
  readonly deliveries$ = new Subject<void>();
  /** Emits when an operation became due. */
  readonly due$ = new Subject<void>();
  /** Emits when the application closes, before its connections do. */
  readonly shutdown$: Observable<unknown>;

  constructor(
    private readonly shutdown: ShutdownSignal,
    private readonly runtime: Runtime,
  ) {
    this.shutdown$ = fromEvent(shutdown.signal, 'abort');
  }

  /** The application closes: ends the waits of all. */
  close(): void {
    this.shutdown.close();
  }

  async onModuleDestroy(): Promise<void> {
    this.close();
    await this.runtime.pause(STREAMS_END_MS);
  }
}

/** The operation after a change, by the time of the change. Absent when it changes no operation. */
type After = ((at: Date) => Operation) | undefined;

/** Writes a change that may claim calls. `committed` is null when it was refused. */
type Commit<T> = (change: LedgerChange) => Promise<{ committed: Committed | null; result: T }>;

/** Commits changes of the ledger, and passes them on inside this process: to watchers, and to the listeners of their events. */
@Injectable()
export class LedgerCommits {
  constructor(
    private readonly store: LedgerStore,
    private readonly records: RecentRecords,
    private readonly signals: LedgerSignals,
    private readonly calls: LocalCalls,
    private readonly accounts: AccountRegistry,
  ) {}

  /** Resolves with null when the change was refused. */
  async commit(decided: LedgerChange, after?: After): Promise<Committed | null> {
    return this.during(decided, after, async (change) => {
      const committed = await this.store.commit(change);
      return { committed, result: committed };
    });
  }

  /** See `LedgerStore.commitWithDelivery`. */
  async commitWithDelivery(
    decided: LedgerChange,
    after: After,
    delivery: NewDelivery,
    leaseMs: number,
  ): Promise<CommitWithDelivery> {
    return this.during(decided, after, async (change) => {
      const result = await this.store.commitWithDelivery(change, delivery, leaseMs);
      return { committed: result.kind === 'committed' ? result : null, result };
    });
  }

  /** A caller that needs the records of the change meanwhile can wait for the end of the commit. */
  private during<T>(change: LedgerChange, after: After, commit: Commit<T>): Promise<T> {
    const result = this.made(change, after, commit);
    this.records.during(
      change,
      result.catch(() => undefined),
    );
    return result;
  }

  private async made<T>(change: LedgerChange, after: After, commit: Commit<T>): Promise<T> {
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
      else this.records.delete(change);
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

/** Returns events with the span in which they are committed, so that their listener calls can be found from it. */
function traced(events: readonly NewEvent[]): readonly NewEvent[] {
  if (events.length === 0) return events;
  const traceparent = currentTraceparent();
  return traceparent === undefined ? events : events.map((event) => ({ ...event, traceparent }));
}
