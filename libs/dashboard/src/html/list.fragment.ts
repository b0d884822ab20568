import { html, type Html, type HtmlContent } from './html.template.js';

export interface Column {
  name: string;
  /** Numbers stand to the right. */
  isNumber?: boolean;
}

/** A table that becomes a list of cards on a small screen: each cell carries the name of its column. */
export function table(
  caption: string,
  columns: readonly Column[],
  rows: readonly (readonly HtmlContent[])[],
): Html {
  return html`<div class="scroll" role="region" aria-label="${caption}" tabindex="0">
    <table class="list">
      <caption class="visually-hidden">
        ${caption}
      </caption>
      <thead>
        <tr>
          ${columns.map(
            ({ name, isNumber }) =>
              html`<th scope="col" class="${isNumber ? 'number' : ''}">${name}</th>`,
          )}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          (cells) =>
            html`<tr>
              ${cells.map(
                (cell, place) =>
                  html`<td
                    data-name="${columns[place]?.name}"
                    class="${columns[place]?.isNumber ? 'number' : ''}"
                  >
                    <div class="cell">${cell}</div>
                  </td>`,
              )}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

/** Names and values of one thing. */
export function facts(entries: readonly (readonly [string, HtmlContent] | null | false)[]): Html {
  return html`<dl class="facts">
    ${entries.map((entry) => {
      if (!entry) return null;
      const [name, value] = entry;
      return html`<div>
        <dt>${name}</dt>
        <dd>${value}</dd>
      </div>`;
    })}
  </dl>`;
}

/** Where there is nothing to list, why. */
export function empty(words: string): Html {
  return html`<p class="empty">${words}</p>`;
}

/** Links to the first page of a list and to the next. */
export function pager(first: string | null, next: string | null): Html | null {
  if (first === null && next === null) return null;
  return html`<nav class="pager" aria-label="Pages of the list">
    ${first !== null && html`<a href="${first}">First page</a>`}
    ${next !== null && html`<a href="${next}" rel="next">Next page</a>`}
  </nav>`;
}
