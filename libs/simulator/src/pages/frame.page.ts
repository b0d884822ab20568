import { Html, html, renderPage } from '@tillkit/pages';
import { faviconSvg } from '../generated/assets.js';

/** One page of the simulator. */
export interface Page {
  /** @default 200 */
  readonly status?: number;
  readonly title: string;
  /** The current entry of the menu. */
  readonly menu: '/' | '/handsets' | '/control';
  /** The script that updates the page. */
  readonly script?:
    | 'handset.js'
    | 'control.js'
    | 'faults.js'
    | 'money.js'
    | 'connect.js'
    | 'environment.js'
    | 'link.js';
  /** Whether what the page is for works without its script. @default false */
  readonly isUsableWithoutScript?: boolean;
  readonly body: Html;
}

const MENU = [
  { href: '/', name: 'Start' },
  { href: '/handsets', name: 'Handsets' },
  { href: '/control', name: 'Control room' },
] as const;

const MARK = new Html(faviconSvg);

/** The HTML document of a page, with the frame that all pages have. */
export function framePage({ title, menu, script, isUsableWithoutScript, body }: Page): string {
  return renderPage({
    title,
    application: 'Tillkit simulator',
    mark: MARK,
    home: '/',
    menu: MENU.map((entry) => ({ ...entry, isCurrent: entry.href === menu })),
    favicon: '/assets/favicon.svg',
    style: '/assets/simulator.css',
    scripts: script ? [`/assets/${script}`] : [],
    banner: html`<strong>Simulated:</strong> no real phones, no real money.`,
    body: html`${script && !isUsableWithoutScript && NO_SCRIPT}${body}`,
    footer: html`A mobile-money platform for development and tests. Keep it off the internet.`,
  });
}

const NO_SCRIPT = html`<noscript
  ><p class="problem-note">
    This page needs JavaScript. The control API under /_simulator can do the same.
  </p></noscript
>`;
