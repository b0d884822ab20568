import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { SENDING } from '../runtime/backoff.js';
import { Runtime } from '../runtime/runtime.js';
import { SafeLogger } from '../runtime/safe.logger.js';
import { ShutdownSignal } from '../runtime/shutdown.signal.js';
import { logFieldsOf, type Operation, type OperationKey, type Sending } from './operation.js';
import { OperationsStore } from './operations.store.js';

interface Attempt {
  key: OperationKey;
  /** When its time to send is over, in `Runtime.elapsed()`. */
  overAt: number;
}

/**
 * Attempts of this process that have sent nothing and never will, because the store did not say in time whether their operations were
 * recorded. If they were, they are `requested`, and only this process knows that nothing was sent. A repeat with the same key takes
 * the attempt over. Without a repeat, the operation fails as `not_sent` when its time to be sent is over.
 */
@Injectable()
export class AbandonedAttempts<O extends Operation = Operation> implements OnModuleDestroy {
  private readonly logger = new SafeLogger();
  /** By sender. */
  private readonly attempts = new Map<string, Attempt>();
  private running: Promise<void> | null = null;

  constructor(
    private readonly operations: OperationsStore<O>,
    private readonly shutdown: ShutdownSignal,
    private readonly runtime: Runtime,
  ) {}

  /** @param fail fails an operation as `not_sent` */
  add(
    { account, id }: OperationKey,
    { sender }: Sending,
    sendBeforeMs: number,
    fail: (operation: O) => Promise<unknown>,
  ): void {
    const overAt = this.runtime.elapsed() + sendBeforeMs;
    this.attempts.set(sender, { key: { account, id }, overAt });
    this.running ??= this.run(fail);
  }

  /** Whether an operation belongs to such an attempt. */
  has({ state, sender }: O): boolean {
    return state === 'requested' && sender !== null && this.attempts.has(sender);
  }

  /** The same, and takes the attempt over. Then its caller is the only one that may send it. */
  take(operation: O): boolean {
    return this.has(operation) && this.attempts.delete(operation.sender as string);
  }

  async onModuleDestroy(): Promise<void> {
    this.shutdown.close();
    while (this.running) await this.running;
  }

  /** One read of the store serves all attempts, also while the store is away. */
  private async run(fail: (operation: O) => Promise<unknown>): Promise<void> {
    while (this.attempts.size > 0) {
      const open = await this.shutdown.pause(SENDING.failAbandonedEveryMs);
      // Nobody can take over an attempt of a process that ends.
      const over = this.over(open ? this.runtime.elapsed() : Number.POSITIVE_INFINITY);
      try {
        for (const [account, senders] of over) await this.failAll(account, senders, fail);
      } catch {
        this.forgetOld();
      }
      if (!open) break;
    }
    // At once: an attempt that is added a moment later must not rely on this run.
    this.running = null;
  }

  /** The attempts whose time is over, by account. */
  private over(now: number): Map<string, Map<string, string>> {
    const over = new Map<string, Map<string, string>>();
    for (const [sender, { key, overAt }] of this.attempts) {
      if (now < overAt) continue;
      const senders = over.get(key.account) ?? new Map<string, string>();
      over.set(key.account, senders.set(sender, key.id));
    }
    return over;
  }

  private async failAll(
    account: string,
    senders: ReadonlyMap<string, string>,
    fail: (operation: O) => Promise<unknown>,
  ): Promise<void> {
    const found = await this.operations.findMany(account, [...senders.values()]);
    for (const [sender, id] of senders) {
      // A repeat may have taken it during the read.
      const attempt = this.attempts.get(sender);
      if (!attempt) continue;
      this.attempts.delete(sender);
      const operation = found.get(id);
      if (operation?.sender !== sender) continue;
      try {
        await fail(operation);
      } catch (error) {
        this.attempts.set(sender, attempt);
        throw error;
      }
    }
  }

  private forgetOld(): void {
    const now = this.runtime.elapsed();
    for (const [sender, { key, overAt }] of this.attempts) {
      if (now < overAt + SENDING.keepNotSentMs) continue;
      this.attempts.delete(sender);
      this.logger.error(
        'an operation was not sent, and this could not be stored',
        logFieldsOf(key),
      );
    }
  }
}
