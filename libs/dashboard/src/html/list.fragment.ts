import { html, type Html, type HtmlContent } from '@tillkit/pages';
import { WORDS } from '../words/english.words.js';

export interface Column {
  name: string;
  /** Aligns the column to the right. */
  isNumber?: boolean;
  /** Its place in the card of a row on a phone. When no column has one, each cell shows the name of its column. */
  card?: 'lead' | 'amount' | 'state' | 'time' | 'id' | 'note';
}

/** Returns a table. On a small screen each row becomes a card. */
export function table(
  caption: string,
  columns: readonly Column[],
  rows: readonly (readonly HtmlContent[])[],
): Html {
  return html`<div class="scroll" role="region" aria-label="${caption}" tabindex="0">
    <table class="list ${columns.some(({ card }) => card) ? 'list--cards' : ''}">
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
                (cell, index) =>
                  html`<td data-name="${columns[index]?.name}" class="${cellClass(columns[index])}">
                    <div class="cell">${cell}</div>
                  </td>`,
              )}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

function cellClass({ isNumber, card }: Partial<Column> = {}): string {
  return [isNumber && 'number', card && `card-${card}`].filter(Boolean).join(' ');
}

/** Returns the link of a row of a table: the whole row follows it. */
export function rowLink(href: string, content: HtmlContent): Html {
  return html`<a class="row-link" href="${href}">${content}</a>`;
}

/** Returns a list of names and values (`dl`). */
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

/** Returns the text of an empty list. It says why the list has no entries. */
export function empty(reason: string): Html {
  return html`<p class="empty">${reason}</p>`;
}

/** Returns links to the first and to the next page of a list. */
export function pager(
  first: string | null,
  next: string | null,
  nextName: string = WORDS.common.nextPage,
): Html | null {
  if (first === null && next === null) return null;
  return html`<nav class="pager" aria-label="Pages of the list">
    ${first !== null && html`<a href="${first}">First page</a>`}
    ${next !== null && html`<a href="${next}" rel="next">${nextName}</a>`}
  </nav>`;
}
