const IDENTIFIER = /^[A-Za-z0-9_-]{1,128}$/;

/** True for an id, which is opaque and case-sensitive. A text that could change a URL (`.`, `..`, `/`, `?`, `%2f`) is none. */
export function isIdentifier(text: unknown): text is string {
  return typeof text === 'string' && IDENTIFIER.test(text);
}

/**
 * Reads the id at the end of a `Location`. The rest of the URL may be anything (another host, `http`, no `/api/vN`): we
 * never follow it. Null unless the text ends in the collection's name and an id. The text is not parsed as a URL first: a
 * URL parser would turn `.../incoming_payments/..` into another path.
 */
export function identifierFromUrl(location: unknown, collection: string): string | null {
  if (typeof location !== 'string') return null;
  const path = location
    .trim()
    .replace(/[?#].*$/s, '')
    .replace(/\/$/, '');
  const [name, id] = path.split('/').slice(-2);
  return name === collection && isIdentifier(id) ? id : null;
}

/** Returns the path segments of an absolute or relative URL, not decoded; an empty list when the value is no URL. */
export function pathSegments(url: unknown): string[] {
  if (typeof url !== 'string' || !URL.canParse(url, 'https://relative.invalid')) return [];
  return new URL(url, 'https://relative.invalid').pathname.split('/').filter(Boolean);
}

/** U+0000 and half of a surrogate pair: PostgreSQL cannot store them in text. */
const UNSTORABLE = /\0|\p{Surrogate}/u;

export function isStorable(text: string): boolean {
  return !UNSTORABLE.test(text);
}

/**
 * Returns a text as every store keeps it: `␀` and U+FFFD stand for what cannot be stored, so that it makes no change and no delivery fail. The body
 * of the delivery keeps the original bytes.
 */
export function storableText(text: string): string {
  return text.replaceAll('\0', '␀').replace(/\p{Surrogate}/gu, '\ufffd');
}

/** People write an account with these signs. Any other sign is invisible, or makes another account that looks the same. */
const WRITTEN = /^[\p{L}\p{N} ./-]*$/u;

/** Says why a text is no number or id of an account; null when it is one. */
export function accountProblem(value: unknown): string | null {
  if (typeof value !== 'string' || value.trim() === '') return 'must be filled in';
  if (!WRITTEN.test(value.trim().normalize('NFKC')))
    return 'must have only letters, digits, blanks, hyphens, dots and slashes: type it, a copy may have invisible characters';
  return plainAccount(value) === '' ? 'must have a letter or a digit' : null;
}

/**
 * Returns a form by which we recognise an account, however its number or id is written: people group digits, and paste wide ones or letters
 * of another case.
 */
export function plainAccount(written: string): string {
  return written
    .normalize('NFKC')
    .replace(/[^\p{L}\p{N}]/gu, '')
    .toLowerCase();
}

/** Returns a form by which we recognise a till or paybill number: also without its `K` and its leading zeros, in any order. */
export function plainShortCode(written: string): string {
  return plainAccount(written).replace(/^0*k?0*(?=\d)/, '');
}

/** What stands for a value until something replaces it, and what we call it: an error must repeat no part of a secret. */
const PLACEHOLDERS: readonly [sign: string, written: RegExp][] = [
  ['${...}', /\$\{[A-Za-z_][\w.]*(?:[:?+-][^}]*)?\}/],
  ['$NAME', /^\$[A-Z_][A-Z0-9_]*$/],
  ['$(...)', /^\$\(.*\)$/],
  ['{{...}}', /\{\{.*\}\}/],
];

/** Says why a setting is what stands in a file, and not what was meant by it; null when it may be meant so. */
export function rawTextProblem(text: string): string | null {
  if (/^(["'`]).*\1$/s.test(text))
    return "has quotes around it, which some readers of files keep as a part of the value, such as Docker's --env-file: remove the quotes";
  const [sign] = PLACEHOLDERS.find(([, written]) => written.test(text)) ?? [];
  return sign === undefined
    ? null
    : `has a ${sign} that nothing has replaced, because not every reader of files does: write the value itself`;
}

/**
 * Returns the error text for a URL that must be secure; null when it is valid. Plain `http:` is allowed on this machine only (`localhost`,
 * `127.0.0.0/8`, `[::1]`), for development.
 */
export function secureUrlProblem(text: unknown): string | null {
  const url = typeof text === 'string' ? parseUrl(text) : null;
  if (url === null) return 'must be an absolute https: URL';
  if (url.username || url.password) return 'must carry no user name or password';
  if (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname)))
    return null;
  return 'must start with https: (http: is allowed for localhost, 127.0.0.0/8 and [::1] only)';
}

/**
 * True when the platform at this address moves no money: it is its sandbox, by the name of the host, or a simulator on this machine. Any
 * other address counts as the real platform.
 */
export function isSandbox(baseUrl: string): boolean {
  const hostname = parseUrl(baseUrl)?.hostname ?? '';
  return isLoopback(hostname) || /(?:^|[.-])sandbox(?:[.-]|$)/.test(hostname);
}

/** `URL.canParse` before `new URL` would parse each valid URL twice. */
function parseUrl(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}

/** True when a host name or address, as `URL` writes it, is of this machine only. */
export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}

/** A value in metadata; a number must be finite. @publicApi */
export type MetadataValue = string | number | boolean | null;

/**
 * The host's own data on a payment: at most 5 keys. The platform sends them back unchanged with the result.
 * @see docs/conformance.md#incoming-payments
 * @publicApi
 */
export type Metadata = Record<string, MetadataValue>;

const MAX_METADATA_KEYS = 5;

/** Returns the error text for wrong metadata; null when it is valid. */
export function metadataProblem(metadata: unknown): string | null {
  if (typeof metadata !== 'object' || metadata === null || Array.isArray(metadata)) {
    return 'must be an object of keys and plain values';
  }
  const entries = Object.entries(metadata);
  if (entries.length > MAX_METADATA_KEYS) {
    return `has ${entries.length} keys; the platform accepts ${MAX_METADATA_KEYS} at most`;
  }
  const wrong = entries.find(([, value]) => !isMetadataValue(value));
  return wrong
    ? `has a value at "${wrong[0]}" that is not a string, finite number, boolean or null`
    : null;
}

function isMetadataValue(value: unknown): value is MetadataValue {
  return (
    value === null ||
    typeof value === 'string' ||
    typeof value === 'boolean' ||
    (typeof value === 'number' && Number.isFinite(value))
  );
}

/** True when two sets of metadata are equal, in whatever order their keys are. No metadata equals empty metadata. */
export function isSameMetadata(one: Metadata | null, other: Metadata | null): boolean {
  const canonical = (metadata: Metadata | null): string =>
    JSON.stringify(
      Object.entries(metadata ?? {}).sort(([first], [second]) => (first < second ? -1 : 1)),
    );
  return canonical(one) === canonical(other);
}
