import { allWithin, element, messageOf, moneyOf, timeOf, visible, within } from './element.js';
import { call } from './platform.js';

/**
 * @typedef {import('../../handsets/handset.model.js').Prompt} Prompt
 * @typedef {import('../../handsets/handset.model.js').InboxMessage} InboxMessage
 * @typedef {{ isOn: boolean, prompts: Prompt[], inbox: InboxMessage[], balance: number }} HandsetState
 */

/** @type {Readonly<Record<string, string>>} */
const OUTCOMES = {
  approves: 'You entered the PIN',
  cancels: 'You cancelled',
  mistypes: 'Wrong PIN',
  'lacks-funds': 'The balance is too low',
  'over-limit': 'The amount is over the limit',
  ignores: 'Nobody answered',
};

/** The actions that answer a prompt. */
const ANSWERS = ['approve', 'wrong-pin', 'ignore', 'cancel'];

/** One phone of the page: shows its state and sends the customer's actions. */
class Handset {
  /** @type {string | null} */
  promptId = null;
  wasOn = true;
  /** The newest message on the screen, as JSON; null before the first read. @type {string | null} */
  newest = null;
  isReading = false;
  /** Whether the state changed during the read. */
  isStale = false;

  /** @param {HTMLElement} section */
  constructor(section) {
    this.section = section;
    this.phone = String(section.dataset['handset']);
    this.path = `/handsets/${encodeURIComponent(this.phone)}`;
    this.pin = within(section, '[data-part="pin"]', HTMLInputElement);
    this.part('prompt').addEventListener('submit', (event) => {
      event.preventDefault();
      this.pay();
    });
    for (const button of allWithin(section, '[data-action]')) {
      const action = String(button.dataset['action']);
      button.addEventListener('click', () => {
        void this.act(action, ANSWERS.includes(action) ? { promptId: this.promptId } : {});
      });
    }
    const till = within(section, '[data-part="till-form"]', HTMLFormElement);
    till.addEventListener('submit', (event) => {
      event.preventDefault();
      void this.payTill(new FormData(till));
    });
  }

  /** @param {string} name */
  part(name) {
    return within(this.section, `[data-part="${name}"]`, HTMLElement);
  }

  pay() {
    if (this.pin.value === '') {
      this.announce('Enter a PIN first.', true);
      this.pin.focus();
      return;
    }
    void this.act('approve', { pin: this.pin.value, promptId: this.promptId });
  }

  /** @param {string} text */
  announce(text, isError = false) {
    const status = this.part('status');
    status.textContent = text;
    status.classList.toggle('status--bad', isError);
  }

  /** @param {() => Promise<void>} action */
  async attempt(action) {
    try {
      await action();
    } catch (error) {
      this.announce(messageOf(error), true);
    }
  }

  /**
   * @param {string} action
   * @param {object} body
   */
  async act(action, body) {
    await this.attempt(async () => this.show(await call('POST', `${this.path}/${action}`, body)));
  }

  /** @param {FormData} form */
  async payTill(form) {
    const payment = { tillNumber: form.get('tillNumber'), amount: Number(form.get('amount')) };
    await this.attempt(async () => {
      const paid = await call('POST', '/till-payments', { ...payment, phoneNumber: this.phone });
      this.announce(`Paid into till ${paid.tillNumber}: reference ${paid.reference}.`);
    });
  }

  /** Reads the phone's state. Any number of calls during a read cause one more read. */
  async refresh() {
    if (this.isReading) {
      this.isStale = true;
      return;
    }
    this.isReading = true;
    await this.attempt(async () => this.show(await call('GET', this.path)));
    this.isReading = false;
    if (this.isStale) {
      this.isStale = false;
      await this.refresh();
    }
  }

  /** @param {HandsetState} state */
  show({ isOn, prompts, inbox, balance }) {
    const open = prompts.filter(({ state }) => state === 'open');
    const prompt = isOn ? open[0] : undefined;
    const last = prompts.findLast(({ state }) => state !== 'open');
    this.part('prompt').hidden = !prompt;
    this.part('idle').hidden = !isOn || prompt !== undefined;
    this.part('off').hidden = isOn;
    for (const button of allWithin(this.section, '[data-action]')) {
      const action = String(button.dataset['action']);
      button.toggleAttribute('disabled', ANSWERS.includes(action) && !prompt);
      button.hidden = action === (isOn ? 'switch-on' : 'switch-off');
    }
    this.part('balance').hidden = balance === 0;
    this.part('balance').textContent = `Received: ${moneyOf('KES', balance / 100)}`;
    this.part('last').hidden = !last;
    if (last) this.part('last').textContent = outcomeOf(last);
    if (prompt) this.showPrompt(prompt, open.length);
    this.announceChange(prompt, last, isOn);
    this.showInbox(inbox);
    this.moveFocus(prompt);
    this.wasOn = isOn;
    this.promptId = prompt?.id ?? null;
  }

  /**
   * @param {Prompt | undefined} prompt
   * @param {Prompt | undefined} last
   * @param {boolean} isOn
   */
  announceChange(prompt, last, isOn) {
    if (isOn !== this.wasOn) this.announce(isOn ? 'The phone is on.' : 'The phone is off.');
    else if (prompt && prompt.id !== this.promptId)
      this.announce(`New prompt: ${payText(prompt)}.`);
    else if (!prompt && this.promptId && last) this.announce(`${outcomeOf(last)}.`);
  }

  /**
   * @param {Prompt} prompt
   * @param {number} count
   */
  showPrompt(prompt, count) {
    this.part('amount').textContent = `Pay ${moneyOf(prompt.currency, prompt.amount)}?`;
    this.part('till').textContent = payeeOf(prompt);
    const more = count > 1 ? ` ${count - 1} more after this one.` : '';
    this.part('note').textContent = (prompt.ignored ? 'Nobody will answer it.' : '') + more;
    if (prompt.id !== this.promptId) this.pin.value = '';
  }

  /** @param {InboxMessage[]} inbox */
  showInbox(inbox) {
    this.part('no-messages').hidden = inbox.length > 0;
    this.part('inbox').hidden = inbox.length === 0;
    this.part('inbox').replaceChildren(...inbox.map(messageItem).toReversed());
    const newest = JSON.stringify(inbox.at(-1) ?? '');
    if (this.newest !== null && newest !== this.newest) this.announce('A new message.');
    this.newest = newest;
  }

  /**
   * Moves the focus to a new prompt, unless an element outside its phone has it, and away from an element that is gone.
   * @param {Prompt | undefined} prompt
   */
  moveFocus(prompt) {
    const { activeElement: active } = document;
    const hasFocus = active instanceof HTMLElement && this.section.contains(active);
    const isNew = prompt && prompt.id !== this.promptId;
    if (isNew && (hasFocus || active === document.body)) this.pin.focus({ preventScroll: true });
    else if (hasFocus && (!active.checkVisibility() || active.matches(':disabled')))
      this.section.focus({ preventScroll: true });
  }
}

/**
 * Whom a prompt asks to pay. The merchant of a simulator without named merchants has no name that a customer would know.
 * @param {Prompt} prompt
 */
function payeeOf({ merchant, tillNumber }) {
  const till = `till ${visible(tillNumber)}`;
  return merchant === 'default' ? `to ${till}` : `to ${visible(merchant)}, ${till}`;
}

/** @param {Prompt} prompt */
function payText(prompt) {
  return `${moneyOf(prompt.currency, prompt.amount)} ${payeeOf(prompt)}`;
}

/** @param {Prompt} prompt one that is closed */
function outcomeOf(prompt) {
  return `${OUTCOMES[prompt.state]}: ${payText(prompt)}`;
}

/** @param {InboxMessage} message */
function messageItem({ at, from, text }) {
  return element(
    'li',
    {},
    element('span', { class: 'soft small' }, `${visible(from)}, ${timeOf(at)}: `),
    element('span', { dir: 'auto' }, visible(text)),
  );
}

/** The phones of the page, by number. */
export const handsets = new Map(
  allWithin(document, '[data-handset]')
    .map((section) => new Handset(section))
    .map((handset) => [handset.phone, handset]),
);
