/** What the browser loads as `handset.js`: text, so that it is there from the source, the build and the package alike. */
export const HANDSET_SCRIPT = String.raw`import { element, timeOf, visible } from './element.js';
import { ask, follow, keepTime, simulatedNow } from './platform.js';

const ENDS = {
  approves: ['good', 'You entered the PIN'],
  cancels: ['bad', 'You cancelled'],
  mistypes: ['bad', 'Wrong PIN'],
  'lacks-funds': ['bad', 'The balance is too low'],
  'over-limit': ['bad', 'The amount is over the limit'],
  ignores: ['bad', 'Nobody answered'],
};

const handsets = new Map();

class Handset {
  constructor(place) {
    this.place = place;
    this.phone = place.dataset.handset;
    this.promptId = null;
    this.wasOn = true;
    this.messages = null;
    this.asking = null;
    this.pin.addEventListener('input', () => {
      this.pin.value = this.pin.value.replace(/\D/g, '');
    });
    this.find('prompt').addEventListener('submit', (event) => {
      event.preventDefault();
      if (this.pin.value === '') {
        this.tell('Enter a PIN first.', true);
        this.pin.focus();
        return;
      }
      void this.press('approve', { pin: this.pin.value, promptId: this.promptId });
    });
    for (const key of place.querySelectorAll('[data-key]')) {
      key.addEventListener('click', () => this.type(key.dataset.key));
    }
    for (const button of place.querySelectorAll('[data-press]')) {
      button.addEventListener('click', () => {
        const body =
          this.promptId && !button.dataset.press.startsWith('switch')
            ? { promptId: this.promptId }
            : {};
        void this.press(button.dataset.press, body);
      });
    }
    this.find('plays').addEventListener('change', (event) => void this.play(event.target.value));
  }

  find(part) {
    return this.place.querySelector('[data-part="' + part + '"]');
  }

  get pin() {
    return this.find('pin');
  }

  type(key) {
    if (key === 'clear') this.pin.value = '';
    else
      this.pin.value =
        key === 'delete' ? this.pin.value.slice(0, -1) : (this.pin.value + key).slice(0, 8);
  }

  tell(text, isBad = false) {
    const news = this.find('news');
    news.textContent = text;
    news.classList.toggle('handset__news--bad', isBad);
  }

  async press(press, body) {
    try {
      this.show(
        await ask('POST', '/handsets/' + encodeURIComponent(this.phone) + '/' + press, body),
      );
    } catch (error) {
      this.tell(error.message, true);
      void this.refresh();
    }
  }

  async play(scenario) {
    const path = '/scenarios/' + encodeURIComponent(this.phone);
    try {
      await (scenario === '' ? ask('DELETE', path) : ask('PUT', path, { scenario }));
      this.tell(
        scenario === ''
          ? 'This number plays what its last digits say.'
          : 'From the next payment on, this number plays ' + scenario + '.',
      );
    } catch (error) {
      this.tell(error.message, true);
    }
  }

  /** Reads the phone anew; while that is under way, once more is enough for all that happens meanwhile. */
  async refresh() {
    if (this.asking) {
      this.again = true;
      return;
    }
    this.asking = ask('GET', '/handsets/' + encodeURIComponent(this.phone));
    try {
      this.show(await this.asking);
    } catch (error) {
      this.tell(error.message, true);
    }
    this.asking = null;
    if (this.again) {
      this.again = false;
      await this.refresh();
    }
  }

  show({ isOn, prompts, inbox }) {
    const open = prompts.filter(({ state }) => state === 'open');
    const first = open[0];
    const last = prompts.filter(({ state }) => state !== 'open').at(-1);
    const hadFocus = this.place.contains(document.activeElement);
    this.place.querySelector('.phone').classList.toggle('phone--off', !isOn);
    this.find('off').hidden = isOn;
    this.find('idle').hidden = !isOn;
    this.find('prompt').hidden = !first || !isOn;
    this.find('switch-off').hidden = !isOn;
    for (const button of this.place.querySelectorAll('[data-needs-prompt]'))
      button.disabled = !first || !isOn;
    this.showInbox(inbox);
    this.showLast(last);
    if (first) this.showPrompt(first, open.length);
    this.moveFocus(first, isOn, hadFocus);
    if (isOn !== this.wasOn) this.tell(isOn ? 'The phone is on.' : 'The phone is off.');
    else if (first && first.id !== this.promptId)
      this.tell(
        'The phone asks: ' +
          this.find('amount').textContent +
          ' ' +
          this.find('till').textContent +
          '.',
      );
    else if (!first && this.promptId && last)
      this.tell(
        [...this.find('last').children].map(({ textContent }) => textContent).join(': ') + '.',
      );
    else if (first?.ignored && !this.wasIgnored) this.tell('Left alone: it rings out by itself.');
    this.wasIgnored = first?.ignored;
    this.wasOn = isOn;
    this.promptId = first?.id ?? null;
  }

  showPrompt(prompt, count) {
    this.find('amount').textContent =
      'Pay ' + visible(prompt.currency) + ' ' + prompt.amount.toLocaleString('en') + '?';
    this.find('till').textContent = 'to till ' + visible(prompt.tillNumber);
    const notes = [];
    if (prompt.ignored) notes.push('Left to ring out.');
    if (count > 1) notes.push(count - 1 + ' more behind this one.');
    this.find('note').textContent = notes.join(' ');
    if (prompt.id !== this.promptId) this.pin.value = '';
  }

  showLast(last) {
    const place = this.find('last');
    place.hidden = !last;
    if (!last) return;
    const [sort, words] = ENDS[last.state] || ['bad', last.state];
    place.className = 'last last--' + sort;
    place.replaceChildren(
      element('strong', {}, words),
      element(
        'span',
        {},
        visible(last.currency) +
          ' ' +
          last.amount.toLocaleString('en') +
          ' to till ' +
          visible(last.tillNumber),
      ),
    );
  }

  showInbox(inbox) {
    const known = JSON.stringify(inbox.map(({ at, text }) => [at, text]));
    if (known === this.messages) return;
    if (this.messages !== null) this.tell('A new message.');
    this.messages = known;
    this.find('no-messages').hidden = inbox.length > 0;
    this.find('inbox').hidden = inbox.length === 0;
    this.find('inbox').replaceChildren(
      ...inbox
        .toReversed()
        .map(({ at, from, text }) =>
          element(
            'li',
            {},
            element(
              'span',
              { class: 'inbox__from' },
              element('span', {}, visible(from)),
              timeOf(at),
            ),
            element('span', { class: 'inbox__text', dir: 'auto' }, visible(text)),
          ),
        ),
    );
  }

  /** A prompt takes the focus from nowhere and from its own phone, never from another one. */
  moveFocus(first, isOn, hadFocus) {
    const nowhere = document.activeElement === document.body || document.activeElement === null;
    if (first && isOn && first.id !== this.promptId && (hadFocus || nowhere)) this.pin.focus();
    else if (!isOn && this.wasOn && hadFocus) this.find('switch-on').focus();
    else if (hadFocus && nowhere) this.find('idle').focus();
    else if (hadFocus && (isOn !== this.wasOn || (!first && this.promptId)))
      this.find('idle').focus();
  }
}

for (const place of document.querySelectorAll('[data-handset]')) {
  const handset = new Handset(place);
  handsets.set(handset.phone, handset);
}

async function readClock() {
  // When that fails, the handsets themselves say so.
  const clock = await ask('GET', '/clock').catch(() => null);
  if (clock) keepTime(clock.now);
  tick();
}

function tick() {
  const now = new Date(simulatedNow());
  for (const place of document.querySelectorAll('[data-clock]')) {
    place.textContent = now.toLocaleTimeString([], {
      hour: '2-digit',
      minute: '2-digit',
      hour12: false,
    });
  }
  for (const place of document.querySelectorAll('[data-date]')) {
    place.textContent = now.toLocaleDateString('en', {
      weekday: 'long',
      day: 'numeric',
      month: 'long',
    });
  }
}

if (handsets.size > 0) {
  // From now on: what was before is read with the phone itself.
  follow(Number.MAX_SAFE_INTEGER, {
    onOpen() {
      void readClock();
      for (const handset of handsets.values()) void handset.refresh();
    },
    onEntry(entry) {
      keepTime(Date.parse(entry.at));
      tick();
      if (entry.type === 'happening') void handsets.get(entry.phone)?.refresh();
    },
    onLost() {
      for (const handset of handsets.values())
        handset.tell('The simulator is out of reach; trying again.', true);
    },
  });
  setInterval(tick, 1000);
}
`;
