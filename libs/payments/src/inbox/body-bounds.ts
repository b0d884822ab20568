/**
 * Strings, values, brackets and escapes of one body that are read. A text with more costs seconds, however few bytes it has: a result of
 * one operation has some hundred, and a list of a thousand transactions about as many as this.
 */
const MOST_PARTS = 50_000;

/** Bytes that are kept of a body with more. */
const KEPT_BYTES = 64 * 1024;

/** Stands at the end of what is kept, for people. It is no JSON, so that what is left never means something else than the whole. */
const REST = Buffer.from('\n... the rest is not kept: too many names, values and escapes');

const QUOTE = '"'.charCodeAt(0);
const COMMA = ','.charCodeAt(0);
const ESCAPE = '\\'.charCodeAt(0);
const PERCENT = '%'.charCodeAt(0);
const OPEN = '{'.charCodeAt(0);
const CLOSE = '}'.charCodeAt(0);
/** This bit makes `[` to `{`, and `]` to `}`. */
const BRACKET_BIT = 0x20;

/** Why a body with more than `MOST_PARTS` is not understood. */
export const TOO_MANY_PARTS = `it has more than ${MOST_PARTS.toLocaleString('en')} names, values and escapes: only its beginning is kept`;

/** What is kept of a body: all of it, or the beginning of one with too many parts. Nothing else may read a body before. */
export function boundedBody(body: Buffer): Buffer {
  const cut = cutOf(body);
  return cut === null ? body : Buffer.concat([body.subarray(0, cut), REST]);
}

/** Whether a body has too many parts, or is what is kept of one. */
export function hasTooManyParts(body: Buffer): boolean {
  return body.subarray(-REST.length).equals(REST) || cutOf(body) !== null;
}

/**
 * Where a body with too many parts is cut; null for any other. It looks at each byte once, and at none after the last part that is read. It
 * never cuts within a value: half of a card number would not be recognised as one.
 */
function cutOf(body: Buffer): number | null {
  if (body.length <= MOST_PARTS) return null;
  const inString = new StringParts(body);
  let [parts, level, cut] = [0, 0, 0];
  for (let at = 0; at < body.length; at += 1) {
    const byte = body[at] as number;
    const bracket = byte | BRACKET_BIT;
    if (byte === QUOTE) {
      const { escapes, end } = inString.from(at + 1, MOST_PARTS - parts);
      parts += escapes + 1;
      at = end;
    } else if (byte === COMMA || bracket === OPEN) {
      parts += 1;
      if (bracket === OPEN) level += 1;
      // Outside of all brackets, the beginning could be JSON.
      if (level > 0 && at < KEPT_BYTES) cut = bracket === OPEN ? at + 1 : at;
    } else if (bracket === CLOSE) level -= 1;
    // An escape outside of strings is no JSON, and work all the same.
    else if (byte === ESCAPE || byte === PERCENT) parts += 1;
    if (parts > MOST_PARTS) return cut;
  }
  return null;
}

/** Finds the ends of strings, and counts their escapes. `indexOf` is much faster than to look at each byte. */
class StringParts {
  private escape = -1;
  private percent = -1;

  constructor(private readonly body: Buffer) {}

  /** @param most it stops after one escape more */
  from(start: number, most: number): { escapes: number; end: number } {
    let escapes = 0;
    let at = start;
    let end = this.next(QUOTE, at);
    while (escapes <= most) {
      if (this.escape < at) this.escape = this.next(ESCAPE, at);
      if (this.percent < at) this.percent = this.next(PERCENT, at);
      const first = Math.min(this.escape, this.percent);
      if (first >= end) break;
      escapes += 1;
      at = first + (first === this.escape ? 2 : 1);
      if (end < at) end = this.next(QUOTE, at);
    }
    return { escapes, end };
  }

  private next(byte: number, from: number): number {
    const found = this.body.indexOf(byte, from);
    return found === -1 ? this.body.length : found;
  }
}
