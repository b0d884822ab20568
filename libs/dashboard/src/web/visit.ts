import type { PlatformRequest } from './platform.request.js';

/** What stands behind the question mark of a link. */
export type LinkQuery = Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * One request, as the pages see it. Links are relative, made from the request's own URL, so that a prefix, a version or
 * the path of a proxy cannot break them.
 */
export class Visit {
  readonly query: URLSearchParams;
  /** Fields of the form that was sent, once it was read. */
  form = new URLSearchParams();
  private readonly up: string;

  /**
   * @param depth segments of the route below the path of the dashboard
   */
  constructor(
    request: PlatformRequest,
    depth: number,
    /** Who is looking. */
    readonly operator: string,
  ) {
    const [path, query] = split(request.originalUrl ?? request.url);
    this.query = new URLSearchParams(query);
    this.up = upFrom(path, depth);
  }

  /** The first value of a query parameter; undefined when it is missing or empty. */
  asked(name: string): string | undefined {
    return this.query.get(name)?.trim() || undefined;
  }

  /** The first value of a field of the form; undefined when it is missing or empty. */
  field(name: string): string | undefined {
    return this.form.get(name)?.trim() || undefined;
  }

  /** A link to a page of ours, from where the browser is now. */
  link(page: string, query: LinkQuery = {}): string {
    const pairs = Object.entries(query).flatMap(([name, value]) =>
      (typeof value === 'string' ? [value] : (value ?? [])).map((one): [string, string] => [
        name,
        one,
      ]),
    );
    const text = new URLSearchParams(pairs).toString();
    return `${this.up}${page}${text && `?${text}`}`;
  }
}

function split(url: string): [string, string] {
  const mark = url.indexOf('?');
  return mark === -1 ? [url, ''] : [url.slice(0, mark), url.slice(mark + 1)];
}

/** From the dashboard's own path without a slash behind it, relative links begin with its last segment. */
function upFrom(path: string, depth: number): string {
  const below = depth + (path.endsWith('/') ? 1 : 0);
  if (below === 0) return `./${path.slice(path.lastIndexOf('/') + 1)}/`;
  return below === 1 ? './' : '../'.repeat(below - 1);
}
