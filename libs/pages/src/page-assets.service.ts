import { createHash } from 'node:crypto';
import { extname } from 'node:path';
import { PAGE_HEADERS } from './page-headers.constants.js';

/** The HTTP response for an asset, for any framework. */
export interface AssetResponse {
  readonly status: 200 | 304;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml; charset=utf-8',
};

/** The style sheets, scripts and images that the pages load, by file name. */
export class Assets {
  private readonly files: ReadonlyMap<string, { text: string; headers: Record<string, string> }>;

  /** @param texts the content of each file, by a name that ends in `.css`, `.js` or `.svg` */
  constructor(texts: Readonly<Record<string, string>>) {
    this.files = new Map(
      Object.entries(texts).map(([name, text]) => [name, { text, headers: headersOf(name, text) }]),
    );
  }

  get names(): readonly string[] {
    return [...this.files.keys()];
  }

  /**
   * Returns the response for a file; undefined when there is no such file.
   * @param ifNoneMatch the request's `If-None-Match`: with the current ETag in it the response is 304 without a body
   */
  respond(name: string, ifNoneMatch: string | undefined): AssetResponse | undefined {
    const file = this.files.get(name);
    if (!file) return undefined;
    const { text, headers } = file;
    const isKnown = ifNoneMatch?.split(',').some((etag) => etag.trim() === headers['ETag']);
    return isKnown ? { status: 304, headers, body: '' } : { status: 200, headers, body: text };
  }
}

function headersOf(name: string, text: string): Record<string, string> {
  const type = TYPES[extname(name)];
  if (type === undefined) {
    throw new TypeError(
      `${name} has no known type: its name must end in ${Object.keys(TYPES).join(', ')}`,
    );
  }
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 20);
  return {
    ...PAGE_HEADERS,
    'Content-Type': type,
    ETag: `"${hash}"`,
    // The browser caches the file but revalidates it each time, so that an upgrade takes effect at once.
    'Cache-Control': 'private, no-cache',
  };
}
