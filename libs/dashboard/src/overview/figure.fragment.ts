import { html, type Html } from '@tillkit/pages';
import type { Words } from '../words/english.words.js';
import type { Figure } from './figure.dto.js';

/** A chart and a table with its numbers, for screen readers and for browsers without scripts. */
export function figure(
  { figures }: Words,
  { name, title, summary, labels, labelName, series }: Figure,
): Html {
  return html`<figure class="chart" id="figure-${name}">
    <figcaption>
      <h2>${title}</h2>
      <p>${summary}</p>
    </figcaption>
    <div class="chart__picture" data-figure="${name}" hidden>
      <canvas role="img" aria-label="${figures.alternative(title, summary)}"></canvas>
    </div>
    ${
      labels.length > 0 &&
      html`<details class="numbers">
        <summary>${figures.numbers(title)}</summary>
        <table>
          <thead>
            <tr>
              ${[labelName, ...series.map((one) => one.name)].map(
                (column) => html`<th scope="col">${column}</th>`,
              )}
            </tr>
          </thead>
          <tbody>
            ${labels.map(
              (label, index) =>
                html`<tr>
                  <th scope="row">${label}</th>
                  ${series.map(({ texts }) => html`<td class="number">${texts[index]}</td>`)}
                </tr>`,
            )}
          </tbody>
        </table>
      </details>`
    }
  </figure>`;
}
