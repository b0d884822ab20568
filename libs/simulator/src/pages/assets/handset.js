import { allWithin, element, messageOf, timeOf, visible, within } from './element.js';
import { minorText } from './minor-text.js';
import { call, follow, setSimulatedNow, simulatedNow } from './platform.js';

/**
 * @typedef {import('../../handsets/handset.model.js').Prompt} Prompt
 * @typedef {import('../../handsets/handset.model.js').InboxMessage} InboxMessage
 * @typedef {{ isOn: boolean, prompts: Prompt[], inbox: InboxMessage[], balance: number }} HandsetState
 */

/** @type {Readonly<Record<string, readonly ['good' | 'bad', string]>>} */
const OUTCOMES = {
  approves: ['good', 'You entered the PIN'],
  cancels: ['bad', 'You cancelled'],
  mistypes: ['bad', 'Wrong PIN'],
  'lacks-funds': ['bad', 'The balance is too low'],
  'over-limit': ['bad', 'The amount is over the limit'],
  ignores: ['bad', 'Nobody answered'],
};

const MAX_PIN_LENGTH = 8;

/** One phone of the page: shows its state and sends the customer's actions. */
class Handset {
  /** @type {string | null} */
  promptId = null;
  wasOn = true;
  wasIgnored = false;
  /** The messages on the screen, as JSON. @type {string | null} */
  messages = null;
  isReading = false;
  /** Whether the state changed during the read. */
  isStale = false;

  /** @param {HTMLElement} section */
  constructor(section) {
    this.section = section;
    this.phone = String(section.dataset['handset']);
    this.pin = within(section, '[data-part="pin"]', HTMLInputElement);
    this.pin.addEventListener('input', () => {
      this.pin.value = this.pin.value.replace(/\D/g, '');
    });
    this.part('prompt').addEventListener('submit', (event) => {
      event.preventDefault();
      this.pay();
    });
    for (const key of allWithin(section, '[data-key]')) {
      key.addEventListener('click', () => this.type(String(key.dataset['key'])));
    }
    for (const button of allWithin(section, '[data-action]')) {
      const action = String(button.dataset['action']);
      button.addEventListener('click', () => {
        const isAboutPrompt = this.promptId && !action.startsWith('switch');
        void this.act(action, isAboutPrompt ? { promptId: this.promptId } : {});
      });
    }
    const scenario = within(section, '[data-part="scenario"]', HTMLSelectElement);
    scenario.addEventListener('change', () => {
      this.part('scenario-summary').textContent =
        scenario.selectedOptions[0]?.dataset['summary'] ?? '';
      void this.setScenario(scenario.value);
    });
  }

  /** @param {string} name */
  part(name) {
    return within(this.section, `[data-part="${name}"]`, HTMLElement);
  }

  pay() {
    if (this.pin.value === '') {
      this.announce('Enter a PIN first.', true);
      // On a small screen the status is not next to the field.
      this.part('note').textContent = 'Enter a PIN first.';
      this.pin.focus();
      return;
    }
    void this.act('approve', { pin: this.pin.value, promptId: this.promptId });
  }

  /** @param {string} key */
  type(key) {
    const { value } = this.pin;
    if (key === 'clear') this.pin.value = '';
    else if (key === 'delete') this.pin.value = value.slice(0, -1);
    else this.pin.value = (value + key).slice(0, MAX_PIN_LENGTH);
  }

  /** @param {string} text */
  announce(text, isError = false) {
    const status = this.part('status');
    status.textContent = text;
    status.classList.toggle('handset__status--bad', isError);
  }

  /**
   * @param {string} action
   * @param {object} body
   */
  async act(action, body) {
    try {
      this.show(await call('POST', `/handsets/${encodeURIComponent(this.phone)}/${action}`, body));
    } catch (error) {
      this.announce(messageOf(error), true);
      void this.refresh();
    }
  }

  /** @param {string} scenario empty: the last digits choose the scenario */
  async setScenario(scenario) {
    const path = `/scenarios/${encodeURIComponent(this.phone)}`;
    try {
      await (scenario === '' ? call('DELETE', path) : call('PUT', path, { scenario }));
      this.announce(
        scenario === ''
          ? 'The last digits of this number choose its scenario.'
          : `The scenario of the next payments is ${scenario}.`,
      );
    } catch (error) {
      this.announce(messageOf(error), true);
    }
  }

  /** Reads the phone's state. Any number of calls during a read cause one more read. */
  async refresh() {
    if (this.isReading) {
      this.isStale = true;
      return;
    }
    this.isReading = true;
    try {
      this.show(await call('GET', `/handsets/${encodeURIComponent(this.phone)}`));
    } catch (error) {
      this.announce(messageOf(error), true);
    }
    this.isReading = false;
    if (this.isStale) {
      this.isStale = false;
      await this.refresh();
    }
  }

  /** @param {HandsetState} state */
  show({ isOn, prompts, inbox, balance }) {
    const open = prompts.filter(({ state }) => state === 'open');
    const [prompt] = open;
    const last = prompts.findLast(({ state }) => state !== 'open');
    const hadFocus = this.section.contains(document.activeElement);
    within(this.section, '.phone', HTMLElement).classList.toggle('phone--off', !isOn);
    this.part('off').hidden = isOn;
    this.part('idle').hidden = !isOn || prompt !== undefined;
    this.part('state').textContent = 'No prompt is waiting';
    this.part('prompt').hidden = !prompt || !isOn;
    this.part('switch-off').hidden = !isOn;
    for (const button of allWithin(this.section, '[data-needs-prompt]'))
      button.toggleAttribute('disabled', !prompt || !isOn);
    this.part('balance').hidden = balance === 0;
    this.part('balance').textContent = `Received: ${minorText(balance, 'KES')}`;
    this.showInbox(inbox);
    this.showLast(last);
    if (prompt) this.showPrompt(prompt, open.length);
    this.moveFocus(prompt, isOn, hadFocus);
    this.announceChange(prompt, last, isOn);
    this.wasIgnored = prompt?.ignored ?? false;
    this.wasOn = isOn;
    this.promptId = prompt?.id ?? null;
  }

  /**
   * @param {Prompt | undefined} prompt
   * @param {Prompt | undefined} last
   * @param {boolean} isOn
   */
  announceChange(prompt, last, isOn) {
    if (isOn !== this.wasOn) {
      this.announce(isOn ? 'The phone is on.' : 'The phone is off.');
    } else if (prompt && prompt.id !== this.promptId) {
      this.announce(
        `New prompt: ${this.part('amount').textContent} ${this.part('till').textContent}.`,
      );
    } else if (!prompt && this.promptId && last) {
      const texts = [...this.part('last').children].map(({ textContent }) => textContent);
      this.announce(`${texts.join(': ')}.`);
    } else if (prompt?.ignored && !this.wasIgnored) {
      this.announce('Not answered: the prompt will time out.');
    }
  }

  /**
   * @param {Prompt} prompt
   * @param {number} count
   */
  showPrompt(prompt, count) {
    this.part('amount').textContent = `Pay ${moneyOf(prompt)}?`;
    this.part('till').textContent = payeeOf(prompt);
    const notes = [];
    if (prompt.ignored) notes.push('Nobody will answer this prompt.');
    if (count > 1) notes.push(`${count - 1} more after this one.`);
    this.part('note').textContent = notes.join(' ');
    if (prompt.id !== this.promptId) this.pin.value = '';
  }

  /** @param {Prompt | undefined} last */
  showLast(last) {
    const part = this.part('last');
    part.hidden = !last;
    if (!last) return;
    const [tone, outcome] = OUTCOMES[last.state] ?? ['bad', last.state];
    part.className = `last last--${tone}`;
    part.replaceChildren(
      element('strong', {}, outcome),
      element('span', {}, `${moneyOf(last)} ${payeeOf(last)}`),
    );
  }

  /** @param {InboxMessage[]} inbox */
  showInbox(inbox) {
    const messages = JSON.stringify(inbox.map(({ at, text }) => [at, text]));
    if (messages === this.messages) return;
    if (this.messages !== null) this.announce('A new message.');
    this.messages = messages;
    this.part('no-messages').hidden = inbox.length > 0;
    this.part('inbox').hidden = inbox.length === 0;
    this.part('inbox').replaceChildren(...inbox.map(messageItem).toReversed());
  }

  /**
   * Moves the focus to a new prompt, unless an element outside its phone has the focus.
   * @param {Prompt | undefined} prompt
   * @param {boolean} isOn
   * @param {boolean} hadFocus
   */
  moveFocus(prompt, isOn, hadFocus) {
    const hasNone = document.activeElement === document.body || document.activeElement === null;
    const isNew = prompt && isOn && prompt.id !== this.promptId;
    const isAnswered = !prompt && this.promptId;
    if (isNew && (hadFocus || hasNone)) {
      this.pin.focus();
    } else if (!isOn && this.wasOn && hadFocus) this.part('switch-on').focus();
    else if (hadFocus && (hasNone || isOn !== this.wasOn || isAnswered)) this.part('idle').focus();
  }
}

/** @param {Prompt} prompt */
function moneyOf({ currency, amount }) {
  const { maximumFractionDigits: decimals = 0 } = new Intl.NumberFormat('en', {
    style: 'currency',
    currency,
  }).resolvedOptions();
  return `${currency} ${amount.toLocaleString('en', { minimumFractionDigits: decimals })}`;
}

/**
 * Whom a prompt asks to pay. The merchant of a simulator without named merchants has no name that a customer would know.
 * @param {Prompt} prompt
 */
function payeeOf({ merchant, tillNumber }) {
  const till = `till ${visible(tillNumber)}`;
  return merchant === 'default' ? `to ${till}` : `to ${visible(merchant)}, ${till}`;
}

/** @param {InboxMessage} message */
function messageItem({ at, from, text }) {
  return element(
    'li',
    {},
    element('span', { class: 'inbox__from' }, element('span', {}, visible(from)), timeOf(at)),
    element('span', { class: 'inbox__text', dir: 'auto' }, visible(text)),
  );
}

async function readClock() {
  // If this fails, the handsets show the error of their own requests.
  const clock = await call('GET', '/clock').catch(() => null);
  if (clock) setSimulatedNow(clock.now);
  showTime();
}

function showTime() {
  const now = new Date(simulatedNow());
  for (const clock of allWithin(document, '[data-clock]')) {
    clock.textContent = now.toLocaleTimeString([], {
      hour: '2-digit',
      minute: '2-digit',
      hour12: false,
    });
  }
  for (const date of allWithin(document, '[data-date]')) {
    date.textContent = now.toLocaleDateString('en', {
      weekday: 'long',
      day: 'numeric',
      month: 'long',
    });
  }
}

const handsets = new Map(
  allWithin(document, '[data-handset]')
    .map((section) => new Handset(section))
    .map((handset) => [handset.phone, handset]),
);

// Only new entries: `refresh` reads the present state of each phone.
follow(Number.MAX_SAFE_INTEGER, {
  onOpen() {
    void readClock();
    for (const handset of handsets.values()) void handset.refresh();
  },
  onEntry(entry) {
    setSimulatedNow(Date.parse(entry.at));
    showTime();
    if (entry.type === 'note' && entry.phone) void handsets.get(entry.phone)?.refresh();
  },
  onLost() {
    for (const handset of handsets.values()) {
      handset.part('state').textContent = 'No connection';
      handset.announce('The simulator does not respond; trying again.', true);
    }
  },
});
setInterval(showTime, 1000);
