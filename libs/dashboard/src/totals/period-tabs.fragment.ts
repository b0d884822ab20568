import { html, type Html } from '@tillkit/pages';
import { inAccount, inZone } from '../html/account.fragment.js';
import type { Visit } from '../web/visit.dto.js';
import { PERIODS, type Period } from './period.dto.js';
import { WORDS } from '../words/english.words.js';

/** Returns the usual periods as links, and a form for any days. */
export function periodTabs(visit: Visit, path: string, period: Period): Html {
  const { periods, common } = WORDS;
  return html`<div class="windows">
    <nav class="tabs" aria-label="${periods.title}">
      ${PERIODS.map(
        (name) =>
          html`<a
            href="${visit.link(path, { period: name })}"
            ${name === period.name && html`aria-current="true"`}
            >${periods.names[name]}</a
          >`,
      )}
    </nav>
    <form class="filter--line" method="get" action="${visit.link(path)}">
      <div class="field">
        <label for="from">First day</label>
        <input id="from" name="from" type="date" value="${period.firstDay}" required />
      </div>
      <div class="field">
        <label for="to">Last day</label>
        <input id="to" name="to" type="date" value="${period.lastDay}" required />
      </div>
      <button class="quiet">${common.apply}</button> ${inZone(visit)} ${inAccount(visit)}
    </form>
  </div>`;
}
