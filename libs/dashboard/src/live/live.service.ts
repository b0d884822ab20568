import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import type { PaymentsAccount } from '@tillkit/payments';
import { SafeLogger } from '@tillkit/payments/internal/routes';
import { PageError } from '../web/page.errors.js';
import { LiveStream } from './live-stream.js';
import { LiveWatch } from './live-watch.js';
import { WORDS } from '../words/english.words.js';

/** The most live pages of a process. Each holds a connection. */
const MOST_VIEWERS = 200;

/** The live pages of a process. Each account with an open page has one watch. */
@Injectable()
export class LiveService implements OnModuleDestroy {
  private readonly logger = new SafeLogger();
  private readonly watches = new Set<LiveWatch>();
  /** The open streams, the oldest first, and the person of each. */
  private readonly viewers = new Map<LiveStream, string>();
  private isClosed = false;

  onModuleDestroy(): void {
    this.isClosed = true;
    for (const watch of this.watches) watch.end();
    this.watches.clear();
  }

  /** Returns the version of the present content of the pages of an account; empty when nobody watches the account. */
  versionOf(account: PaymentsAccount): string {
    return this.watchOf(account)?.version ?? '';
  }

  /**
   * Makes room for one more viewer. When there is none, it ends a page of the person who has the most, else one of the account that has the
   * most, but none when this person or account has as many.
   * @param person the viewer: others keep their pages, however many somebody opens
   * @throws PageError 503 while there are too many viewers, or at shutdown
   */
  makeRoom(account: PaymentsAccount, person: string): void {
    if (this.isClosed) throw new PageError(503, WORDS.errors.tooManyViewers);
    if (this.viewers.size < MOST_VIEWERS || this.endOneOfAnother(person)) return;
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

  /** Ends the oldest page of the person who has the most, unless this person has as many. Returns true when it has ended one. */
  private endOneOfAnother(person: string): boolean {
    const pages = new Map<string, LiveStream[]>();
    for (const [stream, viewer] of this.viewers)
      pages.set(viewer, [...(pages.get(viewer) ?? []), stream]);
    const [most = []] = [...pages.values()].toSorted((one, other) => other.length - one.length);
    const [oldest] = most;
    if (!oldest || most.length <= (pages.get(person)?.length ?? 0) + 1) return false;
    this.viewers.delete(oldest);
    oldest.end();
    return true;
  }

  /** Keeps a response open and sends the changes to it. */
  open(account: PaymentsAccount, person: string, response: object): void {
    const watch = this.watchOf(account) ?? this.newWatch(account);
    const stream = new LiveStream(response, () => {
      this.viewers.delete(stream);
      watch.remove(stream);
      if (watch.isEmpty) this.watches.delete(watch);
    });
    this.viewers.set(stream, person);
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
