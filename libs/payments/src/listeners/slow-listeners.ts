import type { ListenerCall } from '../store/events.store.js';
import { LISTENER_WORK } from '../work/backoff.js';
import { Counts } from '../work/counts.js';
import type { Runtime } from '../work/runtime.js';
import { SafeLogger } from '../work/safe-logger.js';
import { logFieldsOfCall } from './listener-caller.js';

/** The calls of a listener that have not begun. */
export interface WaitingCalls {
  /** Those that this process has claimed. */
  here: number;
  /** Whether there are more in the store. */
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
      LISTENER_WORK.slowAfterMs,
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
      else if (this.slowOf.of(listener) === 0) this.named.delete(listener);
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
