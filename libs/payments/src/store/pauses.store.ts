/** Says why nothing is sent, and who decided that. @publicApi */
export interface Pause {
  /** The account that is paused; null: all accounts are. */
  account: string | null;
  /** The person who paused it. */
  by: string;
  /** The reason. */
  note: string;
  at: Date;
}

/** One entry in the history of pauses. @publicApi */
export interface PauseEntry extends Pause {
  what: 'paused' | 'resumed';
}

/**
 * Store of the pauses of sending, for all processes. While an account is paused, nothing is recorded for it, and nothing becomes `requested`.
 * Every method may throw `StoreUnavailableError`.
 */
export abstract class PausesStore {
  /** Pauses sending for an account, or for all (null). False when it is paused already. */
  abstract pause(account: string | null, by: string, note: string): Promise<boolean>;
  /** Ends a pause. False when there is none. A pause of all and that of an account end on their own. */
  abstract resume(account: string | null, by: string, note: string): Promise<boolean>;
  /** Returns the pause of an account, or that of all. */
  abstract current(account: string): Promise<Pause | null>;
  /** Returns all pauses: that of all accounts first. */
  abstract all(): Promise<Pause[]>;
  /** Returns the last pauses and resumptions of an account and of all accounts, newest first. */
  abstract history(account: string, limit: number): Promise<PauseEntry[]>;
}
