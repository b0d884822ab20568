import type { KnownAccounts } from '../known.accounts.js';
import type { ClaimOutcome } from '../runtime/claim.js';
import { errorText } from '../runtime/error-text.js';
import type { Runtime } from '../runtime/runtime.js';
import { SafeLogger } from '../runtime/safe.logger.js';
import { revivePayload } from './event.payload.js';
import type { ListenerCall } from './events.store.js';
import type { Listener } from './listeners.explorer.js';

/** Longest stored text of a listener's error. */
const MAX_ERROR_LENGTH = 500;

/** Makes one call of a listener, and says how its claim ends. */
export class ListenerCaller {
  private readonly logger = new SafeLogger();

  constructor(
    private readonly accounts: KnownAccounts,
    private readonly runtime: Runtime,
  ) {}

  /** @param listener undefined when this process does not have it */
  async outcomeOf(call: ListenerCall, listener: Listener | undefined): Promise<ClaimOutcome> {
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
          errorText(error instanceof Error ? error.stack : error),
        );
        return { kind: 'done' };
      }
      return this.failed(call, errorText(error).slice(0, MAX_ERROR_LENGTH));
    }
  }

  private failed(call: ListenerCall, error: string): ClaimOutcome {
    const wait = this.accounts.of(call.account).listeners.retryScheduleMs[call.attempts - 1];
    if (wait === undefined) {
      this.logger.error(
        `${describeCall(call)} failed ${call.attempts} times and is a dead letter: ${error}`,
      );
      return { kind: 'given_up', error };
    }
    this.logger.warn(
      `${describeCall(call)} failed, attempt ${call.attempts}, and will be repeated: ${error}`,
    );
    return { kind: 'retry', inMs: this.runtime.jittered(wait), error };
  }
}

/** A call, for the log. */
export function describeCall({ account, listener, event, eventId }: ListenerCall): string {
  return `listener ${listener} of ${event} (account ${account}, event ${eventId})`;
}
