import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { fromEvent, Subject, type Observable } from 'rxjs';
import { STREAMS_END_MS } from '../work/backoff.js';
import { Runtime } from '../work/runtime.js';
import { ShutdownSignal } from '../work/shutdown-signal.js';
import type { OperationKey } from '../store/operation.js';

/** Signals between the parts of one process. Other replicas learn of changes by polling the store. */
@Injectable()
export class LedgerSignals implements OnModuleDestroy {
  /** This process changed an operation, which is due in `dueInMs` milliseconds if the change says so. */
  readonly changes$ = new Subject<OperationKey & { dueInMs?: number | null | undefined }>();
  /** A delivery was stored. */
  readonly deliveries$ = new Subject<void>();
  /** An operation became due. */
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
