import { html, type Html } from '@tillkit/pages';
import type { Figure } from './figure.dto.js';

/** Returns a chart and a table with its numbers, for screen readers and for browsers without scripts. */
export function figure({ name, title, summary, labels, labelName, series }: Figure): Html {
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
