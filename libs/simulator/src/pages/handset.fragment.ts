import { html, type Html } from '@tillkit/pages';
import { HANDSET_PIN } from '../handsets/handset.model.js';

/** One phone: its prompt, what the customer does, and its messages. The script of the page updates it. */
export function handsetSection(phone: string, index: number, tills: readonly string[]): Html {
  return html`<section
    class="panel handset"
    data-handset="${phone}"
    aria-labelledby="phone-${index}"
    tabindex="-1"
  >
    <h3 class="mono" id="phone-${index}">${phone}</h3>
    <p class="status" role="status" data-part="status"></p>
    ${promptForm(index)}
    <p data-part="idle">
      No prompt is waiting. Request a payment from this number in your application. The PIN is
      ${HANDSET_PIN}; any other is wrong.
    </p>
    <p data-part="off" hidden>This phone is off. No prompt reaches it.</p>
    <p data-part="last" hidden></p>
    <div class="row" role="group" aria-label="What the customer does">
      ${button('approve', `Right PIN (${HANDSET_PIN})`)} ${button('wrong-pin', 'Wrong PIN')}
      ${button('ignore', 'Do not answer')} ${button('switch-off', 'Switch off')}
      ${button('switch-on', 'Switch on')}
    </div>
    ${tillForm(index, tills)}
    <h4 id="inbox-${index}">Messages</h4>
    <p class="soft small" data-part="no-messages">None yet.</p>
    <ol
      class="messages"
      data-part="inbox"
      aria-labelledby="inbox-${index}"
      tabindex="0"
      hidden
    ></ol>
    <p class="soft small" data-part="balance" hidden></p>
  </section>`;
}

function promptForm(index: number): Html {
  return html`<form
    class="prompt"
    data-part="prompt"
    aria-labelledby="amount-${index}"
    autocomplete="off"
    novalidate
    hidden
  >
    <h4 id="amount-${index}" data-part="amount"></h4>
    <p data-part="till"></p>
    <p class="soft small" data-part="note" aria-live="polite"></p>
    <p class="field">
      <label for="pin-${index}">PIN</label>
      <input
        id="pin-${index}"
        data-part="pin"
        type="password"
        inputmode="numeric"
        maxlength="8"
        autocomplete="one-time-code"
      />
    </p>
    <p class="row">
      ${button('cancel', 'Cancel')}
      <button class="button" type="submit">Pay</button>
    </p>
  </form>`;
}

function button(action: string, name: string): Html {
  return html`<button class="button button--quiet" type="button" data-action="${action}">
    ${name}
  </button>`;
}

/** Money that the application did not request: it only causes webhooks. */
function tillForm(index: number, tills: readonly string[]): Html {
  return html`<form class="fields" data-part="till-form" autocomplete="off">
    <p class="field">
      <label for="till-${index}">Pay without a request to till</label>
      <select id="till-${index}" name="tillNumber">
        ${tills.map((number) => html`<option>${number}</option>`)}
      </select>
    </p>
    <p class="field">
      <label for="till-amount-${index}">Amount</label>
      <input
        id="till-amount-${index}"
        name="amount"
        type="number"
        min="1"
        step="any"
        value="350"
        required
      />
    </p>
    <button class="button button--quiet" type="submit">Send</button>
  </form>`;
}
