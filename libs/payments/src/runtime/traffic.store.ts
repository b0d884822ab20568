/** Why nothing is sent. @publicApi */
export interface Pause {
  /** The account that is paused; null: all accounts are. */
  account: string | null;
  /** Who paused it. */
  by: string;
  /** Why. */
  note: string;
  at: Date;
}

/** One entry in the history of pauses. @publicApi */
export interface PauseEntry extends Pause {
  what: 'paused' | 'resumed';
}

/** Requests to the platform: `creates` move money, `others` do not. The platform may want those, and not these. */
export type TrafficKind = 'creates' | 'others';

/** What keeps requests of an account from being sent now. */
export interface Hindrance {
  /** The pause of the account, or that of all. It concerns creates only. */
  pause: Pause | null;
  /** Milliseconds until the platform wants requests again; 0: it wants them now. */
  closedForMs: Record<TrafficKind, number>;
}

/** A request for turns of background requests. */
export interface WantedTurns {
  /** Kind of request: each has its own share of the rate. */
  kind: string;
  count: number;
  /** Milliseconds between two requests of any kind. */
  gapMs: number;
  /** Milliseconds between two requests of this kind. */
  kindGapMs: number;
  /** Who wants a first turn that is further away must not ask again. */
  withinMs: number;
}

/**
 * Turns, `kindGapMs` apart. `count` is 0 when the first is more than 100 ms away: the platform may ask to wait until then. `inMs` says how far
 * it is, and `mayAskAgain` whether to ask again then.
 */
export interface ReservedTurns {
  count: number;
  inMs: number;
  mayAskAgain: boolean;
}

/**
 * Store of what may be sent to the platform now, for all processes: pauses, the rate of background requests, and the times that the
 * platform asked us to wait. Every method may throw `StoreUnavailableError`.
 */
export abstract class TrafficStore {
  /** Pauses sending for an account, or for all (null). False when it is paused already. */
  abstract pause(account: string | null, by: string, note: string): Promise<boolean>;
  /** Ends a pause. False when there is none. A pause of all and that of an account end on their own. */
  abstract resume(account: string | null, by: string, note: string): Promise<boolean>;
  abstract hindrance(account: string): Promise<Hindrance>;
  /** All pauses: that of all accounts first. */
  abstract pauses(): Promise<Pause[]>;
  /** The last pauses and resumptions of an account and of all accounts, newest first. */
  abstract pauseHistory(account: string, limit: number): Promise<PauseEntry[]>;

  /** Reserves turns of background requests of an account. None while the platform wants none. */
  abstract reserve(account: string, wanted: WantedTurns): Promise<ReservedTurns>;

  /**
   * The platform asked to wait: no request of this kind is made until then. A later end that is known stays. Creates are recorded meanwhile, and
   * sent afterwards if their time is not over.
   */
  abstract close(account: string, kind: TrafficKind, forMs: number): Promise<void>;
}
