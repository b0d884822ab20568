import { Counts } from '../runtime/per-account.js';
import { HeldBytes } from '../runtime/recent.js';

/**
 * The work that this process has claimed, by queue: the callbacks, the webhooks, or the calls of one listener. The commit that writes a new piece may claim
 * it too, which saves a query. It may not while older pieces of its queue wait in the store, because they would wait for as long as new ones come.
 */
export class ClaimedWork {
  private readonly heldOf = new Counts();
  private readonly reservedOf = new Counts();
  private readonly bytes = new HeldBytes();
  /** The queues of which some may still wait in the store, each with the number of the last piece that was left there. */
  private readonly behind = new Map<string, number>();
  private left = 0;

  /** True when the commit that writes a piece of so many bytes may also claim it. */
  mayClaim(queue: string, account: string, bytes: number): boolean {
    return !this.isBehind(queue) && this.bytes.fits(account, bytes);
  }

  /** True when the pieces that we hold leave room for more of an account. */
  hasRoom(account: string): boolean {
    return this.bytes.fits(account, 0);
  }

  /** The size of the pieces that we hold, and of the last ones, allows us to claim this many more. */
  get mostNow(): number {
    return this.bytes.pieces;
  }

  /** Keeps room for a piece that a commit claims; `release` must follow. */
  reserve(queue: string): void {
    this.reservedOf.add(queue);
  }

  release(queue: string): void {
    this.reservedOf.remove(queue);
  }

  /** Returns the number of pieces that commits under way may claim. */
  reserved(queue: string): number {
    return this.reservedOf.count(queue);
  }

  /** Holds a claimed piece; `remove` must follow. */
  add(queue: string, account: string, bytes: number): void {
    this.heldOf.add(queue);
    this.bytes.add(account, bytes);
  }

  remove(queue: string, account: string, bytes: number): void {
    this.heldOf.remove(queue);
    this.bytes.remove(account, bytes);
  }

  count(queue: string): number {
    return this.heldOf.count(queue);
  }

  /** A piece was left in the store. */
  leave(queue: string): void {
    this.left += 1;
    this.behind.set(queue, this.left);
  }

  /** Notes the size of a piece that waits in the store. */
  noteBytes(bytes: number): void {
    this.bytes.note(bytes);
  }

  /** The number of the last piece that was left in the store: a claim that begins now and gets all gets that one. */
  get lastLeft(): number {
    return this.left;
  }

  /** A claim got all of a queue. @param lastLeft as it was before the claim: what was left since may wait still */
  caughtUp(queue: string, lastLeft: number): void {
    if ((this.behind.get(queue) ?? 0) <= lastLeft) this.behind.delete(queue);
  }

  /** True when some of a queue may still wait in the store. */
  isBehind(queue: string): boolean {
    return this.behind.has(queue);
  }
}
