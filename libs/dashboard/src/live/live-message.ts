/** The server sends this to a live page. `assets/live.js` reads it. */
export interface LiveMessage {
  /** Names the content of the pages of the account. Another version means that something has changed. */
  version: string;
  /** The operations and streams of events that have changed; null when that is not known. */
  about: readonly string[] | null;
  /** False when the store does not answer. */
  live: boolean;
}
