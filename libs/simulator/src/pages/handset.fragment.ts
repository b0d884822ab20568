import { formatMoney, html, type Html } from '@tillkit/pages';
import { walletAccount } from '../balances/account-name.js';
import { HANDSET_PIN, type InboxMessage, type Prompt } from '../handsets/handset.model.js';
import type { SimulatedPlatform } from '../simulated-platform.model.js';
import { OWN_CURRENCY } from '../values/amount.js';
import { button, field, time, visible } from './elements.fragment.js';

const OUTCOMES: Readonly<Record<Exclude<Prompt['state'], 'open'>, string>> = {
  approves: 'You entered the PIN',
  cancels: 'You cancelled',
  mistypes: 'Wrong PIN',
  'lacks-funds': 'The balance is too low',
  'over-limit': 'The amount is over the limit',
  ignores: 'Nobody answered',
};

/** Returns one phone: its prompt, the customer's actions, and its messages. */
export function handsetSection(
  simulator: SimulatedPlatform,
  phone: string,
  index: number,
  tills: readonly string[],
): Html {
  const known = simulator.handsets().find((one) => one.phone === phone);
  const isOn = known?.isOn ?? true;
  const prompts = known?.prompts() ?? [];
  const open = isOn ? prompts.filter(({ state }) => state === 'open') : [];
  const [prompt] = open;
  const last = prompts.findLast(({ state }) => state !== 'open');
  return html`<section
    class="panel handset"
    data-handset="${phone}"
    aria-labelledby="phone-${index}"
    tabindex="-1"
  >
    <h3 class="mono" id="phone-${index}">${phone}</h3>
    <p class="status" role="status" id="status-${index}" data-live>${newsOf(isOn, prompt, last)}</p>
    <div id="prompt-${index}" data-live>${prompt && promptForm(phone, index, prompt)}</div>
    <p class="soft small" id="note-${index}" aria-live="polite" data-live>
      ${prompt?.ignored && 'Nobody will answer it.'}
      ${open.length > 1 && `${open.length - 1} more after this one.`}
    </p>
    <div id="state-${index}" data-live>
      ${!prompt && html`<p>${isOn ? IDLE : 'This phone is off. No prompt reaches it.'}</p>`}
      ${last && html`<p>${outcomeOf(last)}</p>`}
    </div>
    <div id="actions-${index}" data-live>${actions(phone, isOn, prompt)}</div>
    ${tillForm(phone, index, tills)}
    <h4 id="inbox-${index}">Messages</h4>
    <div id="messages-${index}" data-live data-says="A new message.">
      ${messages(index, known?.inbox() ?? [])}
    </div>
    <div id="balance-${index}" data-live>${balance(simulator, phone)}</div>
  </section>`;
}

const IDLE = `No prompt is waiting. Request a payment from this number in your application. The PIN is ${HANDSET_PIN}; any other is wrong.`;

/** A screen reader announces this text when it changes. */
function newsOf(isOn: boolean, prompt: Prompt | undefined, last: Prompt | undefined): string {
  if (!isOn) return 'The phone is off.';
  if (prompt) return `New prompt: ${payText(prompt)}.`;
  return last ? `${outcomeOf(last)}.` : '';
}

function promptForm(phone: string, index: number, prompt: Prompt): Html {
  const { id, currency, amount } = prompt;
  return html`<form class="prompt" aria-labelledby="amount-${index}" autocomplete="off">
    <h4 id="amount-${index}">Pay ${moneyOf(currency, amount)}?</h4>
    <p>${payeeOf(prompt)}</p>
    ${field({
      id: `pin-${index}`,
      label: 'PIN',
      attributes: html`name="pin" data-part="pin" data-focus data-missing="Enter a PIN first."
      type="password" inputmode="numeric" maxlength="8" autocomplete="one-time-code" required`,
    })}
    <p class="row">
      ${button('Pay', { call: callOf(phone, 'approve'), body: { promptId: id }, isMain: true })}
      ${button('Cancel', {
        call: callOf(phone, 'cancel'),
        body: { promptId: id },
        more: html`formnovalidate`,
      })}
    </p>
  </form>`;
}

/** Returns the customer's actions, also those without the PIN. */
function actions(phone: string, isOn: boolean, prompt: Prompt | undefined): Html {
  const answer = (action: string, name: string): Html =>
    button(name, {
      call: callOf(phone, action),
      ...(prompt ? { body: { promptId: prompt.id } } : { more: html`disabled` }),
    });
  const [switchTo, name] = isOn ? ['switch-off', 'Switch off'] : ['switch-on', 'Switch on'];
  return html`<form>
    <div class="row" role="group" aria-label="What the customer does">
      ${answer('approve', `Right PIN (${HANDSET_PIN})`)} ${answer('wrong-pin', 'Wrong PIN')}
      ${answer('ignore', 'Do not answer')} ${button(name!, { call: callOf(phone, switchTo!) })}
    </div>
  </form>`;
}

function callOf(phone: string, action: string): string {
  return `POST /handsets/${encodeURIComponent(phone)}/${action}`;
}

/** Returns money that the application did not request: it only causes webhooks. */
function tillForm(phone: string, index: number, tills: readonly string[]): Html {
  return html`<form class="fields" autocomplete="off">
    ${field({
      id: `till-${index}`,
      label: 'Pay without a request to till',
      attributes: html`name="tillNumber"`,
      options: tills.map((number) => html`<option>${number}</option>`),
    })}
    ${field({
      id: `till-amount-${index}`,
      label: 'Amount',
      attributes: html`name="amount" type="number" min="1" step="any" value="350" required`,
    })}
    ${button('Send', {
      call: 'POST /till-payments',
      body: { phoneNumber: phone },
      says: 'Paid into till {tillNumber}: reference {reference}.',
    })}
  </form>`;
}

/** Returns the messages, the newest first. */
function messages(index: number, inbox: readonly InboxMessage[]): Html {
  if (inbox.length === 0) return html`<p class="soft small">None yet.</p>`;
  return html`<ol class="messages" aria-labelledby="inbox-${index}" tabindex="0">
    ${inbox.toReversed().map(
      ({ at, from, text }) =>
        html`<li>
          <span class="soft small">${visible(from)}, ${time(at)}: </span>
          <span dir="auto">${visible(text)}</span>
        </li>`,
    )}
  </ol>`;
}

function balance(simulator: SimulatedPlatform, phone: string): Html | null {
  const cents = simulator.balance(walletAccount(phone));
  if (cents === 0) return null;
  return html`<p class="soft small">Received: ${moneyOf(OWN_CURRENCY, cents / 100)}</p>`;
}

function moneyOf(currency: string, amount: number): string {
  return `${currency} ${formatMoney(String(amount), currency)}`;
}

/** Returns the payee that a prompt names. The merchant of a simulator without named merchants has no name that a customer would know. */
function payeeOf({ merchant, tillNumber }: Prompt): string {
  const till = `till ${visible(tillNumber)}`;
  return merchant === 'default' ? `to ${till}` : `to ${visible(merchant)}, ${till}`;
}

function payText(prompt: Prompt): string {
  return `${moneyOf(prompt.currency, prompt.amount)} ${payeeOf(prompt)}`;
}

function outcomeOf(prompt: Prompt): string {
  return `${OUTCOMES[prompt.state as keyof typeof OUTCOMES]}: ${payText(prompt)}`;
}
