import { html, type Html } from './html-tag.js';

/** A page: its content and the content of its frame. */
export interface FramedPage {
  readonly title: string;
  /** Name of the application. It is in the header and at the end of the document's title. */
  readonly application: string;
  /** The logo beside the name, as inline SVG. */
  readonly mark: Html;
  /** URL of the link on the name. */
  readonly home: string;
  readonly menu: readonly MenuEntry[];
  /** URLs of the files that the page loads. Scripts are ES modules. */
  readonly favicon: string;
  readonly style: string;
  readonly scripts?: readonly string[];
  /** A warning above the header. */
  readonly banner?: Html;
  /** Content of the header between the brand and the menu. */
  readonly header?: Html;
  readonly body: Html;
  readonly footer: Html;
}

export interface MenuEntry {
  readonly name: string;
  readonly href: string;
  readonly isCurrent: boolean;
}

/** Renders the HTML document of a page. */
export function renderPage(page: FramedPage): string {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${page.title} · ${page.application}</title>
        <link rel="icon" href="${page.favicon}" type="image/svg+xml" />
        <link rel="stylesheet" href="${page.style}" />
        ${page.scripts?.map((script) => html`<script type="module" src="${script}"></script>`)}
      </head>
      <body>
        <a class="skip" href="#main">Skip to the content</a>
        <header>
          ${page.banner && html`<p class="banner">${page.banner}</p>`}
          <div class="top">
            <div class="top__inner">
              <a class="brand" href="${page.home}"
                ><span aria-hidden="true">${page.mark}</span><span>${page.application}</span></a
              >
              ${page.header} ${menu(page.menu)}
            </div>
          </div>
        </header>
        <main id="main" tabindex="-1">${page.body}</main>
        <footer class="foot"><p>${page.footer}</p></footer>
      </body>
    </html>`.toString();
}

function menu(entries: readonly MenuEntry[]): Html {
  return html`<nav class="menu" aria-label="Pages">
    <ul>
      ${entries.map(
        (entry) =>
          html`<li>
            <a href="${entry.href}" ${entry.isCurrent && html`aria-current="page"`}
              >${entry.name}</a
            >
          </li>`,
      )}
    </ul>
  </nav>`;
}
