import { randomUUID } from 'node:crypto';
import type { PaymentsAccount } from '@tillkit/payments';
import type { LiveMessage } from './live-message.js';
import type { LiveStream } from './live-stream.js';

/**
 * The time between two looks at the store. After a slow look we wait longer, so that looks use a connection for at most a tenth of the
 * time.
 */
const LOOK_EVERY_MS = 2_000;
const COST_FACTOR = 10;

/** A change becomes visible after the commit of the host's transaction, which may be this long after it was written. */
const WITHIN_MS = 60_000;

/** When a look finds this many changes, we do not list them, and any page may have changed. */
const MOST_CHANGES = 50;

/** The result of one look at the store. */
interface Look {
  keys: ReadonlySet<string>;
  /** The counts of waiting work, as JSON. Listener calls and deliveries come and go without an event. */
  waiting: string;
}

/** Looks at the store for all viewers of an account in this process, while there are any. It also sees the changes of other processes. */
export class LiveWatch {
  private readonly viewers = new Set<LiveStream>();
  /** The id makes a version unique, so that another process or a later watch never has the same one. */
  private readonly id = randomUUID();
  private changes = 0;
  private last: Look | null = null;
  private isFailing = false;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly account: PaymentsAccount) {
    void this.look();
  }

  isOf({ store, name }: PaymentsAccount): boolean {
    return this.account.store === store && this.account.name === name;
  }

  get version(): string {
    return `${this.id} ${this.changes}`;
  }

  get size(): number {
    return this.viewers.size;
  }

  get isEmpty(): boolean {
    return this.size === 0;
  }

  add(viewer: LiveStream): void {
    this.viewers.add(viewer);
    // Viewers that came before the first look get a message from that look.
    if (this.last) viewer.send(this.message(null));
  }

  remove(viewer: LiveStream): void {
    this.viewers.delete(viewer);
    if (this.isEmpty) this.stop();
  }

  endOldest(): void {
    const [oldest] = this.viewers;
    if (oldest === undefined) return;
    this.viewers.delete(oldest);
    oldest.end();
  }

  end(): void {
    this.stop();
    for (const viewer of this.viewers) viewer.end();
  }

  private stop(): void {
    clearTimeout(this.timer);
  }

  private async look(): Promise<void> {
    const startedAt = performance.now();
    try {
      await this.compare();
    } catch {
      // The failing pages themselves write the error to the log.
      if (!this.isFailing) this.tell({ ...this.message([]), live: false });
      this.isFailing = true;
    }
    if (this.isEmpty) return;
    const waitMs = Math.max(LOOK_EVERY_MS, COST_FACTOR * (performance.now() - startedAt));
    this.timer = setTimeout(() => void this.look(), waitMs);
    this.timer.unref();
  }

  private async compare(): Promise<void> {
    const { store, name } = this.account;
    const changes = await store.statistics.recentChanges(name, WITHIN_MS, MOST_CHANGES);
    const {
      oldestDeliveryMs: _,
      oldestCallMs: _age,
      ...waiting
    } = await store.statistics.backlog(name);
    const before = this.last;
    this.last = {
      keys: new Set(changes.map(({ key }) => key)),
      waiting: JSON.stringify(waiting),
    };
    const wasFailing = this.isFailing;
    this.isFailing = false;
    if (!before) return this.tell(this.message(null));
    const fresh = changes.filter(({ key }) => !before.keys.has(key));
    if (fresh.length > 0 || before.waiting !== this.last.waiting) {
      this.changes += 1;
      const about = new Set(fresh.flatMap((change) => change.about ?? []));
      this.tell(this.message(fresh.length < MOST_CHANGES ? [...about] : null));
    } else if (wasFailing) this.tell(this.message([]));
  }

  private message(about: LiveMessage['about']): LiveMessage {
    return { version: this.version, about, live: true };
  }

  private tell(message: LiveMessage): void {
    for (const viewer of this.viewers) viewer.send(message);
  }
}
