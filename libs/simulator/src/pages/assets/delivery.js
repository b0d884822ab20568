import { element, messageOf, timeOf, visible } from './element.js';
import { call } from './platform.js';
import { attempt } from './status.js';

/**
 * @typedef {import('../../deliveries/delivery.record.js').Delivery} Delivery
 * @typedef {import('../../deliveries/delivery.record.js').DeliveryAttempt} DeliveryAttempt
 */

/** What a person does with a delivery: a route of the control API, its body, and the outcome. */
const ACTIONS = /** @type {const} */ ({
  Resend: ['resend', {}, outcomeOf],
  Duplicate: ['duplicate', { times: 1 }, outcomeOf],
  'Delay 1 min': ['delay', { ms: 60_000 }, 'Delayed by 1 min.'],
  'Delay 1 h': ['delay', { ms: 3_600_000 }, 'Delayed by 1 h.'],
  Drop: ['drop', {}, 'Dropped: it will not be delivered.'],
});

const CORRUPTIONS = [
  'truncate',
  'wrong-key',
  'unsigned',
  'reserialised',
  'bom',
  'gzip',
  'authorization-header',
];

/**
 * The state of a delivery, its attempts, and the actions of the developer.
 * @param {string} id
 */
export function deliveryControls(id) {
  const path = `/deliveries/${encodeURIComponent(id)}`;
  const state = element('div', {});
  const show = async () => {
    try {
      state.replaceChildren(...stateOf(await call('GET', path)));
    } catch (error) {
      state.replaceChildren(element('p', { class: 'soft' }, visible(messageOf(error))));
    }
  };
  /**
   * @param {string} action
   * @param {object} body
   * @param {string | ((result: DeliveryAttempt | DeliveryAttempt[]) => string)} outcome
   */
  const act = async (action, body, outcome) => {
    await attempt(() => call('POST', `${path}/${action}`, body), outcome);
    await show();
  };
  const corruption = element(
    'select',
    { 'aria-label': 'Kind of damage' },
    ...CORRUPTIONS.map((name) => element('option', {}, name)),
  );
  void show();
  return element(
    'section',
    { 'aria-label': 'This delivery' },
    state,
    element(
      'div',
      { class: 'row' },
      ...Object.entries(ACTIONS).map(([name, [action, body, outcome]]) =>
        button(name, () => act(action, body, outcome)),
      ),
      button('Corrupt', () => act('resend', { corruption: corruption.value }, outcomeOf)),
      corruption,
    ),
    element('p', { class: 'soft small' }, 'Only a waiting delivery can be dropped or delayed.'),
  );
}

/** @param {Delivery} delivery */
function stateOf({ kind, state, attempts }) {
  return [
    element('h3', {}, `This ${visible(kind)}: ${state}`),
    element('ol', {}, ...attempts.map(attemptItem)),
  ];
}

/** @param {DeliveryAttempt} attempt */
function attemptItem({ at, status, error, faults }) {
  return element('li', {}, [timeOf(at), status ?? visible(error), ...faults].join(' · '));
}

/** @param {DeliveryAttempt | DeliveryAttempt[]} result */
function outcomeOf(result) {
  const answers = [result].flat().map(({ status, error }) => status ?? error);
  return `Sent: answered ${answers.join(', ')}.`;
}

/**
 * @param {string} name
 * @param {() => unknown} click
 */
function button(name, click) {
  return element('button', { type: 'button', class: 'button button--quiet', click }, name);
}
