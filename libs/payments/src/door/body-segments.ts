const SMALLEST = 1024;
const LARGEST = 16 * 1024;

/**
 * Collects the chunks of one body. It copies them together, because each chunk of one byte would cost some hundred bytes as an
 * object of its own. It holds at most twice the bytes of the body, or 1 kB.
 */
export class BodySegments {
  /** Bytes of the body so far. */
  length = 0;
  /** Bytes of memory that the segments hold. */
  held = 0;
  private readonly full: Buffer[] = [];
  private tail = Buffer.alloc(0);
  private used = 0;

  add(chunk: Buffer): void {
    let rest = chunk;
    while (rest.length > 0) {
      if (this.used === this.tail.length) this.grow(rest.length);
      const copied = rest.copy(this.tail, this.used);
      this.used += copied;
      this.length += copied;
      rest = rest.subarray(copied);
    }
  }

  concat(): Buffer {
    return Buffer.concat([...this.full, this.tail.subarray(0, this.used)], this.length);
  }

  private grow(needed: number): void {
    if (this.used > 0) this.full.push(this.tail);
    const bytes = Math.max(needed, SMALLEST, Math.min(this.length, LARGEST));
    // Not from Node's pool: a small segment would keep a whole pool in memory.
    this.tail = Buffer.allocUnsafeSlow(bytes);
    this.used = 0;
    this.held += bytes;
  }
}
