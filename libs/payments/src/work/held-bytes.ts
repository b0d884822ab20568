import { DELIVERY_WORK } from './backoff.js';

/** After fifty small pieces, a large one counts as one of some per cent of its size. */
const FORGOTTEN_SHARE = 0.9;

/** The memory that something may hold: of all accounts together, and of each of them, so that one leaves room for the others. */
export class HeldBytes {
  private held = 0;
  private largest = 1;
  private readonly heldOf = new Map<string, number>();

  /** Whether more is held than may be: of all accounts, and of one. */
  get isOver(): boolean {
    return this.held > DELIVERY_WORK.mostHeldBytes;
  }

  isOverOf(account: string): boolean {
    return (this.heldOf.get(account) ?? 0) > DELIVERY_WORK.mostHeldBytesOfAccount;
  }

  /** Whether so many bytes more fit in. What an account holds alone always fits: else a large piece would never be done. */
  fits(account: string, bytes: number): boolean {
    const { mostHeldBytes, mostHeldBytesOfAccount } = DELIVERY_WORK;
    const ofAccount = this.heldOf.get(account) ?? 0;
    if (ofAccount === 0) return this.held <= mostHeldBytes;
    return this.held + bytes <= mostHeldBytes && ofAccount + bytes <= mostHeldBytesOfAccount;
  }

  /** So many pieces more may be claimed, if they are as large as the last large ones. */
  get pieces(): number {
    const room = DELIVERY_WORK.mostHeldBytes - this.held;
    return room <= 0 ? 0 : Math.max(1, Math.floor(room / this.largest));
  }

  /** A piece of this size waits or comes. */
  note(bytes: number): void {
    this.largest = Math.max(bytes, this.largest * FORGOTTEN_SHARE, 1);
  }

  add(account: string, bytes: number): void {
    this.note(bytes);
    this.held += bytes;
    this.heldOf.set(account, (this.heldOf.get(account) ?? 0) + bytes);
  }

  remove(account: string, bytes: number): void {
    this.held -= bytes;
    const left = (this.heldOf.get(account) ?? 0) - bytes;
    if (left > 0) this.heldOf.set(account, left);
    else this.heldOf.delete(account);
  }
}
