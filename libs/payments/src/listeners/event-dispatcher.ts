import {
  Injectable,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
  type OnModuleInit,
} from '@nestjs/common';
import { NEVER } from 'rxjs';
import { type CallClaim, LocalCalls, type WrittenCall } from '../store/ledger.store.js';
import type { NewEvent } from '../store/new-event.js';
import { type AccountWork, AccountRegistry, namesOf } from '../accounts/account-registry.js';
import { WORK_LOOP, WorkLoop } from '../queue/work-loop.js';
import { type CancelTimer, MINUTE, Runtime } from '../runtime/clock.js';
import type { ClaimOutcome } from '../store/claim.js';
import { retryWhileStoreIsAway } from '../runtime/retry.js';
import { SafeLogger } from '../runtime/logging.js';
import { ShutdownSignal } from '../runtime/shutdown-signal.js';
import { DueWorkFinder } from '../queue/due-work-finder.js';
import type { PaymentsSettings } from '../accounts/payments.settings.js';
import type { DueWork } from '../store/due-work.store.js';
import { CallQueue, SlowListeners } from './call-queue.js';
import { HostTransactions } from './host-transactions.js';
import { EmitterListener, ListenersExplorer } from './listeners-explorer.js';
import { LocalListeners } from './local-listeners.js';
import {
  EventsStore,
  type ListenerCall,
  type MissingListener,
  type WantedCalls,
} from '../store/events.store.js';
import { ListenerCaller, logFieldsOfCall } from './listener-caller.js';
import type { PaymentsEventName } from '../payments.events.js';

/** A process tries to store the outcome of a call for this long. It renews the claim meanwhile, if the store answers. */
const ACKNOWLEDGE_FOR_MS = 10 * MINUTE;

/** Limit of outcomes that are stored while other calls run. If the process dies, so many completed calls are repeated. */
const MOST_ACKNOWLEDGING = 100;

/** Calls each listener of the host on its own, until the call succeeds or becomes a dead letter. */
@Injectable()
export class EventDispatcher
  extends LocalCalls
  implements AccountWork, OnModuleInit, OnApplicationBootstrap, OnModuleDestroy
{
  private readonly logger = new SafeLogger();
  private readonly listeners: LocalListeners;
  private readonly claimed: CallQueue;
  private readonly caller: ListenerCaller;
  private readonly slow: SlowListeners;
  /** Outcomes that are being stored. */
  private readonly acknowledging = new Set<Promise<void>>();
  private readonly loop: WorkLoop<ListenerCall>;
  private isWorking = false;
  /** The accounts that may have due calls: a claim asks for theirs only. */
  private due: readonly string[] = [];
  private stopRenewing: CancelTimer | null = null;

  constructor(
    private readonly eventsStore: EventsStore,
    private readonly shutdown: ShutdownSignal,
    explorer: ListenersExplorer,
    emitter: EmitterListener,
    private readonly accounts: AccountRegistry,
    private readonly finder: DueWorkFinder,
    private readonly runtime: Runtime,
    transactions: HostTransactions,
  ) {
    super();
    this.listeners = new LocalListeners(
      eventsStore,
      explorer,
      emitter,
      accounts,
      transactions,
      runtime.id(),
    );
    this.caller = new ListenerCaller(accounts, runtime, eventsStore, transactions);
    this.claimed = new CallQueue(runtime, () => this.leaseMs());
    this.slow = new SlowListeners(runtime, (call) => this.claimed.waitingBehind(call));
    this.loop = new WorkLoop<ListenerCall>({
      runtime,
      name: 'events',
      accounts: () => this.due,
      concurrency: (account) => this.concurrencyOf(account),
      wakeUps: NEVER,
      finder,
      keepsShares: true,
      mostNow: () => this.claimed.work.mostNow,
      // If another process has written the next call of a stream, that one looks for it.
      leavesWork: false,
      isDue: ({ calls }) => this.noteDue(calls),
      mayBegin: (call) => this.claimed.runningCount(call) < this.mostOf(call.account),
      claim: (names, limit) => this.claim(names, limit),
      work: (call) => this.call(call),
    });
  }

  /**
   * Registers the listeners before this process can emit an event: the store keeps events only for registered listeners.
   * @throws PaymentsConfigurationError when a listener would not be called as its code says
   */
  async onModuleInit(): Promise<void> {
    await this.listeners.check();
    const all = this.accounts.all();
    await this.begin(all, all);
    await Promise.all(all.map((account) => this.listeners.warnOfMissing(account)));
  }

  onApplicationBootstrap(): void {
    this.listeners.warnOfNone();
    const called = this.listeners.called();
    if (called.length === 0 && !this.accounts.worksForMore) return;
    this.due = namesOf(called);
    this.renewLater();
    this.loop.start();
    this.isWorking = true;
  }

  async onModuleDestroy(): Promise<void> {
    this.shutdown.close();
    this.isWorking = false;
    await this.runtime.endsWithin(this.ended(), WORK_LOOP.drainMs);
    this.stopRenewing?.();
    this.warnOfLeft();
  }

  /** All claimed calls have ended, and their outcomes are stored. */
  private async ended(): Promise<void> {
    await this.loop.stop();
    await Promise.all(this.acknowledging);
  }

  private warnOfLeft(): void {
    const left = this.claimed.all();
    if (left.length === 0) return;
    const listeners = new Set(
      left.map(({ account, listener }) => `${listener} (account ${account})`),
    );
    this.logger.warn(
      `claimed listener calls whose outcome is not stored at the end of the application: ${left.length}, of ` +
        `${[...listeners].join(', ')}. They are made again after their lease`,
    );
  }

  /** Returns the ids of the listeners of an account that this process has. */
  listenerIds(account: string): ReadonlySet<string> {
    return this.listeners.ids(account);
  }

  /** Returns the listeners of an account with waiting calls that no process seems to have. */
  missingListeners(account: string): Promise<MissingListener[]> {
    return this.listeners.missing(account);
  }

  /** Registers the listeners of new accounts. */
  async begin(
    _accounts: readonly PaymentsSettings[],
    fresh: readonly PaymentsSettings[],
  ): Promise<void> {
    await Promise.all(fresh.map((account) => this.listeners.register(account)));
  }

  /** Removes the listeners of an account. */
  end({ account }: PaymentsSettings): Promise<void> {
    this.listeners.remove(account);
    this.due = this.due.filter((other) => other !== account);
    return Promise.resolve();
  }

  /** Claims calls of an account soon, because calls became due. */
  wake(account: string): void {
    this.expect(account);
    this.loop.wake();
  }

  private expect(account: string): void {
    // Always a new list: the loop notices that it has changed.
    if (!this.due.includes(account) && this.listeners.isCalled(account))
      this.due = [...this.due, account];
  }

  /** Notes the accounts with due calls of listeners that this process has. Returns whether there are any. */
  private noteDue(calls: DueWork['calls']): boolean {
    const own = calls.filter(({ account, listener }) => this.listeners.ids(account).has(listener));
    for (const { account } of own) this.expect(account);
    return own.length > 0;
  }

  claimOf(account: string, events: readonly NewEvent[]): CallClaim | undefined {
    if (!this.isWorking || !this.accounts.settings(account).background) return undefined;
    const names = new Set<string>(events.map(({ name }) => name));
    const listeners = this.listeners
      .idsFor(account, names)
      .filter((listener) => this.claimed.mayWait({ account, listener }));
    if (listeners.length === 0) return undefined;
    const claim = { listeners, leaseMs: this.leaseMs() };
    this.claimed.reserve(account, claim);
    return claim;
  }

  written(
    account: string,
    events: readonly NewEvent[],
    calls: readonly WrittenCall[],
    claim: CallClaim | undefined,
  ): void {
    const claimedAt = claim ? this.claimed.release(account, claim) : this.runtime.elapsed();
    const claimed: ListenerCall[] = [];
    for (const { id, listener, eventId, token } of calls) {
      const { name, stream, payload, traceparent } = events.find(
        (event) => event.id === eventId,
      ) as NewEvent;
      const call = { id, account, listener, eventId, stream, event: name as PaymentsEventName };
      if (token === null) this.leftBehind(call, claim);
      // Each listener gets its own copy, as if it came from the store.
      else
        claimed.push({
          ...call,
          token,
          payload: JSON.parse(JSON.stringify(payload)),
          attempts: 1,
          ...(traceparent !== undefined && { traceparent }),
        });
    }
    for (const call of claimed) this.claimed.add(call, claimedAt);
    this.loop.take(claimed);
    if (claimed.length < calls.length) this.wake(account);
  }

  /** A call that its commit did not claim: it waits for an earlier one of its stream, or there was no room for it. */
  private leftBehind(
    call: Pick<ListenerCall, 'account' | 'listener' | 'stream'>,
    claim: CallClaim | undefined,
  ): void {
    if (claim?.listeners.includes(call.listener)) this.claimed.follow(call);
    else this.claimed.leave(call);
  }

  private async claim(accounts: readonly string[], limit: number): Promise<ListenerCall[]> {
    const wanted = this.wanted(accounts, limit);
    if (wanted.length === 0) return [];
    const claimedAt = this.runtime.elapsed();
    const { lastLeft } = this.claimed.work;
    const asked = new Set(wanted.map(({ account }) => account));
    // An account that becomes due while we ask the store is noted again.
    this.due = this.due.filter((account) => !asked.has(account));
    let more = asked;
    try {
      const calls = await this.eventsStore.claimCalls(wanted, limit, this.leaseMs());
      more = calls.length < limit ? this.claimed.caughtUp(wanted, calls, lastLeft) : asked;
      for (const call of calls) {
        this.claimed.add(call, claimedAt);
        // A claim does not say whether its stream has a next call.
        this.claimed.follow(call);
      }
      return calls;
    } finally {
      for (const account of more) this.expect(account);
    }
  }

  /** The process has one lease for all accounts: the longest that one of them sets. */
  private leaseMs(): number {
    return this.accounts.listenerLeaseMs;
  }

  /**
   * Counts the calls of each listener that may run in addition. When an account has several listeners, one that hangs may use only half of
   * the account's limit, so that the others are called.
   */
  private wanted(accounts: readonly string[], most: number): WantedCalls[] {
    return accounts.flatMap((account) => {
      if (!this.listeners.isCalled(account) || !this.claimed.work.hasRoom(account)) return [];
      const ofEach = this.mostOf(account);
      const listeners = [...this.listeners.ids(account)]
        .map((id) => ({ id, most: ofEach - this.claimed.heldCount({ account, listener: id }) }))
        .filter((listener) => listener.most > 0);
      return listeners.length > 0 ? [{ account, most, listeners }] : [];
    });
  }

  /** A call may end after its account was closed. */
  private concurrencyOf(account: string): number {
    return this.accounts.has(account) ? this.accounts.settings(account).listeners.concurrency : 1;
  }

  /** At most this many calls of one listener run at the same time. */
  private mostOf(account: string): number {
    const concurrency = this.concurrencyOf(account);
    return this.listeners.ids(account).size > 1 ? Math.ceil(concurrency / 2) : concurrency;
  }

  private async call(claimed: ListenerCall): Promise<void> {
    const late = this.claimed.leaveLate(claimed);
    if (late) return this.leave(late);
    const call = this.claimed.begin(claimed);
    if (!call) return;
    const outcome = await this.outcomeOf(call);
    if (outcome === null) return this.settle(call);
    const acknowledged = this.acknowledge(call, outcome)
      .catch((error: unknown) =>
        this.logger.seldom(
          'error',
          'outcome',
          `the outcome of a listener call could not be stored: ${String(error)}`,
          logFieldsOfCall(call),
        ),
      )
      .finally(() => {
        this.acknowledging.delete(acknowledged);
        this.settle(call);
        if (outcome.kind === 'retry') this.finder.expect(outcome.inMs);
      });
    this.acknowledging.add(acknowledged);
    // The next call begins meanwhile, as long as the store keeps up.
    if (this.acknowledging.size >= MOST_ACKNOWLEDGING) await acknowledged;
  }

  private async outcomeOf(call: ListenerCall): Promise<ClaimOutcome | null> {
    const ended = this.slow.watch(call);
    try {
      return await this.caller.outcomeOf(call, this.listeners.find(call));
    } catch (error) {
      // A fault of ours. The claim must not be renewed for ever: when its lease ends, the call is made again.
      this.claimed.remove(call);
      throw error;
    } finally {
      ended();
      this.claimed.end(call);
    }
  }

  /**
   * Leaves a call that has waited too long for others of its listener to whoever claims it next. It was not made, so its lease ends without an
   * outcome, which would count as an attempt. If the store is away, its lease ends in time.
   */
  private async leave(call: ListenerCall): Promise<void> {
    try {
      await this.eventsStore.renewCalls([call], 0);
    } catch {
      return;
    }
    this.wake(call.account);
  }

  /** Removes a call whose outcome is stored, or could not be stored. */
  private settle(call: ListenerCall): void {
    const again = this.claimed.claimedAgain(call);
    if (again) {
      this.loop.take([again]);
      return;
    }
    const hadRoom = this.claimed.work.hasRoom(call.account);
    // The next call of its stream can be claimed now, or those for which there was no room.
    if (this.claimed.remove(call) || !hadRoom) this.wake(call.account);
  }

  /** Retries while the store is unavailable, so that a completed call is repeated only if this process dies. */
  private async acknowledge(call: ListenerCall, outcome: ClaimOutcome): Promise<void> {
    // After a timeout, the transaction in which it was called may still be open.
    const isHeld = this.listeners.find(call)?.isTransactional === true;
    const finish = async (failures: number): Promise<void> => {
      const claim = this.claimed.finish(call);
      const acknowledged = await this.eventsStore.finishCall(claim, outcome, isHeld);
      // On a repeat, the first attempt may have succeeded and only its answer was lost: then there is nothing to warn about.
      if (!acknowledged && failures === 0)
        this.logger.warn(
          'a listener call was taken over by another replica while it ran',
          logFieldsOfCall(call),
        );
    };
    await retryWhileStoreIsAway(this.shutdown, this.runtime, ACKNOWLEDGE_FOR_MS, finish);
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

  /**
   * Renews the claims of running calls, so that no other replica repeats them meanwhile. The transaction of a transactional call holds its claim, so no
   * other one can take it, and renewing it would wait for that transaction.
   */
  private async renew(): Promise<void> {
    const begun = this.claimed
      .begun()
      .filter((call) => !this.listeners.find(call)?.isTransactional);
    if (begun.length === 0) return;
    try {
      await this.eventsStore.renewCalls(begun, this.leaseMs());
    } catch (error) {
      this.logger.warn(`claims of listener calls could not be renewed: ${String(error)}`);
    }
  }
}
