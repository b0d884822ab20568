const DOT = '•';
const HIDDEN_HASH = DOT.repeat(8);

/**
 * sha256 in hex or base64. The platform sends such hashes of phone numbers, and anyone can try all numbers. Letters of words
 * beside the hash may look like a part of it: `code`. Base64url without padding stays: a word and a UUID look the same.
 */
const HASH = String.raw`(?<![\da-f])[\da-f]{64,80}(?![\da-f])|(?:[\w+/-]|\\/|%2[bf]){43}(?:=|%3d|\\u003d)`;

/** Digits of these texts are not masked, although some of them look like a phone number. */
const UUID = String.raw`(?<![\da-f])[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}(?![\da-f])`;
const DATE = String.raw`(?<!\d[^\w:]?|\+)(?:19|20)\d\d-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])(?!\d)`;
const TIME = String.raw`${DATE}(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?)?`;
const BYTE = String.raw`(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)`;
const ADDRESS = String.raw`(?<!\d[^\w:]?|\+)${BYTE}(?:\.${BYTE}){3}(?!\.?\d)`;

/** A character in the escapes of JSON or of a URL. Without this, their letters and digits would belong to the number. */
const ESCAPE = String.raw`\\{1,8}(?:u[\da-f]{4}|x[\da-f]{2}|[bfnrtv])|%(?:25){0,4}(?:2[\da-f]|3[a-f]|40|5[b-f]|60|7[b-e]|0[9ad]|[c-f][\da-f](?:%[89ab][\da-f]){1,3})`;
const PLUS = String.raw`[+\uff0b\ufe62]|\\{1,8}(?:u002b|x2b)|%(?:25){0,4}2b`;

/** White space, brackets, points, dashes, slashes and invisible characters. A plus begins another number. */
const SEPARATOR = String.raw`(?!${PLUS})(?:${ESCAPE}|[\s()._,/\u00b7\u2022\u2027\u2219\u22c5\u30fb\u2044\u2212\p{Pd}\p{Z}\p{Cc}\p{Default_Ignorable_Code_Point}])`;

const WHOLE = new RegExp(`(?<hash>${HASH})|${UUID}|${TIME}|${ADDRESS}`, 'giu');
const HASHES = new RegExp(HASH, 'giu');
const ESCAPES = new RegExp(`(?<plus>${PLUS})|${ESCAPE}`, 'giu');
const BLANKS = /[\s\p{Z}\p{Cc}\p{Default_Ignorable_Code_Point}]/gu;
const DASHES = /[\u2212\p{Pd}]/gu;
const OTHER_SEPARATORS = /[()_\u00b7\u2022\u2027\u2219\u22c5\u30fb\u2044]/gu;
const SEPARATOR_HERE = new RegExp(String.raw`[\s\p{Z}]+|${SEPARATOR}`, 'iuy');

/** Between two digits of a number in a plain text: `GAP` may be nothing, or blanks and up to three signs; `ONE` is one separator only. */
const GAP = '(?: {0,60}(?:[-.,/] {0,60}){0,3})';
const ONE = '(?: {1,60}|[-.,/])';

/**
 * A phone number in a plain text: after a plus; with its country code or 0; or without both, unless it is an amount or a part of one, or
 * belongs to a reference. A year and a month in groups begin a time. After a number of an African country comes something else.
 */
const PHONE = new RegExp(
  String.raw`\+${GAP}(?:2(?:${GAP}\d){11}(?!\d)|\d(?:${GAP}\d){7,14}(?!\d)|\d{16,})` +
    String.raw`|(?<!\d)(?!20\d\d[-., ]+(?:0[1-9]|1[0-2])(?!\d))(?:(?:0${GAP}0${GAP})?2(?:${GAP}\d){11}|0${GAP}[17](?:${GAP}\d){8})(?!\d)` +
    String.raw`|(?<![\p{L}\d])0${GAP}[2-689](?:${GAP}\d){8}(?![\p{L}\d])` +
    String.raw`|(?<![\p{L}\d]|\d\.)(?!(?:\d[-,/ ]*){7}\.\d\d(?!\d))` +
    String.raw`(?:[17](?:${ONE}?\d){8}|\d{3}(?: {1,60}|[-./])\d{3}(?: {1,60}|[-./])\d{3}|(?<!\p{L}-)\d{9,12})(?![\p{L}\d]|\.\d{1,2}(?!\d))`,
  'gu',
);

/** Between two digits of a known number, there may be so many separators. */
const MOST_SEPARATORS = 3;

/**
 * Masks everything that looks like a phone number or a hash of one, in texts of customers, listeners and the platform. Ids, times and
 * amounts stay. The time that it needs grows with the length of the text and no faster.
 */
export function maskPhones(value: string): string {
  const parts: string[] = [];
  let end = 0;
  for (const found of value.matchAll(WHOLE)) {
    parts.push(maskNumbers(value.slice(end, found.index)));
    parts.push(found.groups?.['hash'] === undefined ? found[0] : HIDDEN_HASH);
    end = found.index + found[0].length;
  }
  parts.push(maskNumbers(value.slice(end)));
  return parts.join('');
}

/** A mask is at most 17 times shorter than what it hides. */
const LOOKED_AT = 20;

/** Returns so much of a text that its mask has `shown` characters, so that we do not look at the rest. */
export function beginningFor(value: string, shown: number): string {
  return value.slice(0, shown * LOOKED_AT);
}

/** Masks one known number in every form, and hashes. A host may use the number in its idempotency keys. */
export function maskThisPhone(value: string, phone: string): string {
  const digits = phone.replace(/\D/g, '');
  if (digits.length < 8) return value;
  // National numbers in Kenya and its neighbours are the last nine digits.
  const national = digits.slice(-9);
  const text = value.replace(HASHES, HIDDEN_HASH);
  const parts: string[] = [];
  let end = 0;
  for (let at = 0; at < text.length; at += 1) {
    const last = endOf(digits, text, at) ?? endOf(national, text, at);
    if (last === null) continue;
    parts.push(text.slice(end, at), hideDigits(text.slice(at, last)));
    end = last;
    at = last - 1;
  }
  parts.push(text.slice(end));
  return parts.join('');
}

/**
 * Masks an idempotency key of a payment: the number of its customer in every form, and what looks like a number of anyone else. Once the
 * number of the customer is removed, or when it was never known, we mask only what looks like a number.
 */
export function maskKey(key: string, phone: string | null): string {
  return maskPhones(maskThisPhone(key, phone ?? ''));
}

/**
 * Returns where these digits end in a text, with at most so many separators before each but the first; null when they do not begin there. A
 * regular expression of one number takes milliseconds to compile, and lists have many numbers.
 */
function endOf(digits: string, text: string, at: number, separators = 0): number | null {
  if (digits === '') return at;
  const next = endOfDigit(digits.charAt(0), text, at);
  if (next !== null) return endOf(digits.slice(1), text, next, MOST_SEPARATORS);
  if (separators === 0) return null;
  for (const end of separatorEnds(text, at)) {
    const last = endOf(digits, text, end, separators - 1);
    if (last !== null) return last;
  }
  return null;
}

/** Returns where this digit ends in a text, in any script; null when it is not there. */
function endOfDigit(digit: string, text: string, at: number): number | null {
  if (text[at] === digit) return at + 1;
  if (!(text.charCodeAt(at) > 0x7f)) return null;
  const character = String.fromCodePoint(text.codePointAt(at) as number);
  return /\p{Nd}/u.test(character) && asciiDigit(character) === digit
    ? at + character.length
    : null;
}

/** Returns where a separator may end: `%2520` is an encoded space, or an encoded percent before the digits 20. */
function separatorEnds(text: string, at: number): number[] {
  SEPARATOR_HERE.lastIndex = at;
  const found = SEPARATOR_HERE.exec(text)?.[0];
  if (found === undefined) return [];
  const ends = [at + found.length];
  for (let end = at + 3; end < at + found.length && found.startsWith('%25'); end += 2) {
    if (text.slice(end - 2, end) !== '25') break;
    ends.push(end);
  }
  return ends;
}

function maskNumbers(text: string): string {
  const parts: string[] = [];
  let end = 0;
  for (const { index, 0: found } of plainOf(text).matchAll(PHONE)) {
    parts.push(text.slice(end, index), hideDigits(text.slice(index, index + found.length)));
    end = index + found.length;
  }
  return parts.join('') + text.slice(end);
}

/** Returns the same text with ASCII digits and ASCII separators, and with spaces for escapes, each as long as what it stands for. */
function plainOf(text: string): string {
  return text
    .replace(ESCAPES, (found, plus?: string) => (plus ? '+' : ' ').padStart(found.length))
    .replace(BLANKS, ({ length }) => ' '.repeat(length))
    .replace(DASHES, '-')
    .replace(OTHER_SEPARATORS, '/')
    .replace(/(?![0-9])\p{Nd}/gu, (digit) => asciiDigit(digit).padEnd(digit.length));
}

function hideDigits(number: string): string {
  let left = number.split(/\p{Nd}/u).length - 1;
  return number.replace(/\p{Nd}/gu, (digit) => (left-- > 2 ? DOT : digit));
}

/** Unicode has the ten digits of a script one after the other: the value is the distance from the first. */
function asciiDigit(digit: string): string {
  const code = digit.codePointAt(0) as number;
  let distance = 0;
  while (/\p{Nd}/u.test(String.fromCodePoint(code - distance - 1))) distance += 1;
  return String(distance % 10);
}
