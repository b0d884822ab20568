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
const TOKENS = new RegExp(String.raw`(?:${PLUS}|${ESCAPE})|(?<digits>\p{Nd}+)`, 'giu');
const JOINS = new RegExp(`^(?:${SEPARATOR}){1,3}$`, 'iu');
const JOINS_CLOSELY = new RegExp(`^(?:${SEPARATOR})$`, 'iu');
const SPACES = /[\s\p{Z}]+/gu;
const SEPARATOR_HERE = new RegExp(`${SPACES.source}|${SEPARATOR}`, 'iuy');
const ENDS_WITH_PLUS = new RegExp(`(?:${PLUS})(?:${SEPARATOR}){0,2}$`, 'iu');
const ENDS_WITH_ESCAPE = new RegExp(`(?:${ESCAPE})$`, 'iu');

/** The longest text between two groups of a number: three escapes. */
const LONGEST_GAP = 120;
const MOST_DIGITS = 15;

/** Between two digits of a known number. */
const MOST_SEPARATORS = 3;

/** Digits without a break, and what stands before and after them. */
interface Group {
  start: number;
  end: number;
  digits: string;
  gap: string;
  joins: boolean;
  joinsClosely: boolean;
  isAfterPlus: boolean;
  /** Part of a word, such as a reference. */
  isAfterLetter: boolean;
  isBeforeLetter: boolean;
}

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

/** A mask is shorter than what it hides, at most 17 times. */
const LOOKED_AT = 20;

/** What is enough of a text to mask it and then show so many characters: what is further behind is not looked at. */
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
 * number of the customer is removed or was never known, it is only what looks like a number that is masked.
 */
export function maskKey(key: string, phone: string | null): string {
  return maskPhones(maskThisPhone(key, phone ?? ''));
}

/**
 * Where these digits end in a text, with at most so many separators before each but the first; null when they do not begin there. A
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

/** Where this digit ends in a text, in any script; null when it is not there. */
function endOfDigit(digit: string, text: string, at: number): number | null {
  if (text[at] === digit) return at + 1;
  if (!(text.charCodeAt(at) > 0x7f)) return null;
  const character = String.fromCodePoint(text.codePointAt(at) as number);
  return /\p{Nd}/u.test(character) && asciiDigit(character) === digit
    ? at + character.length
    : null;
}

/** Where a separator may end: `%2520` is an encoded space, or an encoded percent before the digits 20. */
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
  const groups = groupsOf(text);
  const parts: string[] = [];
  let end = 0;
  for (let first = 0; first < groups.length; first += 1) {
    const last = lastOfPhone(groups, first);
    if (last === null) continue;
    const [from, to] = [groups[first] as Group, groups[last] as Group];
    parts.push(text.slice(end, from.start));
    parts.push(hideDigits(text.slice(from.start, to.end)));
    end = to.end;
    first = last;
  }
  parts.push(text.slice(end));
  return parts.join('');
}

function groupsOf(text: string): Group[] {
  const groups: Group[] = [];
  let end = 0;
  for (const { index: start, 0: found, groups: named } of text.matchAll(TOKENS)) {
    if (named?.['digits'] === undefined) continue;
    const gap = text.slice(Math.max(end, start - LONGEST_GAP), start);
    // A page shows many spaces as one.
    const shown = gap.replace(SPACES, ' ');
    const joins = groups.length > 0 && start - end < LONGEST_GAP && JOINS.test(shown);
    // Escapes end with letters or digits.
    const before = ENDS_WITH_ESCAPE.test(gap.slice(-LONGEST_GAP / 3)) ? '' : gap;
    end = start + found.length;
    groups.push({
      start,
      end,
      digits: found.replace(/[^0-9]/gu, asciiDigit),
      gap,
      joins,
      joinsClosely: joins && JOINS_CLOSELY.test(shown),
      isAfterPlus: ENDS_WITH_PLUS.test(gap.slice(-LONGEST_GAP / 2)),
      isAfterLetter: /\p{L}$/u.test(before.slice(-2)),
      isBeforeLetter: /^\p{L}/u.test(text.slice(end, end + 2)),
    });
  }
  return groups;
}

/** The last group of the longest phone number that begins with the first group; null when none does. */
function lastOfPhone(groups: readonly Group[], first: number): number | null {
  const start = groups[first] as Group;
  let digits = '';
  let written = '';
  let isClose = true;
  let found: number | null = null;
  for (let last = first; last < groups.length; last += 1) {
    const group = groups[last] as Group;
    if (last > first) {
      if (!group.joins) break;
      isClose &&= group.joinsClosely;
      written += group.gap;
    }
    if (last > first && digits.length + group.digits.length > MOST_DIGITS) break;
    digits += group.digits;
    written += group.digits;
    if (start.isAfterPlus) {
      if (digits.length >= 8) found = last;
      // A number of an African country is complete. The next group is something else.
      if (/^2\d{11}$/.test(digits)) break;
      continue;
    }
    const isGlued = start.isAfterLetter || group.isBeforeLetter;
    if (isCertain(digits, last > first, isGlued)) found = last;
    else if (!isGlued && isClose && isLikely(digits, written, groups, first, last)) found = last;
  }
  return found;
}

/** A number with its country code or 0. A year and a month in groups begin a time. */
function isCertain(digits: string, isGrouped: boolean, isGlued: boolean): boolean {
  if (isGrouped && /^20\d\d(?:0[1-9]|1[0-2])/.test(digits)) return false;
  return (
    /^(?:00)?2\d{11}$/.test(digits) || (isGlued ? /^0[17]\d{8}$/ : /^0[1-9]\d{8}$/).test(digits)
  );
}

/** A number without country code and 0, unless it is an amount or a part of one, or belongs to a reference. */
function isLikely(
  digits: string,
  written: string,
  groups: readonly Group[],
  first: number,
  last: number,
): boolean {
  const [start, next] = [groups[first] as Group, groups[last + 1]];
  if (next?.joins && next.gap === '.' && next.digits.length <= 2) return false;
  if (start.joins && start.gap === '.') return false;
  if (/^[1-9][^.]*\.\d\d$/.test(written)) return false;
  if (/^[17]\d{8}$/.test(digits)) return true;
  if (first === last) return /^\d{9,12}$/.test(digits) && !/[\p{L}\d]-$/u.test(start.gap);
  return /^\d{3}[^\d,]+\d{3}[^\d,]+\d{3}$/.test(written);
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
