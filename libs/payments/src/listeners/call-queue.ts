import { type Runtime, SECOND } from '../runtime/clock.js';
import { ClaimedWork } from '../queue/claimed-work.js';
import { MOST_HELD_BYTES, Recent, roughBytes } from '../runtime/recent.js';
import { SafeLogger } from '../runtime/logging.js';
import { Counts } from '../runtime/per-account.js';
import { classOf, type ListenerCall, type WantedCalls } from '../store/events.store.js';
import type { CallClaim } from '../store/ledger.store.js';
import { logFieldsOfCall } from './listener-caller.js';

/** A call that runs longer is said in the log. */
export const SLOW_AFTER_MS = 10 * SECOND;

/** Limit of claimed calls of one listener in this process: those that run, and those that wait here for others to end. */
const MOST_CLAIMED = 500;

/** A larger payload counts as one of this size: it leaves no room for another one. */
const LARGEST_PAYLOAD = MOST_HELD_BYTES;

type OfListener = Pick<ListenerCall, 'account' | 'listener'>;
type OfStream = Pick<ListenerCall, 'account' | 'listener' | 'stream'>;

interface Held {
  /** The call with its newest claim. */
  call: ListenerCall;
  /** The time of the request for the claim, in `Runtime.elapsed()`. The lease of the claim began then or later. */
  claimedAt: number;
  hasBegun: boolean;
  /** The size of its payload. */
  bytes: number;
  /** The claim whose outcome is stored, or is being stored. */
  finished?: ListenerCall;
}

/** The calls that this process has claimed: those that wait for room, those that run, and those whose outcome is being stored. */
export class CallQueue {
  private readonly held = new Map<string, Held>();
  /** Counts the calls of each listener and the bytes of all, so that this process claims no more than it can hold. */
  readonly work = new ClaimedWork();
  private readonly runningOf = new Counts();
  /** Claims of commits that are under way, and when each was asked for. */
  private readonly askedAt = new Map<CallClaim, number>();
  /** The streams of classes of which another call may wait for one of these. */
  private readonly followed: Recent<true>;

  constructor(
    private readonly runtime: Pick<Runtime, 'elapsed'>,
    private readonly leaseMs: () => number,
  ) {
    this.followed = new Recent(runtime);
  }

  /**
   * True when the commit that writes one more call of a listener may also claim it, although the call may have to wait here for others to
   * end. False while older calls wait in the store, because they would wait for as long as new ones come.
   */
  mayWait(of: OfListener): boolean {
    const listener = listenerOf(of);
    const claimed = this.work.count(listener) + this.work.reserved(listener);
    return claimed < MOST_CLAIMED && this.work.mayClaim(listener, of.account, 0);
  }

  /** A call of a listener was left in the store. */
  leave(of: OfListener): void {
    this.work.leave(listenerOf(of));
  }

  /**
   * Notes a claim that got all it could: a listener that got fewer calls than it has room for has none left in the store.
   * @param lastLeft as it was before the claim
   * @returns the accounts that may have more: those with a listener that got all that it had room for
   */
  caughtUp(
    wanted: readonly WantedCalls[],
    claimed: readonly ListenerCall[],
    lastLeft: number,
  ): Set<string> {
    const more = new Set<string>();
    for (const { account, most, listeners } of wanted) {
      const ofAccount = claimed.filter((call) => call.account === account);
      if (ofAccount.length >= most) {
        more.add(account);
        continue;
      }
      for (const { id, most: mostOfListener } of listeners) {
        const listener = listenerOf({ account, listener: id });
        const got = ofAccount.filter((call) => call.listener === id).length;
        if (got >= mostOfListener) more.add(account);
        else this.work.caughtUp(listener, lastLeft);
      }
    }
    return more;
  }

  /** Keeps room for the calls that a commit claims; `release` must follow. */
  reserve(account: string, claim: CallClaim): void {
    this.askedAt.set(claim, this.runtime.elapsed());
    for (const listener of claim.listeners) this.work.reserve(listenerOf({ account, listener }));
  }

  /** @returns the time of the request for the claim */
  release(account: string, claim: CallClaim): number {
    const claimedAt = this.askedAt.get(claim) as number;
    this.askedAt.delete(claim);
    for (const listener of claim.listeners) this.work.release(listenerOf({ account, listener }));
    return claimedAt;
  }

  /** @param claimedAt when the claim was asked for */
  add(call: ListenerCall, claimedAt: number): void {
    const before = this.held.get(call.id);
    const bytes = before?.bytes ?? roughBytes(call.payload, LARGEST_PAYLOAD);
    if (!before) this.work.add(listenerOf(call), call.account, bytes);
    this.held.set(call.id, { hasBegun: false, ...before, call, claimedAt, bytes });
  }

  /** Notes that another call of a stream may wait for one of these: one of the same listener, or of its class. */
  follow(call: OfStream): void {
    this.followed.put(streamOf(call), true);
  }

  heldCount(of: OfListener): number {
    return this.work.count(listenerOf(of));
  }

  /** Returns the number of calls of a listener that run. */
  runningCount(of: OfListener): number {
    return this.runningOf.count(listenerOf(of));
  }

  /** Returns the calls of a listener that have not begun. */
  waitingBehind(of: OfListener): WaitingCalls {
    const listener = listenerOf(of);
    const waiting = [...this.held.values()].filter(
      ({ call, hasBegun }) => !hasBegun && listenerOf(call) === listener,
    );
    return { here: waiting.length, inStore: this.work.isBehind(listener) };
  }

  /**
   * Removes a call that has waited too long, and returns it. Null when it may begin.
   *
   * The claims of calls that wait are not renewed: if a listener hangs here, other replicas then make its calls, of which up to
   * `MOST_CLAIMED` may wait. So a call that has waited for half of its lease is left to whoever claims it next. The other half
   * outlasts the time until the next renewal, which is a third of the lease.
   */
  leaveLate({ id }: Pick<ListenerCall, 'id'>): ListenerCall | null {
    const held = this.held.get(id);
    if (!held || held.hasBegun) return null;
    if (this.runtime.elapsed() - held.claimedAt <= this.leaseMs() / 2) return null;
    this.remove(held.call);
    this.leave(held.call);
    return held.call;
  }

  /** Begins a call. Null when it has begun already, by another claim of this process, or the process does not hold it any more. */
  begin({ id }: Pick<ListenerCall, 'id'>): ListenerCall | null {
    const held = this.held.get(id);
    if (!held || held.hasBegun) return null;
    held.hasBegun = true;
    this.runningOf.add(listenerOf(held.call));
    return held.call;
  }

  /** The listener has ended. The call is held until its outcome is stored. */
  end(call: ListenerCall): void {
    this.runningOf.remove(listenerOf(call));
  }

  /** Returns the newest claim of a call whose outcome is stored now: while the store was away, this process may have claimed it again. */
  finish(call: ListenerCall): ListenerCall {
    const held = this.held.get(call.id);
    if (!held) return call;
    held.finished = held.call;
    return held.call;
  }

  /**
   * Returns the claim that this process got of a call after its outcome was stored, while the answer to that was on its way. It has to begin. Null
   * when there is none.
   */
  claimedAgain({ id }: Pick<ListenerCall, 'id'>): ListenerCall | null {
    const held = this.held.get(id);
    if (!held?.finished || held.finished.token === held.call.token) return null;
    held.hasBegun = false;
    delete held.finished;
    return held.call;
  }

  /** Removes a call whose outcome is stored, or could not be stored. Returns true when another call of its stream may wait for it. */
  remove(call: ListenerCall): boolean {
    const held = this.held.get(call.id);
    if (held) {
      this.held.delete(call.id);
      this.work.remove(listenerOf(call), call.account, held.bytes);
    }
    return this.followed.get(streamOf(call)) !== null;
  }

  all(): ListenerCall[] {
    return [...this.held.values()].map(({ call }) => call);
  }

  /** Returns the calls whose claims must be renewed, so that no other replica repeats them: those that have begun. */
  begun(): ListenerCall[] {
    return [...this.held.values()].flatMap(({ call, hasBegun }) => (hasBegun ? call : []));
  }
}

function listenerOf({ account, listener }: OfListener): string {
  return `${account} ${listener}`;
}

function streamOf({ account, listener, stream }: OfStream): string {
  return `${account} ${classOf(listener) ?? listener} ${stream}`;
}

/** The calls of a listener that have not begun. */
interface WaitingCalls {
  /** The number of calls that this process has claimed. */
  here: number;
  /** True when the store has more of them. */
  inStore: boolean;
}

/**
 * Names a listener whose call runs for long: without a word, its calls would wait until its time limit. It is named once, and again after it
 * has recovered: a call of it has ended in time, and none runs for long.
 */
export class SlowListeners {
  private readonly logger = new SafeLogger();
  /** Calls that run for long, by listener. */
  private readonly slowOf = new Counts();
  private readonly named = new Set<string>();

  constructor(
    private readonly runtime: Runtime,
    private readonly waitingBehind: (call: ListenerCall) => WaitingCalls,
  ) {}

  /** Watches a call that begins. Returns what must be called when it has ended. */
  watch(call: ListenerCall): () => void {
    const listener = `${call.account} ${call.listener}`;
    const begunAt = this.runtime.elapsed();
    let isSlow = false;
    const cancel = this.runtime.timer(
      SLOW_AFTER_MS,
      () => {
        isSlow = true;
        this.slowOf.add(listener);
        if (!this.named.has(listener)) this.say(call, this.runtime.elapsed() - begunAt);
        this.named.add(listener);
      },
      { background: true },
    );
    return () => {
      cancel();
      if (isSlow) this.slowOf.remove(listener);
      else if (this.slowOf.count(listener) === 0) this.named.delete(listener);
    };
  }

  private say(call: ListenerCall, ms: number): void {
    const { here, inStore } = this.waitingBehind(call);
    const more = inStore ? ', and more in the store' : '';
    this.logger.warn(
      `a call of listener ${call.listener} of ${call.event} has run for ${Math.round(ms / 1_000)} s, and ${here} calls wait behind it${more}. ` +
        'After listeners.timeoutMs it fails and is repeated: give what it waits for a shorter limit',
      logFieldsOfCall(call),
    );
  }
}
