import { InterceptedRequestError } from '../../platform.errors.js';
import { StoreUnavailableError } from '../../payments.errors.js';
import { type CancelTimer, type Runtime, SECOND, TimeLimit } from '../../runtime/clock.js';

/**
 * The first byte of a create is written without asking the store until so long after its operation became `requested`. `pause()` waits as
 * long.
 */
export const UNASKED_MS = SECOND;

/** The conditions that must hold in the moment in which the first byte of a request is written. */
export interface WriteRules {
  readonly operation: string;
  /** True for a read: it may be written again and again, and needs no word of the store. */
  readonly isRepeatable?: boolean;
  /** Asks the store whether it may be sent. @throws when it may not, or when the store does not say */
  ask(): Promise<void>;
  /** Says whether it may be sent by what this process knows. @throws when it may not */
  assertNow(): void;
  /** Milliseconds that are left to write it. */
  readonly leftMs: number;
}

/**
 * The permission to write a request to a connection. Only the permission knows whether something may have been sent: no error's code or
 * text says it. The permission of a create is used once, by the code that has an open connection. What the store said must not be older
 * than a second then, because `pause()` resolves a second after it was stored.
 * @see docs/promises.md#who-sends-and-when
 */
export class WritePermission {
  private state: 'unused' | 'used' | 'answered' = 'unused';
  private isEnded = false;

  /** @param unasked in this time the store need not be asked; null: it must be asked */
  constructor(
    private readonly rules: WriteRules,
    private readonly runtime: Runtime,
    private unasked: TimeLimit | null = null,
  ) {}

  /** True when what the store said is so new that it need not be asked again. */
  get isFresh(): boolean {
    return this.rules.isRepeatable === true || this.unasked?.isOver === false;
  }

  /** True when the platform may have received something that it has not answered. */
  get isUnanswered(): boolean {
    return this.state === 'used';
  }

  /** True when the platform may have received something. */
  get isUsed(): boolean {
    return this.state !== 'unused';
  }

  get leftMs(): number {
    return this.rules.leftMs;
  }

  /** Asks the store again if what it said is too old. */
  async refresh(): Promise<void> {
    if (this.isFresh) return;
    // This time begins before we ask, because a pause may be stored as soon as the store has read.
    const unasked = new TimeLimit(this.runtime, UNASKED_MS);
    // An answer of the store that comes later is of no use.
    await this.runtime.inTime(this.rules.ask(), UNASKED_MS, storeIsSlow);
    this.unasked = unasked;
  }

  /**
   * Call this directly before the first byte: nothing may be between the two.
   * @throws when it must not be written: then nothing of it was
   */
  use(): void {
    this.assertUnspent();
    this.rules.assertNow();
    if (!this.isFresh) throw storeIsSlow();
    this.state = 'used';
  }

  /** @throws InterceptedRequestError when it was used, or nobody waits for it any more */
  assertUnspent(): void {
    const { operation, isRepeatable } = this.rules;
    if (this.isUsed && !isRepeatable)
      throw new InterceptedRequestError(operation, 'passed it on a second time', true);
    if (this.isEnded)
      throw new InterceptedRequestError(operation, 'passed it on after its time', this.isUsed);
  }

  /** Somebody else may have written the request. */
  lose(): void {
    if (!this.isUsed) this.state = 'used';
  }

  /** An answer came. An answer that comes when nobody waits any more decides nothing. */
  answered(): void {
    if (!this.isEnded) this.state = 'answered';
  }

  /** From now on nobody waits for the request. */
  end(): void {
    this.isEnded = true;
  }
}

/** Returns the permission of a request that may be written at any time, and again. */
export function freePermission(
  operation: string,
  runtime: Runtime,
  assertNow: () => void = () => undefined,
): WritePermission {
  const rules = {
    operation,
    isRepeatable: true,
    ask: () => Promise.resolve(),
    assertNow,
    leftMs: 0,
  };
  return new WritePermission(rules, runtime);
}

const storeIsSlow = (): StoreUnavailableError =>
  new StoreUnavailableError(
    'it took longer than a second to say whether a create may be sent, so nothing was sent. Check the database and its load',
    { changedNothing: true },
  );

/**
 * Calls `end` once: when the time of a request is over, or when the application closes.
 *
 * A real `AbortSignal` takes a quarter of the CPU time of a whole request (Node 20): it is an `EventTarget`, which the garbage collector must
 * track.
 * @param shutdown a signal that ends the request as well. It has not aborted yet
 * @returns stops it
 */
export function untilDeadline(
  timeoutMs: number,
  shutdown: AbortSignal | undefined,
  end: (isLate: boolean) => void,
): CancelTimer {
  const clear = (): void => {
    clearTimeout(timer);
    shutdown?.removeEventListener('abort', close);
  };
  const close = (): void => {
    clear();
    end(false);
  };
  const timer = setTimeout(() => {
    clear();
    end(true);
  }, timeoutMs);
  shutdown?.addEventListener('abort', close);
  return clear;
}
