import { html, type Html } from '../html/html.template.js';
import type { Figure } from './statistics.figures.js';

/** A chart with its numbers in a table, for who does not see it and where there are no scripts. */
export function figure({ name, title, summary, labels, words, columns }: Figure): Html {
  return html`<figure class="chart" id="figure-${name}">
    <figcaption>
      <h2>${title}</h2>
      <p>${summary}</p>
    </figcaption>
    <div class="chart__picture" data-figure="${name}" hidden>
      <canvas role="img" aria-label="${title}. ${summary}"></canvas>
    </div>
    ${
      labels.length > 0 &&
      html`<details class="numbers">
        <summary>Numbers<span class="visually-hidden"> of ${title}</span></summary>
        <table>
          <thead>
            <tr>
              ${columns.map((column) => html`<th scope="col">${column}</th>`)}
            </tr>
          </thead>
          <tbody>
            ${labels.map(
              (label, place) =>
                html`<tr>
                  <th scope="row">${label}</th>
                  <td class="number">${words[place]}</td>
                </tr>`,
            )}
          </tbody>
        </table>
      </details>`
    }
  </figure>`;
}
