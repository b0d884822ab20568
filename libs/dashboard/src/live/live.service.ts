import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import type { PaymentsAccount } from '@tillkit/payments';
import { SafeLogger } from '@tillkit/payments/internal/routes';
import { PageError } from '../web/page.errors.js';
import { LiveStream } from './live-stream.js';
import { LiveWatch } from './live-watch.js';
import { WORDS } from '../words/english.words.js';

/** Open live pages of a process. Each holds a connection. */
const MOST_VIEWERS = 200;

/** The live pages of a process: one watch for each account of which a page is open. */
@Injectable()
export class LiveService implements OnModuleDestroy {
  private readonly logger = new SafeLogger();
  private readonly watches = new Set<LiveWatch>();
  private viewers = 0;
  private isClosed = false;

  onModuleDestroy(): void {
    this.isClosed = true;
    for (const watch of this.watches) watch.end();
    this.watches.clear();
  }

  /** What stands for the present content of the pages of an account; empty when nobody watches it. */
  versionOf(account: PaymentsAccount): string {
    return this.watchOf(account)?.version ?? '';
  }

  /**
   * Makes room for one more viewer of an account: if there is none, a viewer of the account that has the most goes, unless this one has as many.
   * @throws PageError 503 while there are too many viewers, or at shutdown
   */
  makeRoom(account: PaymentsAccount): void {
    if (this.isClosed) throw new PageError(503, WORDS.errors.tooManyViewers);
    if (this.viewers < MOST_VIEWERS) return;
    const [largest] = [...this.watches].toSorted((one, other) => other.size - one.size);
    if (largest && largest.size > (this.watchOf(account)?.size ?? 0) + 1) {
      largest.endOldest();
      return;
    }
    this.logger.seldom(
      'warn',
      'viewers',
      `${MOST_VIEWERS} pages of the dashboard are open: further ones are not live until some are closed`,
    );
    throw new PageError(503, WORDS.errors.tooManyViewers);
  }

  /** Keeps a response open and tells it what changes. */
  open(account: PaymentsAccount, response: object): void {
    const watch = this.watchOf(account) ?? this.newWatch(account);
    this.viewers += 1;
    const stream = new LiveStream(response, () => {
      this.viewers -= 1;
      watch.remove(stream);
      if (watch.isEmpty) this.watches.delete(watch);
    });
    watch.add(stream);
  }

  private watchOf(account: PaymentsAccount): LiveWatch | undefined {
    return [...this.watches].find((watch) => watch.isOf(account));
  }

  private newWatch(account: PaymentsAccount): LiveWatch {
    const watch = new LiveWatch(account);
    this.watches.add(watch);
    return watch;
  }
}
