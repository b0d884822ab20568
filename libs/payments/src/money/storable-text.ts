/** U+0000 and half of a surrogate pair: PostgreSQL cannot store them in text. */
const UNSTORABLE = /\0|\p{Surrogate}/u;

export function isStorable(text: string): boolean {
  return !UNSTORABLE.test(text);
}

/**
 * A text as every store keeps it: `␀` and U+FFFD stand for what cannot be stored, so that it makes no change and no delivery fail. The body of the delivery
 * keeps the original bytes.
 */
export function storableText(text: string): string {
  return text.replaceAll('\0', '␀').replace(/\p{Surrogate}/gu, '\ufffd');
}
