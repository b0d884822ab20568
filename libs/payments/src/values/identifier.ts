const IDENTIFIER = /^[A-Za-z0-9_-]{1,128}$/;

/** Ids are opaque and case-sensitive; what could change a URL (`.`, `..`, `/`, `?`, `%2f`) is no id. */
export function isIdentifier(text: unknown): text is string {
  return typeof text === 'string' && IDENTIFIER.test(text);
}

/**
 * The id at the end of a `Location`, whatever else stands in it: another host, `http`, no `/api/vN`. Only the id is
 * taken, the URL is never followed. Null unless the text, as it came, ends in the collection's name and an id: of
 * `.../incoming_payments/..` a URL parser would make an id that nobody gave.
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

/** The path segments of an absolute or relative URL, undecoded; none when it is no URL. */
export function pathSegments(url: unknown): string[] {
  if (typeof url !== 'string' || !URL.canParse(url, 'https://relative.invalid')) return [];
  return new URL(url, 'https://relative.invalid').pathname.split('/').filter(Boolean);
}
