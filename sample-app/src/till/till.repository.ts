import type { ThanksState, TillEntry } from './till.entry.js';

/** An entry with what became of its SMS. */
export type ThankedEntry = TillEntry & { readonly thanks: ThanksState | null };

/** Where the till's money is written down. Every method may be called again with the same words. */
export abstract class TillRepository {
  /** Writes money down, unless it is written already. */
  abstract add(entry: TillEntry): Promise<void>;

  /** The latest money, newest first. */
  abstract latest(limit: number): Promise<ThankedEntry[]>;

  /** Notes that an SMS is about to be asked for. False when that was noted before: then nobody may ask again. */
  abstract beginThanks(webhookEventId: string): Promise<boolean>;

  /** Notes what became of it. */
  abstract endThanks(webhookEventId: string, state: ThanksState): Promise<void>;

  /** Takes back what {@link beginThanks} noted, because certainly nothing was sent. */
  abstract dropThanks(webhookEventId: string): Promise<void>;

  abstract thanksForReference(reference: string): Promise<ThanksState | null>;

  abstract findByWebhookEvent(webhookEventId: string): Promise<TillEntry | null>;
}
