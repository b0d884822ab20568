/** Names of fields with a card number. Only `customer_cc_number` is published: `cc` is a word of its own in others. */
const CARD_FIELD =
  /[Cc]ard_?[Nn]umber$|CARD_?NUMBER$|(?:^|_|[a-z](?=[A-Z]))(?:[Cc]{2}|CC)_?(?:[Nn]umber|NUMBER)$/;

/** No card number has less digits. A host's metadata may have a field with such a name. */
const LEAST_DIGITS = 12;

/** Says quickly that a text has no such field. An escape may stand for any letter of its name. */
const MAY_HAVE_CARD = /(?:cc|card)_?number|\\u/i;

/** A JSON string, up to the end of the text if that comes first. It matches any text in linear time. */
const STRING = '"(?:[^"\\\\]|\\\\.)*(?:"|\\\\?$)';

/** The end of a name that may be one of these, or an escape in a string that may be one. */
const MAY_BE_NAME = /(?:[Nn]umber|NUMBER)(?="\s*:)|\\u/g;

/** These signs follow the name of a field. */
const AFTER_NAME = /"\s*:\s*/y;

/** A part of a value: a string, a bracket, or what stands between them. */
const PART = new RegExp(`${STRING}|[[{\\]}]|[^"[\\]{}]+`, 'gs');

/** A value that is no list and no object. */
const SCALAR = new RegExp(`${STRING}|[^\\s,\\]}]*`, 'ys');

const MOST_DIGITS = 4;

/**
 * Returns at most the last four digits of a card number, however much of it the platform masked; null when it does not end in a digit. A number so
 * large that JavaScript cannot represent it has lost its last digits.
 */
export function lastDigits(value: unknown): string | null {
  if (typeof value !== 'string' && !Number.isSafeInteger(value)) return null;
  const text = String(value).replace(/[\s-]/g, '');
  return /\d+$/.exec(text.slice(-MOST_DIGITS))?.[0] ?? null;
}

/**
 * Replaces each card number in a JSON text by its last digits: it must never be stored whole. Every other byte stays as it is.
 * @param text also the bytes of a body, each as one character
 */
export function sealCardNumbers(text: string): string {
  if (!MAY_HAVE_CARD.test(text)) return text;
  const names = new RegExp(MAY_BE_NAME);
  const after = new RegExp(AFTER_NAME);
  let written = '';
  let from = 0;
  for (let found = names.exec(text); found; found = names.exec(text)) {
    const end = text.indexOf('"', found.index);
    if (end === -1) break;
    names.lastIndex = after.lastIndex = end;
    // The quote that we find may be within a name instead of at its beginning. The end of the name is enough to recognise the field.
    const name = text.slice(text.lastIndexOf('"', found.index), end + 1);
    if (!after.test(text) || !CARD_FIELD.test(textOf(name))) continue;
    const start = after.lastIndex;
    names.lastIndex = endOfValue(text, start);
    const value = text.slice(start, names.lastIndex);
    if (!mayBeCardNumber(value)) continue;
    written += text.slice(from, start) + JSON.stringify(sealed(value));
    from = names.lastIndex;
  }
  return written + text.slice(from);
}

/** Brackets count only outside of strings. */
function endOfValue(text: string, start: number): number {
  const isScalar = !/[[{]/.test(text.charAt(start));
  const parts = new RegExp(isScalar ? SCALAR : PART);
  parts.lastIndex = start;
  for (let level = 0; ;) {
    const [part] = parts.exec(text) ?? [];
    if (part === undefined) return text.length;
    if (part === '[' || part === '{') level += 1;
    if (part === ']' || part === '}') level -= 1;
    if (level <= 0) return parts.lastIndex;
  }
}

/** Replaces the card numbers of a parsed object in place, at any depth. */
export function sealCardNumber(object: Record<string, unknown>): void {
  for (const [name, value] of Object.entries(object)) {
    if (CARD_FIELD.test(name) && mayBeCardNumber(JSON.stringify(value) ?? ''))
      object[name] = lastDigits(value);
    else if (typeof value === 'object' && value !== null)
      sealCardNumber(value as Record<string, unknown>);
  }
}

/** @param value as it stands in JSON */
function mayBeCardNumber(value: string): boolean {
  // A number may be written with an exponent, and a masked digit may be any other character.
  const shown = value.startsWith('"') ? textOf(value).replace(/[\s-]/g, '') : value;
  return (
    /^[[{]|^-?\d+[.eE]/.test(shown) || shown.replace(/[^\d*xX•.#]/g, '').length >= LEAST_DIGITS
  );
}

/** Returns what we keep of a value as it stands in JSON; null when that is nothing. */
function sealed(value: string): string | null {
  if (value.startsWith('"')) return lastDigits(textOf(value));
  return /^\d+$/.test(value) ? lastDigits(value) : null;
}

/** Returns the text of a JSON string. A value that is no JSON string stands for itself: then the whole body is no JSON. */
function textOf(string: string): string {
  try {
    return String(JSON.parse(string));
  } catch {
    return string;
  }
}
