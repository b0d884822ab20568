import { html, type Html } from '@tillkit/pages';
import { ZONE } from '../dashboard.constants.js';
import type { Visit } from '../web/visit.dto.js';

/** Shows the account of a form when the dashboard has several, so that nobody decides on the money of another merchant by mistake. */
export function inAccount({ account, isOneOfSeveral }: Visit): Html | false {
  return (
    isOneOfSeveral && html`<span class="form-account">in account <b>${account.name}</b></span>`
  );
}

/** Returns the time zone of the days of a form whose address can be shared. */
export function inZone({ times, ownZone }: Visit): Html | false {
  return ownZone !== null && html`<input type="hidden" name="${ZONE}" value="${times.zone}" />`;
}
