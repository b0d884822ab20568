import {
  Injectable,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
  type OnModuleInit,
} from '@nestjs/common';
import { LedgerSignals } from '../ledger/ledger.signals.js';
import { PaymentsAccounts } from '../payments.accounts.js';
import type { PaymentsSettings } from '../payments.settings.js';
import { LISTENER_WORK } from '../runtime/backoff.js';
import type { ClaimOutcome } from '../runtime/claim.js';
import { retryWhileStoreIsAway } from '../runtime/retry.js';
import { Runtime, type CancelTimer } from '../runtime/runtime.js';
import { ShutdownSignal } from '../runtime/shutdown.signal.js';
import { WorkLoop } from '../runtime/work.loop.js';
import { EmitterListener } from './emitter.listener.js';
import { revivePayload } from './event.payload.js';
import {
  EventsStore,
  type ListenerCall,
  type MissingListener,
  type WantedCalls,
} from './events.store.js';
import { ListenersExplorer, type Listener } from './listeners.explorer.js';
import { SafeLogger } from '../runtime/safe.logger.js';

/** Longest stored text of a listener's error. */
const MAX_ERROR_LENGTH = 500;

/** Calls each listener of the host on its own, until the call succeeds or becomes a dead letter. */
@Injectable()
export class EventDispatcher implements OnModuleInit, OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new SafeLogger();
  /** The listeners of each account, by id and event. */
  private readonly listeners = new Map<string, ReadonlyMap<string, Listener>>();
  private readonly ids = new Map<string, ReadonlySet<string>>();
  /** The calls that run in this process, each with its newest claim. */
  private readonly active = new Map<string, ListenerCall>();
  private readonly loop: WorkLoop<ListenerCall>;
  private stopRenewing: CancelTimer | null = null;

  constructor(
    private readonly eventsStore: EventsStore,
    signals: LedgerSignals,
    private readonly shutdown: ShutdownSignal,
    private readonly explorer: ListenersExplorer,
    private readonly emitter: EmitterListener,
    private readonly accounts: PaymentsAccounts,
    private readonly runtime: Runtime,
  ) {
    this.loop = new WorkLoop<ListenerCall>({
      runtime,
      name: 'events',
      accounts: () => this.working().map(({ account }) => account),
      concurrency: (account) => accounts.of(account).listeners.concurrency,
      idleMs: () => LISTENER_WORK.idleMs,
      wakeUps: signals.events$,
      chained: true,
      claim: (names, limit) =>
        eventsStore.claimCalls(this.wanted(names, limit), limit, this.leaseMs()),
      work: (call) => this.call(call),
    });
  }

  /** Registers the listeners before this process can emit an event: the store keeps events only for registered listeners. */
  async onModuleInit(): Promise<void> {
    await Promise.all(this.accounts.all().map((account) => this.register(account)));
  }

  onApplicationBootstrap(): void {
    for (const { account } of this.accounts.inBackground()) {
      if (this.listenerIds(account).size > 0) continue;
      this.logger.warn(
        `account ${account} has no @OnPaymentEvent listener: no listener receives payment.succeeded. ` +
          "Add @OnPaymentEvent('payment.succeeded') to a method of a provider",
      );
    }
    if (this.working().length === 0) return;
    this.renewLater();
    this.loop.start();
  }

  async onModuleDestroy(): Promise<void> {
    this.shutdown.close();
    await this.loop.stop();
    this.stopRenewing?.();
  }

  /** The ids of the listeners of an account that this process has. */
  listenerIds(account: string): ReadonlySet<string> {
    return this.ids.get(account) ?? new Set();
  }

  /**
   * Listeners of an account with waiting calls that no process seems to have. A process without background work calls none of its
   * listeners.
   */
  async missingListeners(account: string): Promise<MissingListener[]> {
    const { background } = this.accounts.of(account);
    const waiting = await this.eventsStore.missingListeners(account, LISTENER_WORK.missingAfterMs);
    const own = background ? this.listenerIds(account) : new Set<string>();
    return waiting.filter(({ listener }) => !own.has(listener));
  }

  /** Claims calls soon, because calls became due. */
  wake(): void {
    this.loop.wake();
  }

  private async register({ account }: PaymentsSettings): Promise<void> {
    const found = [...this.explorer.listenersOf(account), ...this.emitter.listeners()];
    const listeners = found.map(
      (listener) => [keyOf(listener.id, listener.event), listener] as const,
    );
    this.listeners.set(account, new Map(listeners));
    this.ids.set(account, new Set(found.map(({ id }) => id)));
    await this.eventsStore.registerListeners(
      account,
      found.map(({ event, id }) => ({ event, listener: id })),
    );
    // Only a warning: a failure to read the missing listeners must not stop this process.
    const missing = await this.missingListeners(account).catch(() => []);
    for (const { listener, calls } of missing) {
      this.logger.warn(
        `${calls} events wait for the listener ${listener}, which no process of account ${account} has: ` +
          `start a process that has it, or, if you removed it, call EventsService.deleteListener('${listener}')`,
      );
    }
  }

  /** The accounts whose listeners this process calls. */
  private working(): PaymentsSettings[] {
    return this.accounts.inBackground().filter(({ account }) => this.listenerIds(account).size > 0);
  }

  /** The process has one lease for all accounts: the longest that one of them sets. */
  private leaseMs(): number {
    return Math.max(...this.accounts.inBackground().map(({ listeners }) => listeners.leaseMs));
  }

  /**
   * How many more calls of each listener may run. Of several listeners, one that hangs may use half of what its account may, so that the
   * others are called.
   */
  private wanted(accounts: readonly string[], most: number): WantedCalls[] {
    const busy = new Map<string, number>();
    for (const { account, listener } of this.active.values()) {
      const key = keyOf(account, listener);
      busy.set(key, (busy.get(key) ?? 0) + 1);
    }
    return accounts.flatMap((account) => {
      const { concurrency } = this.accounts.of(account).listeners;
      const ids = [...this.listenerIds(account)];
      const ofEach = ids.length > 1 ? Math.ceil(concurrency / 2) : concurrency;
      const listeners = ids
        .map((id) => ({ id, most: ofEach - (busy.get(keyOf(account, id)) ?? 0) }))
        .filter((listener) => listener.most > 0);
      return listeners.length > 0 ? [{ account, most, listeners }] : [];
    });
  }

  private async call(call: ListenerCall): Promise<void> {
    // While the store was unavailable the claim may have ended, and this process has claimed its own call again.
    const isRunning = this.active.has(call.id);
    this.active.set(call.id, call);
    if (isRunning) return;
    try {
      await this.acknowledge(call, await this.outcomeOf(call));
    } finally {
      this.active.delete(call.id);
    }
  }

  /** Retries while the store is unavailable, so that a completed call is repeated only if this process dies. */
  private async acknowledge(call: ListenerCall, outcome: ClaimOutcome): Promise<void> {
    const finish = async (failures: number): Promise<void> => {
      const acknowledged = await this.eventsStore.finishCall(
        this.active.get(call.id) ?? call,
        outcome,
      );
      // On a repeat, the first attempt may have succeeded and only its answer was lost: then there is nothing to warn about.
      if (!acknowledged && failures === 0)
        this.logger.warn(`${describe(call)} was taken over by another replica while it ran`);
    };
    await retryWhileStoreIsAway(
      this.shutdown,
      this.runtime,
      LISTENER_WORK.acknowledgeForMs,
      finish,
    );
  }

  private async outcomeOf(call: ListenerCall): Promise<ClaimOutcome> {
    const listener = this.listeners.get(call.account)?.get(keyOf(call.listener, call.event));
    // A process of another version may have this listener. If none has, the call becomes a dead letter.
    if (!listener) return this.failed(call, `this process has no such listener of ${call.event}`);
    const { timeoutMs } = this.accounts.of(call.account).listeners;
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
    const wait = this.accounts.of(call.account).listeners.retryScheduleMs[call.attempts - 1];
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
    const everyMs = this.leaseMs() / 3;
    this.stopRenewing = this.runtime.timer(
      everyMs,
      () => {
        void this.renew();
        this.renewLater();
      },
      { background: true },
    );
  }

  /** Renews the claims of running calls, so that no other replica repeats them meanwhile. */
  private async renew(): Promise<void> {
    if (this.active.size === 0) return;
    try {
      await this.eventsStore.renewCalls([...this.active.values()], this.leaseMs());
    } catch (error) {
      this.logger.warn(`claims of listener calls could not be renewed: ${String(error)}`);
    }
  }
}

function keyOf(...parts: readonly string[]): string {
  return parts.join(' ');
}

function describe({ account, listener, event, eventId }: ListenerCall): string {
  return `listener ${listener} of ${event} (account ${account}, event ${eventId})`;
}
