import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { filter, fromEvent, Subject, type Observable } from 'rxjs';
import { STREAMS_END_MS } from '../runtime/backoff.js';
import { Runtime } from '../runtime/runtime.js';
import { ShutdownSignal } from '../runtime/shutdown.signal.js';

/** Signals between the parts of one process. Other replicas learn of changes by polling the store. */
@Injectable()
export class LedgerSignals implements OnModuleDestroy {
  /** Events were committed. */
  readonly events$ = new Subject<void>();
  /** A delivery was stored. */
  readonly deliveries$ = new Subject<void>();
  /** An operation became due. */
  readonly due$ = new Subject<void>();
  /** Emits when the application closes, before its connections do. */
  readonly shutdown$: Observable<unknown>;
  private readonly changes$ = new Subject<string>();

  constructor(
    private readonly shutdown: ShutdownSignal,
    private readonly runtime: Runtime,
  ) {
    this.shutdown$ = fromEvent(shutdown.signal, 'abort');
  }

  /** Emits after each change that this process makes to one operation. */
  changesOf(operationId: string): Observable<unknown> {
    return this.changes$.pipe(filter((id) => id === operationId));
  }

  /** Signals a commit. */
  committed({ operationId, events }: { operationId?: string; events: number }): void {
    if (operationId !== undefined) this.changes$.next(operationId);
    if (events > 0) this.events$.next();
  }

  async onModuleDestroy(): Promise<void> {
    this.shutdown.close();
    await this.runtime.pause(STREAMS_END_MS);
  }
}
