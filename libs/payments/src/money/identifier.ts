const IDENTIFIER = /^[A-Za-z0-9_-]{1,128}$/;

/** Whether a text is an id: opaque and case-sensitive. A text that could change a URL (`.`, `..`, `/`, `?`, `%2f`) is none. */
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

/** The path segments of an absolute or relative URL, not decoded; an empty list when the value is no URL. */
export function pathSegments(url: unknown): string[] {
  if (typeof url !== 'string' || !URL.canParse(url, 'https://relative.invalid')) return [];
  return new URL(url, 'https://relative.invalid').pathname.split('/').filter(Boolean);
}
