import type { ShopSettings } from '../shop.settings.js';
import { html, type Html } from '@tillkit/pages';

export interface Page {
  readonly title: string;
  readonly body: Html;
  /** The current link of the menu. */
  readonly menu?: 'shop' | 'till' | 'suppliers';
  /** Browsers without JavaScript reload the page after this time. Other browsers receive its changes. */
  readonly refreshSeconds?: number | undefined;
}

export const SHOP_NAME = 'Kibanda';

export function pageTitle(title: string): string {
  return `${title} · ${SHOP_NAME}`;
}

/** Returns the HTML document of a page. */
export function page(
  { title, body, menu, refreshSeconds }: Page,
  { practice }: ShopSettings,
): string {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${pageTitle(title)}</title>
        <link rel="icon" href="/favicon.svg" type="image/svg+xml" />
        <link rel="stylesheet" href="/frame.css" />
        <link rel="stylesheet" href="/shop.css" />
        <script type="module" src="/shop.js"></script>
        ${
          refreshSeconds &&
          html`<noscript><meta http-equiv="refresh" content="${refreshSeconds}" /></noscript>`
        }
      </head>
      <body>
        <a class="skip" href="#main">Skip to the content</a>
        <header>
          ${
            practice &&
            html`<p class="banner">
              <strong>Practice mode.</strong> The phones are simulated and no money moves.
            </p>`
          }
          <div class="top">
            <a class="brand" href="/">
              <img src="/favicon.svg" alt="" width="32" height="32" />${SHOP_NAME}
            </a>
            <nav aria-label="Pages">
              <a href="/" ${menu === 'shop' && html`aria-current="page"`}>Shop</a>
              <a href="/till" ${menu === 'till' && html`aria-current="page"`}>Till</a>
              ${
                practice &&
                html`<a href="/suppliers" ${menu === 'suppliers' && html`aria-current="page"`}
                  >Suppliers</a
                >`
              }
            </nav>
          </div>
        </header>
        <main id="main" tabindex="-1">${body}</main>
        <footer>
          <p>
            ${SHOP_NAME} is the sample shop of Tillkit, mobile-money payments for NestJS. It
            delivers nothing.
          </p>
        </footer>
      </body>
    </html>`.toString();
}
