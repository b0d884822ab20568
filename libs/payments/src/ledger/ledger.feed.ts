import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { filter, fromEvent, Subject, type Observable } from 'rxjs';
import { ClosingSignal } from '../http/closing.signal.js';

/** What happens in this process, for those who wait in it. Other replicas look at the store. */
@Injectable()
export class LedgerFeed implements OnModuleDestroy {
  /** Something was committed that listeners are to hear. */
  readonly events$ = new Subject<void>();
  /** A delivery was stored. */
  readonly deliveries$ = new Subject<void>();
  /** A payment became due. */
  readonly due$ = new Subject<void>();
  /** Emits when the application closes, before its connections do. */
  readonly closing$: Observable<unknown>;
  private readonly changes$ = new Subject<string>();

  constructor(private readonly closing: ClosingSignal) {
    this.closing$ = fromEvent(closing.signal, 'abort');
  }

  /** Emits after each change of one payment that this process made. */
  changesOf(paymentId: string): Observable<unknown> {
    return this.changes$.pipe(filter((id) => id === paymentId));
  }

  /** Says what a commit changed. */
  committed({ paymentId, events }: { paymentId?: string; events: number }): void {
    if (paymentId !== undefined) this.changes$.next(paymentId);
    if (events > 0) this.events$.next();
  }

  async onModuleDestroy(): Promise<void> {
    this.closing.close();
    // Express waits seconds for open streams unless they have had a moment to end.
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
