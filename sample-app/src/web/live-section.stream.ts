import { createHash } from 'node:crypto';
import type { MessageEvent } from '@nestjs/common';
import { distinctUntilChanged, interval, map, merge, takeUntil, type Observable } from 'rxjs';
import { html, type Html } from './html.template.js';

/** What replaces a live section of a page. */
export interface LiveSection {
  /** What a screen reader says. */
  readonly news: string;
  readonly title: string;
  readonly content: Html;
}

/** Mobile networks drop connections that are silent, and tell nobody. */
const SIGN_OF_LIFE_MS = 25_000;

/** Marks where a section stands on its page, and what it looks like there already. */
export function liveAttributes(url: string, section: LiveSection): Html {
  return html`data-live="${url}" data-version="${versionOf(section)}"`;
}

/** Sends a section again whenever it would look different. */
export function liveSection(
  sections$: Observable<LiveSection>,
  until$: Observable<unknown>,
): Observable<MessageEvent> {
  const changes$ = sections$.pipe(
    map((section) => ({ section, version: versionOf(section) })),
    distinctUntilChanged((one, other) => one.version === other.version),
    map(({ section: { news, title, content }, version }): MessageEvent => {
      const data = { version, news, title, html: content.toString() };
      return { type: 'section', data: JSON.stringify(data) };
    }),
  );
  const signs$ = interval(SIGN_OF_LIFE_MS).pipe(
    map((): MessageEvent => ({ type: 'alive', data: '' })),
  );
  return merge(changes$, signs$).pipe(takeUntil(until$));
}

function versionOf({ news, title, content }: LiveSection): string {
  const text = JSON.stringify([news, title, content.toString()]);
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
