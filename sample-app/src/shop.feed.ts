import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { filter, Subject, takeUntil, type Observable } from 'rxjs';

/** What changed in this shop, for the pages that are open. */
@Injectable()
export class ShopFeed implements OnModuleDestroy {
  /** Emits when the shop closes: an open stream would keep the server from closing. */
  readonly closing$ = new Subject<void>();
  private readonly orders$ = new Subject<string>();
  private readonly money$ = new Subject<void>();

  orderChanged(id: string): void {
    this.orders$.next(id);
  }

  tillChanged(): void {
    this.money$.next();
  }

  changesOfOrder(id: string): Observable<string> {
    return this.orders$.pipe(
      filter((changed) => changed === id),
      takeUntil(this.closing$),
    );
  }

  changesOfTill(): Observable<void> {
    return this.money$.pipe(takeUntil(this.closing$));
  }

  async onModuleDestroy(): Promise<void> {
    this.closing$.next();
    // Express waits seconds for streams that have not had a moment to end.
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
