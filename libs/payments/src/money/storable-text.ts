/** U+0000 and half of a surrogate pair: PostgreSQL cannot store them in text. */
const UNSTORABLE = /\0|\p{Surrogate}/u;

export function isStorable(text: string): boolean {
  return !UNSTORABLE.test(text);
}
