import { element, messageOf, timeOf, visible } from './element.js';
import { call } from './platform.js';
import { attempt } from './status.js';

/**
 * @typedef {import('../../deliveries/delivery.record.js').Delivery} Delivery
 * @typedef {import('../../deliveries/delivery.record.js').DeliveryAttempt} DeliveryAttempt
 */

const CORRUPTIONS = [
  'truncate',
  'wrong-key',
  'unsigned',
  'reserialised',
  'bom',
  'gzip',
  'authorization-header',
];

/** @type {Readonly<Record<string, number>>} */
const DELAYS = { '10 s': 10_000, '1 min': 60_000, '20 min': 1_200_000, '1 h': 3_600_000 };

/** @type {Readonly<Record<Delivery['state'], string>>} */
const STATES = {
  waiting: 'waits for its next attempt',
  delivered: 'delivered',
  'given-up': 'given up after its last attempt',
  lost: 'lost: no attempt was made',
  dropped: 'dropped',
};

/**
 * The state of a delivery, its attempts, and the actions of the developer.
 * @param {string} id
 */
export function deliveryControls(id) {
  const section = element('section', { 'aria-label': 'This delivery', 'data-delivery': id });
  const path = `/deliveries/${encodeURIComponent(id)}`;

  /**
   * @param {string} action
   * @param {object} body
   * @param {string | ((result: any) => string)} outcome
   */
  const act = async (action, body, outcome) => {
    await attempt(() => call('POST', `${path}/${action}`, body), outcome);
    await show();
  };

  async function show() {
    const focused = section.contains(document.activeElement)
      ? document.activeElement?.textContent
      : null;
    /** @type {Delivery} */
    let delivery;
    try {
      delivery = await call('GET', path);
    } catch (error) {
      section.replaceChildren(element('p', { class: 'soft' }, visible(messageOf(error))));
      return;
    }
    section.replaceChildren(...contentOf(delivery, act));
    const sameButton = [...section.querySelectorAll('button')].find(
      ({ textContent }) => textContent === focused,
    );
    if (sameButton && !sameButton.disabled) sameButton.focus();
    else if (focused) section.querySelector('button')?.focus();
  }

  // The journal dispatches this event for each new entry of the delivery.
  section.addEventListener('delivery-changed', () => {
    if (!section.contains(document.activeElement)) void show();
  });
  void show();
  return section;
}

/**
 * @param {Delivery} delivery
 * @param {(action: string, body: object, outcome: string | ((result: any) => string)) => Promise<void>} act
 */
function contentOf(delivery, act) {
  const isOver = delivery.state !== 'waiting';
  const corruption = select('Kind of damage', CORRUPTIONS);
  const delay = select('How long', Object.keys(DELAYS));
  const times = select('How many more', ['1', '5', '100']);
  return [
    element('h3', {}, `This ${visible(delivery.kind)}: ${STATES[delivery.state]}`),
    element('ol', { class: 'attempts' }, ...delivery.attempts.map(attemptItem)),
    element(
      'div',
      { class: 'actions' },
      button('Resend', () => act('resend', {}, outcomeOf('Sent again'))),
      button('Drop', () => act('drop', {}, 'Dropped: it will not be delivered.'), isOver),
      pair(
        button(
          'Delay',
          () => act('delay', { ms: DELAYS[delay.value] }, `Delayed by ${delay.value}.`),
          isOver,
        ),
        delay,
      ),
      pair(
        button('Duplicate', () =>
          act(
            'duplicate',
            { times: Number(times.value) },
            (attempts) => `Sent ${attempts.length} more.`,
          ),
        ),
        times,
      ),
      pair(
        button('Corrupt', () =>
          act(
            'resend',
            { corruption: corruption.value },
            outcomeOf(`Sent damaged (${corruption.value})`),
          ),
        ),
        corruption,
      ),
    ),
    isOver
      ? element('p', { class: 'soft small' }, 'Only a waiting delivery can be dropped or delayed.')
      : '',
  ];
}

/**
 * @param {string} name
 * @param {() => unknown} click
 */
function button(name, click, isOff = false) {
  return element(
    'button',
    { type: 'button', class: 'button button--small button--quiet', click, disabled: isOff },
    name,
  );
}

/**
 * @param {string} label
 * @param {readonly string[]} values
 */
function select(label, values) {
  return element(
    'select',
    { 'aria-label': label },
    ...values.map((value) => element('option', { value }, value)),
  );
}

/** @param {...HTMLElement} children */
function pair(...children) {
  return element('span', { class: 'actions__pair' }, ...children);
}

/**
 * @param {string} action
 * @returns {(result: DeliveryAttempt | DeliveryAttempt[]) => string}
 */
function outcomeOf(action) {
  return (result) => {
    const responses = [result]
      .flat()
      .map(({ status, error }) => (status ? `answered ${status}` : String(error)));
    return `${action}: ${responses.join(', ')}.`;
  };
}

/** @param {DeliveryAttempt} attempt */
function attemptItem({ at, status, error, faults }) {
  const isGood = status !== null && status >= 200 && status < 300;
  return element(
    'li',
    {},
    element('span', { class: 'entry__time' }, timeOf(at)),
    element(
      'span',
      { class: isGood ? 'mark' : 'mark mark--bad' },
      status === null ? visible(error) : String(status),
    ),
    ...faults.map((fault) => element('span', { class: 'mark mark--fault' }, fault)),
  );
}
