import {
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
  type OnModuleInit,
} from '@nestjs/common';
import { ClosingSignal } from '../http/closing.signal.js';
import { retryWhileStoreIsAway } from '../http/retry.js';
import { LedgerFeed } from '../ledger/ledger.feed.js';
import {
  PaymentsStore,
  type ClaimOutcome,
  type DeadLetter,
  type ListenerCall,
  type UnheardListener,
} from '../ledger/payments.store.js';
import { RESOLVED_OPTIONS } from '../payments.constants.js';
import { PaymentsValidationError } from '../payments.errors.js';
import type { ResolvedPaymentsOptions } from '../payments.options.js';
import { Runtime, type CancelTimer } from '../runtime/runtime.js';
import { EmitterListener } from './emitter.listener.js';
import { revivePayload } from './event.revival.js';
import { ListenersExplorer, type Listener } from './listeners.explorer.js';
import { WorkLoop } from './work.loop.js';

/** How often other replicas' events are looked for. */
const IDLE_MS = 500;

/** A call that could be taken for so long, and that nobody took, waits for a listener that no process has. */
const UNHEARD_AFTER_MS = 10 * 60_000;

/** How long it is tried to write what became of a call. Its claim is prolonged meanwhile, where the store lets it. */
const ACKNOWLEDGE_FOR_MS = 10 * 60_000;

/** What is kept of a listener's error. */
const MAX_ERROR_LENGTH = 500;

/** Calls the host's listeners, each on its own, until each has succeeded or is a dead letter. */
@Injectable()
export class EventDispatcher implements OnModuleInit, OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger('Tillkit');
  private readonly listeners = new Map<string, Listener>();
  /** What this process works on, each with its newest claim. */
  private readonly active = new Map<string, ListenerCall>();
  private readonly loop: WorkLoop<ListenerCall>;
  private stopRenewing: CancelTimer | null = null;

  constructor(
    private readonly store: PaymentsStore,
    feed: LedgerFeed,
    private readonly closing: ClosingSignal,
    private readonly explorer: ListenersExplorer,
    private readonly emitter: EmitterListener,
    @Inject(RESOLVED_OPTIONS) private readonly options: ResolvedPaymentsOptions,
    private readonly runtime: Runtime,
  ) {
    const { account, listeners } = options;
    this.loop = new WorkLoop<ListenerCall>({
      runtime,
      name: 'events',
      concurrency: listeners.concurrency,
      idleMs: IDLE_MS,
      news: feed.events$,
      chained: true,
      claim: (limit) => {
        const room = this.room();
        return store.claimCalls(account, [...room.keys()], limit, listeners.leaseMs, [
          ...room.values(),
        ]);
      },
      work: (call) => this.call(call),
    });
  }

  /** Before anything of this process can emit an event: what nobody is registered for is kept for nobody. */
  async onModuleInit(): Promise<void> {
    const { account } = this.options;
    const found = [...this.explorer.listenersOf(account), ...this.emitter.listeners()];
    for (const listener of found) this.listeners.set(keyOf(listener.id, listener.event), listener);
    await this.store.init();
    await this.store.registerListeners(
      account,
      found.map(({ event, id }) => ({ event, listener: id })),
    );
    await this.tellUnheard();
  }

  onApplicationBootstrap(): void {
    if (!this.options.background) return;
    if (this.listeners.size === 0) {
      this.logger.warn(
        `account ${this.options.account} has no @OnPaymentEvent listener: nobody hears when a payment succeeds`,
      );
      return;
    }
    this.renewLater();
    this.loop.start();
  }

  async onModuleDestroy(): Promise<void> {
    this.closing.close();
    await this.loop.stop();
    this.stopRenewing?.();
  }

  /**
   * Forgets a listener that was removed from the code, or has another id now: no more events are kept for it, and its
   * calls that wait or are dead are dropped. To be called once no process has it any more.
   * @param id as it was remembered: `Class.method`, or its own `id`
   * @returns how many calls were dropped
   * @throws PaymentsValidationError when this process has that listener
   */
  async forgetListener(id: string): Promise<number> {
    if ([...this.listeners.values()].some((listener) => listener.id === id)) {
      throw new PaymentsValidationError([
        {
          field: 'id',
          problem: `is "${id}", which listens in this process: remove it from the code first`,
        },
      ]);
    }
    return this.store.forgetListener(this.options.account, id);
  }

  /**
   * Listeners whose events wait and which no process seems to have: nobody took a call of theirs for ten minutes. They
   * were removed, or have another id now, or their process does not run.
   */
  async unheardListeners(): Promise<UnheardListener[]> {
    const waiting = await this.store.unheardListeners(this.options.account, UNHEARD_AFTER_MS);
    // A process that works on nothing calls none of its listeners.
    const called = this.options.background ? [...this.listeners.values()] : [];
    const own = new Set(called.map(({ id }) => id));
    return waiting.filter(({ listener }) => !own.has(listener));
  }

  /** Listener calls that are not repeated by themselves any more. */
  deadLetters(limit = 100): Promise<DeadLetter[]> {
    return this.store.deadLetters(this.options.account, limit);
  }

  /** Calls dead letters again, one by its id or all; resolves with how many. */
  async replayDeadLetters(id?: string): Promise<number> {
    const count = await this.store.replayDeadLetters(this.options.account, id);
    if (count > 0) this.loop.wake();
    return count;
  }

  /** It is told and no more: nothing is wrong with this process when it cannot be. */
  private async tellUnheard(): Promise<void> {
    for (const { listener, calls } of await this.unheardListeners().catch(() => [])) {
      this.logger.warn(
        `${calls} events wait for the listener ${listener}, which no process of account ${this.options.account} has: ` +
          `start one that has it, or, if it was removed for good, call forgetListener('${listener}')`,
      );
    }
  }

  /** How many more calls each listener may take: one that hangs must leave room for the others. */
  private room(): Map<string, number> {
    const ids = new Set([...this.listeners.values()].map(({ id }) => id));
    const most = Math.max(1, Math.ceil(this.options.listeners.concurrency / Math.min(2, ids.size)));
    const busy = new Map<string, number>();
    for (const { listener } of this.active.values())
      busy.set(listener, (busy.get(listener) ?? 0) + 1);
    const room = [...ids].map((id) => [id, most - (busy.get(id) ?? 0)] as const);
    return new Map(room.filter(([, calls]) => calls > 0));
  }

  private async call(call: ListenerCall): Promise<void> {
    // While the store was away a claim may have ended, and this process has taken its own call once more.
    const isRunning = this.active.has(call.id);
    this.active.set(call.id, call);
    if (isRunning) return;
    try {
      await this.acknowledge(call, await this.outcomeOf(call));
    } finally {
      this.active.delete(call.id);
    }
  }

  /** Keeps trying while the store is away: a listener that succeeded is called again only if this process dies. */
  private async acknowledge(call: ListenerCall, outcome: ClaimOutcome): Promise<void> {
    const finish = async (failures: number): Promise<void> => {
      const acknowledged = await this.store.finishCall(this.active.get(call.id) ?? call, outcome);
      // After a lost answer, the second attempt finds what the first one has done.
      if (!acknowledged && failures === 0)
        this.logger.warn(`${describe(call)} was taken over by another replica while it ran`);
    };
    await retryWhileStoreIsAway(this.closing, this.runtime, ACKNOWLEDGE_FOR_MS, finish);
  }

  private async outcomeOf(call: ListenerCall): Promise<ClaimOutcome> {
    const listener = this.listeners.get(keyOf(call.listener, call.event));
    // A process of another version may have it; where none has, a dead letter says so.
    if (!listener) return this.failed(call, `this process has no such listener of ${call.event}`);
    const { timeoutMs } = this.options.listeners;
    let isCalled = false;
    try {
      if (listener.ready) {
        const late = (): Error => new Error(`it was not ready in ${timeoutMs} ms`);
        await this.runtime.inTime(listener.ready(), timeoutMs, late);
      }
      isCalled = true;
      await this.runtime.inTime(
        listener.call(revivePayload(call.payload)),
        timeoutMs,
        () => new Error(`it did not end in ${timeoutMs} ms`),
      );
      return { kind: 'done' };
    } catch (error) {
      if (listener.once && isCalled) {
        this.logger.error(
          `an @OnEvent('${call.event}') listener failed and is not called again`,
          error instanceof Error ? error.stack : String(error),
        );
        return { kind: 'done' };
      }
      return this.failed(
        call,
        (error instanceof Error ? error.message : String(error)).slice(0, MAX_ERROR_LENGTH),
      );
    }
  }

  private failed(call: ListenerCall, error: string): ClaimOutcome {
    const wait = this.options.listeners.retryScheduleMs[call.attempts - 1];
    if (wait === undefined) {
      this.logger.error(
        `${describe(call)} failed ${call.attempts} times and is a dead letter: ${error}`,
      );
      return { kind: 'given_up', error };
    }
    this.logger.warn(
      `${describe(call)} failed, attempt ${call.attempts}, and will be repeated: ${error}`,
    );
    return { kind: 'retry', inMs: this.runtime.jittered(wait), error };
  }

  private renewLater(): void {
    const everyMs = this.options.listeners.leaseMs / 3;
    this.stopRenewing = this.runtime.timer(
      everyMs,
      () => {
        void this.renew();
        this.renewLater();
      },
      { background: true },
    );
  }

  /** Prolongs the claims of listeners that take long, so that no other replica calls them meanwhile. */
  private async renew(): Promise<void> {
    if (this.active.size === 0) return;
    try {
      await this.store.renewCalls([...this.active.values()], this.options.listeners.leaseMs);
    } catch (error) {
      this.logger.warn(`claims of listeners could not be prolonged: ${String(error)}`);
    }
  }
}

function keyOf(listener: string, event: string): string {
  return `${listener} ${event}`;
}

function describe({ listener, event, eventId }: ListenerCall): string {
  return `listener ${listener} of ${event} (event ${eventId})`;
}
