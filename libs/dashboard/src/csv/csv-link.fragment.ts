import { html, type Html } from '@tillkit/pages';
import type { LinkQuery, Visit } from '../web/visit.dto.js';

/** The link to the CSV file of a list. */
export function csvLink(visit: Visit, list: string, query: LinkQuery = {}): Html {
  const { csv } = visit.words.lists;
  const href = visit.link(`${list}.csv`, query);
  return html`<a class="button quiet" href="${href}" download>${csv}</a>`;
}

/** The title of a list that is one page, with the link to its file. */
export function titleWithFile(visit: Visit, list: string, title: string): Html {
  return html`<div class="title title--list">
    <h1>${title}</h1>
    ${csvLink(visit, list)}
  </div>`;
}
