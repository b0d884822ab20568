/** What a check is about. @publicApi */
export interface HealthOptions {
  /**
   * The account. Without it, the check is about all accounts that this process knows: token and circuit are down when that is true of every
   * one of them, because a fault of one merchant is no fault of the application.
   */
  account?: string;
}

/** @publicApi */
export interface StoreHealthOptions {
  /** Milliseconds in which the store must answer. @default 2000 */
  timeoutMs?: number;
}

/** @publicApi */
export interface BacklogHealthOptions extends HealthOptions {
  /** Milliseconds that a delivery or a listener call may wait. @default 300000 */
  maxAgeMs?: number;
  /** Most dead letters. @default any number */
  maxDeadLetters?: number;
}

/** @publicApi */
export interface LastCallbackHealthOptions extends HealthOptions {
  /** Milliseconds that operations may wait without any callback. @default 900000 */
  maxSilenceMs?: number;
}
