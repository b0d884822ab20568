import { expect } from '@jest/globals';
import { Logger } from '@nestjs/common';

export interface Shown {
  status: number;
  /** The target of a redirect, resolved as a browser does. */
  location: string | null;
  headers: Headers;
  text: string;
}

/** An operator with a browser: gets pages, and sends their forms. */
export class DashboardVisitor {
  constructor(
    /** Address of the dashboard, without a slash at its end. */
    readonly url: string,
    private readonly headers: Record<string, string> = {},
  ) {}

  get(path: string, init: RequestInit = {}): Promise<Shown> {
    return this.fetch(path, { ...init, headers: { ...this.headers, ...init.headers } });
  }

  /** Sends a form as a browser does from one of the dashboard's own pages. */
  post(path: string, fields: Record<string, string> | [string, string][] = {}): Promise<Shown> {
    return this.postFrom({ 'sec-fetch-site': 'same-origin' }, path, fields);
  }

  /** Sends a form with other headers, as another origin would. */
  postFrom(
    headers: Record<string, string>,
    path: string,
    fields: Record<string, string> | [string, string][] = {},
  ): Promise<Shown> {
    const body = new URLSearchParams(fields).toString();
    return this.fetch(path, {
      method: 'POST',
      body,
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        ...this.headers,
        ...headers,
      },
    });
  }

  /** Returns the page at a path, as soon as it contains the text. */
  async pageWith(path: string, text: string): Promise<string> {
    for (;;) {
      const page = await this.get(path);
      if (page.text.includes(text)) return page.text;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  private async fetch(path: string, init: RequestInit): Promise<Shown> {
    const url = this.url + path;
    const response = await fetch(url, { redirect: 'manual', ...init });
    const location = response.headers.get('location');
    return {
      status: response.status,
      location: location && new URL(location, url).href,
      headers: response.headers,
      text: await response.text(),
    };
  }
}

/** Keeps the log lines of the dashboard from now on. */
export function captureLog(): { level: string; line: string }[] {
  const lines: { level: string; line: string }[] = [];
  const at = (level: string) => (line: unknown) => {
    if (String(line).includes('dashboard')) lines.push({ level, line: String(line) });
  };
  Logger.overrideLogger({
    log: at('log'),
    warn: at('warn'),
    error: at('error'),
    debug: at('debug'),
  });
  return lines;
}

/** Returns the addresses of the links, assets and forms of a page. */
export function linksOf(html: string): string[] {
  return [...html.matchAll(/(?:href|action|src|data-statistics)="([^"#][^"]*)"/g)].map(([, link]) =>
    (link as string).replaceAll('&amp;', '&'),
  );
}

/**
 * Follows the links of a dashboard, each of which must work. Filters can be combined in any way, and every day has a day before, so it
 * follows one address for each path and the names of its parameters. Forms are posted, so the tests of each form check its address.
 */
export async function followLinks(start: string): Promise<string[]> {
  const kinds = new Set<string>();
  const followed: string[] = [];
  const waiting = [start];
  for (let url = waiting.pop(); url !== undefined; url = waiting.pop()) {
    const { pathname, searchParams } = new URL(url);
    const names = [...new Set(searchParams.keys())].toSorted((a, b) => a.localeCompare(b));
    const kind = `${pathname} ${names.join(' ')}`;
    if (kinds.has(kind)) continue;
    kinds.add(kind);
    followed.push(url);
    const response = await fetch(url);
    expect({ url, status: response.status }).toEqual({ url, status: 200 });
    const text = await response.text();
    if (!response.headers.get('content-type')?.startsWith('text/html')) continue;
    for (const link of linksOf(text)) {
      const { href, pathname: path } = new URL(link, response.url);
      if (!/(find|search|phones?|body|replay|review|note|status|decline)$/.test(path))
        waiting.push(href);
    }
  }
  return followed;
}
