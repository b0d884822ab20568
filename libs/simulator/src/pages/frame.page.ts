import { Html, html, renderPage } from '@tillkit/pages';
import { faviconSvg } from '../generated/assets.js';

/** One page of the simulator. */
export interface Page {
  /** @default 200 */
  readonly status?: number;
  readonly title: string;
  /** The script that updates the page. */
  readonly script?: 'control.js' | 'link.js';
  readonly body: Html;
}

const MENU = [
  { href: '/#handsets', name: 'Handsets' },
  { href: '/#activity', name: 'Activity' },
  { href: '/#faults', name: 'Faults' },
  { href: '/#connect', name: 'Connect' },
] as const;

const MARK = new Html(faviconSvg);

/** The HTML document of a page, with the frame that both have. */
export function framePage({ title, script, body }: Page): string {
  return renderPage({
    title,
    application: 'Tillkit simulator',
    mark: MARK,
    home: '/',
    menu: MENU.map((entry) => ({ ...entry, isCurrent: false })),
    favicon: '/assets/favicon.svg',
    style: '/assets/simulator.css',
    scripts: script ? [`/assets/${script}`] : [],
    banner: html`<strong>Simulated:</strong> no real phones, no real money.`,
    body,
    footer: html`A mobile-money platform for development and tests. Keep it off the internet.`,
  });
}
