import { Injectable } from '@nestjs/common';
import { ShopSetup } from '../shop.setup.js';
import { AssetsCatalogue } from './assets.catalogue.js';
import { html, type Html } from './html.template.js';

export interface Page {
  /** What the browser's tab says: see {@link pageTitle}. */
  readonly title: string;
  readonly body: Html;
  /** Where in the shop this is, for the menu. */
  readonly place?: 'shop' | 'till';
  /** Seconds after which browsers without JavaScript load it again; the others hear of changes by themselves. */
  readonly refreshSeconds?: number | undefined;
}

export const SHOP_NAME = 'Kibanda';

export function pageTitle(title: string): string {
  return `${title} · ${SHOP_NAME}`;
}

/** What all pages have around them. */
@Injectable()
export class PageLayout {
  constructor(
    private readonly assets: AssetsCatalogue,
    private readonly setup: ShopSetup,
  ) {}

  render({ title, body, place, refreshSeconds }: Page): string {
    return html`<!doctype html>
      <html lang="en">
        <head>
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width, initial-scale=1" />
          <meta name="color-scheme" content="light dark" />
          <title>${title}</title>
          <link rel="icon" href="${this.assets.url('favicon.svg')}" type="image/svg+xml" />
          <link rel="stylesheet" href="${this.assets.url('shop.css')}" />
          <script type="module" src="${this.assets.url('shop.js')}"></script>
          ${
            refreshSeconds &&
            html`<noscript><meta http-equiv="refresh" content="${refreshSeconds}" /></noscript>`
          }
        </head>
        <body>
          <a class="skip" href="#main">Skip to the content</a>
          <header class="top">
            ${
              this.setup.practice &&
              html`<p class="practice-strip">
                <strong>Practice mode.</strong> The phones are simulated and no money moves.
              </p>`
            }
            <div class="top__inner">
              <a class="brand" href="/">${BRAND_MARK}<span>${SHOP_NAME}</span></a>
              <nav aria-label="Pages">
                <a href="/" ${place === 'shop' && html`aria-current="page"`}>Shop</a>
                <a href="/till" ${place === 'till' && html`aria-current="page"`}>Till</a>
              </nav>
            </div>
            <div class="awning" aria-hidden="true"></div>
          </header>
          <main id="main" tabindex="-1">${body}</main>
          <footer class="foot">
            <p>
              ${SHOP_NAME} is the sample shop of Tillkit, mobile-money payments for NestJS. Nothing
              is delivered.
            </p>
          </footer>
        </body>
      </html>`.toString();
  }
}

const BRAND_MARK = html`<svg
  viewBox="0 0 32 32"
  width="32"
  height="32"
  aria-hidden="true"
  focusable="false"
>
  <path class="mark__wall" d="M5 14h22v13a2 2 0 0 1-2 2H7a2 2 0 0 1-2-2z" />
  <path class="mark__hatch" d="M10 18h12v6H10z" />
  <path
    class="mark__awning"
    d="M4 4h24l3 9a4 4 0 0 1-7.500 1 4 4 0 0 1-7.500 0 4 4 0 0 1-7.500 0A4 4 0 0 1 1 13z"
  />
</svg>`;
