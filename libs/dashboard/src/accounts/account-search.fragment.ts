import { html, type Html } from '@tillkit/pages';
import { ACCOUNTS } from '../dashboard.constants.js';
import type { AnyVisit } from '../web/visit.dto.js';

/**
 * Returns the search for accounts by the beginning of their names. Names are no personal data, so the address has them and can be shared.
 * @param place makes the id of the field unique on a page
 */
export function accountSearch(
  visit: AnyVisit,
  typed: string,
  place: string,
  problem: string | null = null,
): Html {
  const id = `account-${place}`;
  return html`<form
    class="${place === 'page' ? 'filter filter--line' : 'filter--line'}"
    method="get"
    action="${visit.rootLink(ACCOUNTS)}"
    role="search"
    aria-label="Accounts"
  >
    <div class="field">
      <label for="${id}">Account whose name begins with</label>
      <input
        id="${id}"
        name="beginsWith"
        value="${typed.slice(0, 100)}"
        maxlength="64"
        autocomplete="off"
        autocapitalize="none"
        spellcheck="false"
        ${problem && html`aria-invalid="true" aria-describedby="${id}-problem"`}
      />
    </div>
    <button>Find the account</button>
    ${problem && html`<p class="field-error" id="${id}-problem">${problem}</p>`}
  </form>`;
}
