/** Names of fields with a card number. Only `customer_cc_number` is published. */
const CARD_FIELD = /(?:cc|card)_?number$/i;

/** Says quickly that a text has no such field. An escape may stand for any letter of its name. */
const MAY_HAVE_CARD = /(?:cc|card)_?number|\\u/i;

/**
 * A field of a JSON object and its value, unless that contains another object or list; or any other piece of JSON. It matches any
 * text in linear time.
 */
const FIELD =
  /("(?:[^"\\]|\\.)*")(\s*:\s*)("(?:[^"\\]|\\.)*(?:"|\\?$)|-?\d[\d.eE+-]*|\[[^[\]{}]*\]|\{[^[\]{}]*\})|"(?:[^"\\]|\\.)*(?:"|\\?$)|[^"]+/gs;

const MOST_DIGITS = 4;

/**
 * At most the last four digits of a card number, however much of it the platform masked; null when it does not end in a digit. A
 * number so large that JavaScript cannot represent it has lost its last digits.
 */
export function lastDigits(value: unknown): string | null {
  if (typeof value !== 'string' && !Number.isSafeInteger(value)) return null;
  const text = String(value).replace(/[\s-]/g, '');
  return /\d+$/.exec(text)?.[0].slice(-MOST_DIGITS) ?? null;
}

/**
 * Replaces each card number in a JSON text by its last digits: it must never be stored whole. Every other byte stays as it is.
 * @param text also the bytes of a body, each as one character
 */
export function sealCardNumbers(text: string): string {
  if (!MAY_HAVE_CARD.test(text)) return text;
  return text.replace(FIELD, (piece, name?: string, colon?: string, value?: string) => {
    if (name === undefined || value === undefined) return piece;
    if (CARD_FIELD.test(textOf(name))) return name + colon + JSON.stringify(sealed(value));
    return /^[[{]/.test(value) ? name + colon + sealCardNumbers(value) : piece;
  });
}

/** Replaces the card numbers of a parsed object in place. */
export function sealCardNumber(object: Record<string, unknown>): void {
  for (const name of Object.keys(object))
    if (CARD_FIELD.test(name)) object[name] = lastDigits(object[name]);
}

/** What stays of a value as it stands in JSON. */
function sealed(value: string): string | null {
  if (value.startsWith('"')) return lastDigits(textOf(value));
  return /^\d+$/.test(value) ? lastDigits(value) : null;
}

/** The text of a JSON string. What is no JSON string stands for itself: then the whole body is no JSON. */
function textOf(string: string): string {
  try {
    return String(JSON.parse(string));
  } catch {
    return string;
  }
}
