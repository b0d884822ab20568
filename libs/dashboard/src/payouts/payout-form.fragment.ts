import { html, type Html } from '@tillkit/pages';
import { field, hidden, type FormDefinition, type Typed } from '../actions/form.fragment.js';
import { WORDS } from '../words/english.words.js';
import {
  DESTINATION_FIELDS,
  DESTINATION_TYPES,
  MOST_DESTINATIONS,
  nameOf,
  OPTIONAL_FIELDS,
  type DestinationRow,
  type PayoutForm,
} from './payout-form.dto.js';

/** Returns the form of a payout: its destinations, with buttons that add and remove one, then the fields of the whole payout. */
export function payoutFields(
  { rows }: PayoutForm,
  typed: Typed,
): Pick<FormDefinition, 'content' | 'fields' | 'isLoose'> {
  const { payout, actions } = WORDS;
  // The Enter key presses the first button of a form. That button must not remove a destination.
  const content = html`<button class="visually-hidden" tabindex="-1" aria-hidden="true">
      ${actions.check}
    </button>
    ${rows.map((row, index) => destinationFields(row, index, typed))}
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
    }`;
  return {
    content,
    fields: [
      { name: 'currency', label: 'Currency' },
      {
        name: 'source',
        label: payout.source,
        hint: 'empty: the choice of the platform',
        isOptional: true,
      },
    ],
    isLoose: true,
  };
}

function destinationFields({ type }: DestinationRow, index: number, typed: Typed): Html {
  const { payoutForm, payout } = WORDS;
  return html`<fieldset class="destination">
    <legend>${payoutForm.destination(index + 1, payout.types[type])}</legend>
    ${hidden({ [nameOf(index, 'type')]: type })}
    <div class="fields">
      ${DESTINATION_FIELDS[type].map((name) =>
        field(
          {
            name: nameOf(index, name),
            label: payoutForm.labels[name],
            ...(name === 'phoneNumber' && { type: 'tel' }),
            isOptional: OPTIONAL_FIELDS.includes(name),
          },
          typed,
        ),
      )}
    </div>
    <p>
      <button class="small" name="remove" value="${index}">${payoutForm.remove(index + 1)}</button>
    </p>
  </fieldset>`;
}
