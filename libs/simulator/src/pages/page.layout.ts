import { html, type Html } from './html.template.js';

/** One page of the simulator. */
export interface Page {
  readonly status?: number;
  readonly title: string;
  /** Where this is, for the menu. */
  readonly place?: 'start' | 'handsets' | 'control';
  /** The name of the style and of the script that it has besides what all pages have. */
  readonly own?: 'handset' | 'control';
  readonly body: Html;
}

const PLACES = [
  { place: 'start', href: '/', name: 'Start' },
  { place: 'handsets', href: '/handsets', name: 'Handsets' },
  { place: 'control', href: '/control', name: 'Control room' },
] as const;

/** What all pages have around them. */
export function renderPage({ title, place, own, body }: Page): string {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title} · Tillkit simulator</title>
        <link rel="icon" href="/assets/favicon.svg" type="image/svg+xml" />
        <link rel="stylesheet" href="/assets/frame.css" />
        ${own && html`<link rel="stylesheet" href="/assets/${own}.css" />`}
        ${own && html`<script type="module" src="/assets/${own}.js"></script>`}
      </head>
      <body>
        <a class="skip" href="#main">Skip to the content</a>
        <header>
          <p class="strip">
            <strong>Simulated.</strong> The phones are pretend and no money moves.
          </p>
          <div class="top">
            <div class="top__inner">
              <a class="brand" href="/">${BRAND_MARK}<span>Tillkit simulator</span></a>
              <nav aria-label="Pages">
                <ul>
                  ${PLACES.map(
                    (link) =>
                      html`<li>
                        <a href="${link.href}" ${link.place === place && html`aria-current="page"`}
                          >${link.name}</a
                        >
                      </li>`,
                  )}
                </ul>
              </nav>
            </div>
          </div>
        </header>
        <main id="main" tabindex="-1">
          ${
            own &&
            html`<noscript
              ><p class="problem-note">
                This page is live and needs JavaScript. All it does can also be asked of the control
                API under /_simulator.
              </p></noscript
            >`
          }
          ${body}
        </main>
        <footer class="foot">
          <p>A mobile-money platform for development and tests. Keep it off the internet.</p>
        </footer>
      </body>
    </html>`.toString();
}

const BRAND_MARK = html`<svg
  viewBox="0 0 32 32"
  width="30"
  height="30"
  aria-hidden="true"
  focusable="false"
>
  <rect class="brand__case" x="7" y="1" width="18" height="30" rx="5" />
  <rect class="brand__screen" x="10" y="5" width="12" height="12" rx="2" />
  <path
    class="brand__key"
    d="M10 20h3v3h-3zm4.500 0h3v3h-3zm4.500 0h3v3h-3zm-9 4.500h3v3h-3zm4.500 0h3v3h-3zm4.500 0h3v3h-3z"
  />
</svg>`;
