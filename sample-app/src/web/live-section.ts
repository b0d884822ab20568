import type { MessageEvent } from '@nestjs/common';
import { html, type Html } from '@tillkit/pages';
import { pageTitle } from './page-layout.js';

/** The part of a page that the server replaces while the page is open: see `public/shop.js`. */
export interface LiveSection {
  readonly title: string;
  /** The text for screen readers. */
  readonly announcement: string;
  readonly content: Html;
  /** True when the stream ends after this section. */
  readonly isFinal: boolean;
}

/** Returns the section as part of a page. @param url the stream of its changes */
export function liveSection({ content, isFinal }: LiveSection, url: string): Html {
  return html`<p class="visually-hidden" role="status" id="announcement"></p>
    <div ${!isFinal && html`data-live="${url}"`}>${content}</div>`;
}

/** Returns the section as a server-sent event. */
export function sectionEvent(section: LiveSection): MessageEvent {
  const { title, content } = section;
  return { data: { ...section, title: pageTitle(title), content: content.toString() } };
}
