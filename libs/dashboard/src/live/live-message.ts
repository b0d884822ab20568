/** What a live page receives. `assets/live.js` reads it. */
export interface LiveMessage {
  /** Stands for what the pages of the account show. Another one: something has changed. */
  version: string;
  /** The operations and streams of events that have changed; null when that is not known. */
  about: readonly string[] | null;
  /** Whether the store answers. */
  live: boolean;
}
