import { html, type Html } from '../web/html.template.js';
import type { PracticePlatform } from './practice.platform.js';

/** Phones to choose from. Without JavaScript the links load the page again with the number filled in. */
export function practicePhones({ phones }: PracticePlatform, path: string): Html {
  return html`<aside class="phones" aria-labelledby="phones">
    <h3 id="phones">Practice phones</h3>
    <p class="small soft">The last two digits decide what the person on the phone does.</p>
    <ul>
      ${phones
        .filter(({ isFeatured }) => isFeatured)
        .map(
          ({ number, owner }) =>
            html`<li>
              <a href="${path}?phone=${number}" data-phone="${number}">
                <span class="phones__number">${number}</span>
                <span>${owner}</span>
              </a>
            </li>`,
        )}
    </ul>
  </aside>`;
}
