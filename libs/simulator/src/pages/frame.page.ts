import { Html, html, renderPage } from '@tillkit/pages';
import { faviconSvg } from '../generated/assets.js';

export interface Page {
  /** @default 200 */
  readonly status?: number;
  readonly title: string;
  readonly body: Html;
}

/** Returns the HTML document of a page, with the frame that both have. */
export function framePage({ title, body }: Page): string {
  return renderPage({
    title,
    application: 'Tillkit simulator',
    mark: new Html(faviconSvg),
    home: '/',
    menu: ['Handsets', 'Activity', 'Faults', 'Connect'].map((name) => ({
      href: `/#${name.toLowerCase()}`,
      name,
      isCurrent: false,
    })),
    favicon: '/assets/favicon.svg',
    style: '/assets/simulator.css',
    scripts: ['/assets/page.js'],
    banner: html`<strong>Simulated:</strong> no real phones, no real money.`,
    body,
    footer: html`A mobile-money platform for development and tests. Keep it off the internet.`,
  });
}
