import { Injectable } from '@nestjs/common';
import {
  distinctUntilChanged,
  firstValueFrom,
  Observable,
  Subject,
  type Subscriber,
  takeUntil,
} from 'rxjs';
import { StoreUnavailableError } from '../payments.errors.js';
import { type CancelTimer, Runtime, SECOND } from '../runtime/clock.js';
import { ATTRIBUTE } from '../runtime/telemetry/metrics-list.js';
import type { SpanOf } from '../runtime/telemetry/spans.js';
import type { Operation, OperationKey } from '../store/operation.js';
import { OperationsStore } from '../store/operations.store.js';
import { LedgerSignals } from './ledger-commits.js';
import { hasPlatformId, OperationReader } from './operation-evidence.service.js';

const WATCHING = {
  /** When other replicas may change operations, all watched ones are read this often. */
  everyMs: 500,
  mostInQuery: 1_000,
  firstRetryMs: 250,
  longestRetryMs: 5 * SECOND,
} as const;

/** One watched operation, and who watches it. */
interface Watched<O> {
  readonly key: OperationKey;
  readonly watchers: Set<Subscriber<O | null>>;
}

/**
 * Reads the operations that somebody in this process watches: all of them together, one query at a time, however many watchers
 * there are. A change that this process commits is read at once. When other processes may change operations, one timer of the
 * process reads all. Nothing runs while nobody watches.
 */
@Injectable()
export class WatchedOperations<O extends Operation = Operation> {
  private readonly watched = new Map<string, Watched<O>>();
  /** The next query reads these. */
  private readonly due = new Set<Watched<O>>();
  private isReading = false;
  private failures = 0;
  private cancelNext: CancelTimer | null = null;

  constructor(
    private readonly operations: OperationsStore<O>,
    private readonly signals: LedgerSignals,
    private readonly reader: OperationReader<O>,
    private readonly runtime: Runtime,
  ) {
    this.signals.changes$.subscribe((key) => this.changed(key));
  }

  /**
   * Emits the operation now and after each change; null when the store has none with this id. Completes when the application closes. An unavailable
   * store is no error: the stream goes on when it is available again.
   */
  watch(key: OperationKey): Observable<O | null> {
    return new Observable<O | null>((watcher) => {
      const watched = this.watched.get(textOf(key)) ?? { key, watchers: new Set() };
      this.watched.set(textOf(key), watched);
      watched.watchers.add(watcher);
      this.due.add(watched);
      // After a failure the timer reads, so that many new watchers do not add load to a failing store.
      if (this.failures === 0) void this.read();
      return () => this.leave(watched, watcher);
    }).pipe(
      distinctUntilChanged((one, other) => one?.version === other?.version),
      takeUntil(this.signals.shutdown$),
    );
  }

  /** Reads an operation from the platform now, for who watches it; as it is, while its id there is not known. */
  async check(operation: O): Promise<O> {
    return hasPlatformId(operation) ? this.reader.read(operation, 'overdue') : operation;
  }

  /** Returns the first value of a stream; null when it ends without one, or has none in time. */
  async firstOf<T>(
    values$: Observable<T>,
    timeoutMs: number,
  ): Promise<{ first: T | null; waitedMs: number }> {
    const startedAt = this.runtime.elapsed();
    const late$ = new Subject<void>();
    const cancel = this.runtime.timer(timeoutMs, () => late$.next());
    const inTime$ = values$.pipe(takeUntil(late$));
    const first = await firstValueFrom(inTime$, { defaultValue: null }).finally(cancel);
    return { first, waitedMs: Math.round(this.runtime.elapsed() - startedAt) };
  }

  private leave(watched: Watched<O>, watcher: Subscriber<O | null>): void {
    watched.watchers.delete(watcher);
    if (watched.watchers.size > 0) return;
    this.watched.delete(textOf(watched.key));
    this.due.delete(watched);
    if (this.watched.size > 0) return;
    this.cancelNext?.();
    // No timer reads any more, so the next watcher must.
    this.failures = 0;
  }

  private changed(key: OperationKey): void {
    const watched = this.watched.get(textOf(key));
    if (!watched) return;
    this.due.add(watched);
    void this.read();
  }

  /** Reads what is due until nothing is. All changes during a query cause one more query. */
  private async read(): Promise<void> {
    if (this.isReading) return;
    this.isReading = true;
    this.cancelNext?.();
    // Watchers that come in the same turn of the event loop share the query.
    await Promise.resolve();
    try {
      while (this.due.size > 0) await this.readSome();
      this.failures = 0;
    } catch {
      this.failures += 1;
    }
    this.isReading = false;
    this.readLater();
  }

  /** Reads operations of one account. @throws StoreUnavailableError; then they stay due */
  private async readSome(most: number = WATCHING.mostInQuery): Promise<void> {
    const [first] = this.due;
    const { account } = first!.key;
    const batch = [...this.due].filter(({ key }) => key.account === account).slice(0, most);
    // A watcher that comes during the query gets the next one: this one may not see what it already knows.
    const asked = batch.map((watched) => ({ watched, watchers: [...watched.watchers] }));
    for (const watched of batch) this.due.delete(watched);
    try {
      const ids = batch.map(({ key }) => key.id);
      const found = await this.operations.findMany(account, ids);
      for (const { watched, watchers } of asked) {
        for (const watcher of watchers) watcher.next(found.get(watched.key.id) ?? null);
      }
    } catch (error) {
      const [only, ...others] = asked;
      if (!(error instanceof StoreUnavailableError) && others.length === 0) {
        for (const watcher of only!.watchers) watcher.error(error);
        return;
      }
      for (const watched of batch) if (watched.watchers.size > 0) this.due.add(watched);
      if (error instanceof StoreUnavailableError) throw error;
      // One id may be the cause. Its watchers get the error, the others are read.
      for (const _ of batch) if (this.due.size > 0) await this.readSome(1);
    }
  }

  private readLater(): void {
    if (this.watched.size === 0) this.failures = 0;
    else if (this.failures > 0) {
      const doubled = WATCHING.firstRetryMs * 2 ** Math.min(this.failures, 10);
      const waitMs = Math.min(WATCHING.longestRetryMs, doubled);
      this.cancelNext = this.runtime.timer(waitMs, () => void this.read());
    } else if (this.operations.shared) {
      this.cancelNext = this.runtime.timer(WATCHING.everyMs, () => {
        for (const watched of this.watched.values()) this.due.add(watched);
        void this.read();
      });
    }
  }
}

function textOf({ account, id }: OperationKey): string {
  return `${account}\n${id}`;
}

/** Returns the span of background work on an operation. It is a trace of its own, linked with the request: days may be between them. */
export function spanOf(
  { account, id, kind, state, traceparent }: Operation,
  work: 'reconcile' | 'follow',
): SpanOf {
  return {
    name: `${work} ${kind}`,
    kind: 'internal',
    trace: 'alone',
    links: [traceparent],
    attributes: {
      [ATTRIBUTE.account]: account,
      [ATTRIBUTE.operationId]: id,
      [ATTRIBUTE.operationKind]: kind,
      [ATTRIBUTE.operationState]: state,
    },
  };
}
