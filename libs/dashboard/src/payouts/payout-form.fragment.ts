import { html, type Html } from '@tillkit/pages';
import { field, hidden } from '../actions/field.fragment.js';
import { inAccount } from '../html/account.fragment.js';
import type { Visit } from '../web/visit.dto.js';
import {
  DESTINATION_FIELDS,
  DESTINATION_TYPES,
  MOST_DESTINATIONS,
  nameOf,
  OPTIONAL_FIELDS,
  type DestinationRow,
  type PayoutForm,
} from './payout-form.dto.js';
import { WORDS } from '../words/english.words.js';

type Problems = Readonly<Record<string, string>>;

/** The fields of a payout, and its buttons. */
export function payoutFields(
  visit: Visit,
  { currency, source, rows }: PayoutForm,
  problems: Problems,
): Html {
  const { payout, actions } = WORDS;
  // The Enter key presses the first button of a form: it must not remove a destination.
  return html`<button class="visually-hidden" tabindex="-1" aria-hidden="true">
      ${actions.check}
    </button>
    ${rows.map((row, index) => destinationFields(row, index, problems))}
    ${
      rows.length < MOST_DESTINATIONS &&
      html`<div class="filter--line">
        <div class="field">
          <label for="type">Kind of the next destination</label>
          <select id="type" name="type">
            ${DESTINATION_TYPES.map((type) => html`<option value="${type}">${payout.types[type]}</option>`)}
          </select>
        </div>
        <button class="quiet" name="add" value="1">Add a destination</button>
      </div>`
    }
    <div class="fields">
      ${field({
        name: 'currency',
        label: 'Currency',
        value: currency,
        problem: problems['currency'],
      })}
      ${field({
        name: 'source',
        label: payout.source,
        value: source,
        problem: problems['source'],
        hint: 'empty: the choice of the platform',
        isOptional: true,
      })}
    </div>
    <p class="actions"><button>${actions.check}</button> ${inAccount(visit)}</p>`;
}

function destinationFields(
  { type, values }: DestinationRow,
  index: number,
  problems: Problems,
): Html {
  const { payoutForm, payout } = WORDS;
  const { labels } = payoutForm;
  return html`<fieldset class="destination">
    <legend>${payoutForm.destination(index + 1, payout.types[type])}</legend>
    ${hidden({ [nameOf(index, 'type')]: type })}
    <div class="fields">
      ${DESTINATION_FIELDS[type].map((name) =>
        field({
          name: nameOf(index, name),
          label: labels[name],
          value: values[name] ?? '',
          problem: problems[nameOf(index, name)],
          ...(name === 'phoneNumber' && { type: 'tel' }),
          isOptional: OPTIONAL_FIELDS.includes(name),
        }),
      )}
    </div>
    <p>
      <button class="small" name="remove" value="${index}">${payoutForm.remove(index + 1)}</button>
    </p>
  </fieldset>`;
}
