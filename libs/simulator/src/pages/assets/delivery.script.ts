/** What the browser loads as `delivery.js`: text, so that it is there from the source, the build and the package alike. */
export const DELIVERY_SCRIPT = String.raw`import { element, timeOf, visible } from './element.js';
import { attempt } from './news.js';
import { ask } from './platform.js';

const CORRUPTIONS = [
  'truncate',
  'wrong-key',
  'unsigned',
  'reserialised',
  'bom',
  'gzip',
  'authorization-header',
];
const DELAYS = { '10 s': 10000, '1 min': 60000, '20 min': 1200000, '1 h': 3600000 };
const STATES = {
  waiting: 'waits for its next attempt',
  delivered: 'delivered',
  'given-up': 'given up after its last attempt',
  lost: 'lost: it was never made',
  dropped: 'dropped',
};

/** What has become of a delivery, and what can be done with it. */
export function deliveryControls(id) {
  const place = element('section', { 'aria-label': 'This delivery', 'data-delivery': id });
  const path = '/deliveries/' + encodeURIComponent(id);

  const act = async (method, what, body, words) => {
    await attempt(() => ask(method, path + what, body), words);
    await show();
  };
  const button = (words, press, isOff = false) =>
    element(
      'button',
      {
        type: 'button',
        class: 'button button--small button--quiet',
        click: press,
        disabled: isOff,
      },
      words,
    );
  const select = (label, values) =>
    element(
      'select',
      { 'aria-label': label },
      ...values.map((value) => element('option', { value }, value)),
    );
  const outcome = (word) => (answer) => {
    const results = [answer].flat();
    return (
      word +
      ' ' +
      results
        .map(({ status, error }) => (status ? 'answered ' + status : String(error)))
        .join(', ') +
      '.'
    );
  };

  async function show() {
    const focused = place.contains(document.activeElement)
      ? document.activeElement.textContent
      : null;
    let delivery;
    try {
      delivery = await ask('GET', path);
    } catch (error) {
      place.replaceChildren(element('p', { class: 'soft' }, visible(error.message)));
      return;
    }
    const isOver = delivery.state !== 'waiting';
    const corruption = select('How to damage it', CORRUPTIONS);
    const delay = select('How long', Object.keys(DELAYS));
    const times = select('How many more', ['1', '5', '100']);
    place.replaceChildren(
      element(
        'h3',
        {},
        'This ' + visible(delivery.kind) + ': ' + (STATES[delivery.state] || delivery.state),
      ),
      element('ol', { class: 'tries' }, ...delivery.attempts.map(tryOf)),
      element(
        'div',
        { class: 'acts' },
        button('Resend', () => act('POST', '/resend', {}, outcome('Sent again:'))),
        button('Drop', () => act('POST', '/drop', {}, 'Dropped: it will not come.'), isOver),
        element(
          'span',
          { class: 'acts__pair' },
          button(
            'Delay',
            () =>
              act('POST', '/delay', { ms: DELAYS[delay.value] }, 'Put off by ' + delay.value + '.'),
            isOver,
          ),
          delay,
        ),
        element(
          'span',
          { class: 'acts__pair' },
          button('Duplicate', () =>
            act(
              'POST',
              '/duplicate',
              { times: Number(times.value) },
              (tries) => 'Sent ' + tries.length + ' more.',
            ),
          ),
          times,
        ),
        element(
          'span',
          { class: 'acts__pair' },
          button('Corrupt', () =>
            act(
              'POST',
              '/resend',
              { corruption: corruption.value },
              outcome('Sent damaged (' + corruption.value + '):'),
            ),
          ),
          corruption,
        ),
      ),
      isOver
        ? element(
            'p',
            { class: 'soft small' },
            'Only one that still waits can be dropped or delayed.',
          )
        : '',
    );
    const again = [...place.querySelectorAll('button')].find(
      ({ textContent }) => textContent === focused,
    );
    if (again && !again.disabled) again.focus();
    else if (focused) place.querySelector('button')?.focus();
  }

  // News of it comes in while it is open.
  place.addEventListener('news', () => {
    if (!place.contains(document.activeElement)) void show();
  });
  void show();
  return place;
}

function tryOf({ at, status, error, faults }) {
  const isGood = status >= 200 && status < 300;
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
`;
