import type { CallClaim, WrittenCall } from './ledger.store.js';
import type { NewEvent } from './new-event.js';

/** The listener calls that this process makes. `events/` implements it, because it has the listeners. */
export abstract class OwnCalls {
  /** Which calls of these events this process would make at once; undefined for none. */
  abstract claimOf(account: string, events: readonly NewEvent[]): CallClaim | undefined;
  /**
   * Makes the calls that a commit claimed, and looks for the others.
   * @param calls none when the commit failed
   * @param claim what `claimOf` returned
   */
  abstract written(
    account: string,
    events: readonly NewEvent[],
    calls: readonly WrittenCall[],
    claim: CallClaim | undefined,
  ): void;
}
