import { PaymentsValidationError } from '../payments.errors.js';
import type { CurrentSettings } from '../accounts/payments.settings.js';
import { EventDispatcher } from './event-dispatcher.js';
import {
  EventsStore,
  type DeadLetter,
  type MissingListener,
  type ReplayedLetter,
} from '../store/events.store.js';
import { Concealed } from '../runtime/validate-input.js';

/**
 * Listeners and dead letters of an account.
 * @example
 * const dead = await events.deadLetters();
 * await events.replayDeadLetters(); // after the listener was repaired
 * @see docs/events.md
 * @publicApi
 */
@Concealed()
export class EventsService {
  constructor(
    private readonly eventsStore: EventsStore,
    private readonly dispatcher: EventDispatcher,
    private readonly settings: CurrentSettings,
  ) {}

  /**
   * Deletes a listener that you removed from the code, or whose id you changed. The store keeps no more events for it, and
   * deletes its waiting calls and its dead letters. Call it when no process has the listener any more. Where the start is refused because of
   * it, `npx @tillkit/cli listeners delete <id>` does the same.
   * @param id id of the listener: `Class.method`, or the `id` of its decorator
   * @returns the number of deleted calls
   * @throws PaymentsValidationError when this process has the listener; nothing was deleted
   * @throws StoreUnavailableError when the store does not answer
   */
  async deleteListener(id: string): Promise<number> {
    if (this.dispatcher.listenerIds(this.settings.current.account).has(id)) {
      throw new PaymentsValidationError([
        {
          field: 'id',
          problem: `is "${id}", a listener of this process: remove it from the code first`,
        },
      ]);
    }
    return this.eventsStore.deleteListener(this.settings.current.account, id);
  }

  /**
   * Lists listeners that have waiting calls and that no process seems to have: no process claimed a call of them for ten
   * minutes. Their code was removed, their id has changed, or their process does not run.
   * @throws StoreUnavailableError when the store does not answer
   */
  missingListeners(): Promise<MissingListener[]> {
    return this.dispatcher.missingListeners(this.settings.current.account);
  }

  /**
   * Lists listener calls that are not repeated any more.
   * @param limit maximum number. @default 100
   * @throws StoreUnavailableError when the store does not answer
   */
  async deadLetters(limit = 100): Promise<DeadLetter[]> {
    const { account } = this.settings.current;
    const letters: DeadLetter[] = [];
    // A page of the store has a limit of its own.
    for (let after: string | undefined; letters.length < limit;) {
      const page = { limit: limit - letters.length, ...(after !== undefined && { after }) };
      const { items, next } = await this.eventsStore.listDeadLetters(account, {}, page);
      letters.push(...items);
      if (next === null) break;
      after = next;
    }
    return letters;
  }

  /**
   * Makes dead letters due again. Each call has the same `eventId` as before.
   * @param id id of one dead letter. @default all
   * @returns the dead letters whose calls are due again
   * @throws StoreUnavailableError when the store does not answer
   */
  async replayDeadLetters(id?: string): Promise<ReplayedLetter[]> {
    const replayed = await this.eventsStore.replayDeadLetters(this.settings.current.account, id);
    if (replayed.length > 0) this.dispatcher.wake(this.settings.current.account);
    return replayed;
  }
}
