/** What the browser loads as `entry.js`: text, so that it is there from the source, the build and the package alike. */
export const ENTRY_SCRIPT = String.raw`import { curlOf } from './curl.js';
import { deliveryControls } from './delivery.js';
import { element, timeOf, visible } from './element.js';
import { attempt } from './news.js';

const KINDS = { request: '→ request', attempt: '← delivery', happening: 'happening' };

const isGood = (status) => status !== null && status >= 200 && status < 300;

/** Whether an entry is what somebody who looks for trouble looks for. */
export function isTrouble(entry) {
  if (entry.type === 'request')
    return !isGood(entry.answer?.status ?? null) || entry.faults.length > 0;
  if (entry.type === 'attempt') return !isGood(entry.status) || entry.faults.length > 0;
  return /lost|given up|dropped|put off|error/.test(entry.what);
}

/** One line of the journal; what is inside is made when it is opened. */
export function entryRow(entry) {
  const look = element('div', { class: 'look' });
  const details = element(
    'details',
    {
      toggle: () => {
        if (details.open && look.childElementCount === 0) look.append(...lookOf(entry));
      },
    },
    element(
      'summary',
      {},
      element('time', { class: 'entry__time', datetime: entry.at }, timeOf(entry.at)),
      element('span', { class: 'entry__kind' }, KINDS[entry.type]),
      element('span', { class: 'entry__what' }, cut(whatOf(entry))),
      element('span', { class: 'entry__marks' }, ...marksOf(entry)),
    ),
    look,
  );
  return element('li', { class: 'entry entry--new entry--' + entry.type }, details);
}

/** What the filter looks through. */
export function searchableOf(entry) {
  return [
    whatOf(entry),
    entry.url,
    entry.paymentId,
    entry.deliveryId,
    entry.body,
    entry.answer?.body,
    (entry.faults || []).join(' '),
    entry.answer?.status,
    entry.status,
  ]
    .filter((part) => part !== null && part !== undefined)
    .join('\n')
    .toLowerCase();
}

function whatOf(entry) {
  if (entry.type === 'request') return entry.method + ' ' + pathOf(entry.url);
  if (entry.type === 'attempt')
    return (
      entry.kind +
      ' ' +
      entry.topic +
      (entry.attempt > 1 ? ', attempt ' + entry.attempt : '') +
      ' to ' +
      entry.url
    );
  return [entry.what, entry.phone, entry.detail].filter(Boolean).join(' · ');
}

function pathOf(url) {
  return url.replace(/^[a-z]+:\/\/[^/]*/, '') || '/';
}

// A line of the list needs no more; all of it is inside.
function cut(text) {
  return visible(text.length > 300 ? text.slice(0, 300) + '…' : text);
}

function marksOf(entry) {
  const marks = (entry.faults || []).map((fault) =>
    element('span', { class: 'mark mark--fault' }, fault),
  );
  if (entry.type === 'happening') {
    if (isTrouble(entry))
      marks.push(
        element('span', { class: 'mark mark--fault' }, entry.what.replace('delivery ', '')),
      );
    return marks;
  }
  const status = entry.type === 'request' ? (entry.answer?.status ?? null) : entry.status;
  marks.push(
    element(
      'span',
      { class: isGood(status) ? 'mark' : 'mark mark--bad' },
      status === null ? visible(entry.error || 'no answer') : String(status),
    ),
  );
  return marks;
}

function lookOf(entry) {
  if (entry.type === 'happening') {
    return [
      element(
        'p',
        { class: 'look__url' },
        visible([entry.what, entry.phone, entry.detail].filter(Boolean).join(' · ')),
      ),
      ...(entry.paymentId
        ? [element('p', { class: 'soft small' }, 'Payment ' + visible(entry.paymentId))]
        : []),
      ...(entry.deliveryId ? [deliveryControls(entry.deliveryId)] : []),
    ];
  }
  const request = { ...entry, method: entry.method || 'POST' };
  const sides = [side('Request', entry.headers, entry.body)];
  if (entry.type === 'request') {
    sides.push(
      entry.answer
        ? side('Answer ' + entry.answer.status, entry.answer.headers, entry.answer.body)
        : element(
            'div',
            {},
            element('h3', {}, 'Answer'),
            element('p', { class: 'soft' }, 'The platform never answered.'),
          ),
    );
  }
  return [
    element(
      'p',
      { class: 'look__url' },
      element('code', {}, request.method + ' ' + visible(entry.url)),
      element('span', { class: 'soft' }, ' took ' + entry.durationMs + ' ms'),
    ),
    ...(entry.deliveryId ? [deliveryControls(entry.deliveryId)] : []),
    copyButton(request),
    element(
      'div',
      { class: sides.length > 1 ? 'look__sides look__sides--two' : 'look__sides' },
      ...sides,
    ),
  ];
}

function side(title, headers, body) {
  const head = element('pre', { class: 'wire', tabindex: '0', 'aria-label': title + ', headers' });
  for (const [name, value] of Object.entries(headers)) {
    head.append(
      element('span', { class: 'wire__name' }, visible(name) + ': '),
      visible(value) + '\n',
    );
  }
  return element(
    'div',
    {},
    element('h3', {}, title),
    head,
    body
      ? element(
          'pre',
          { class: 'wire', tabindex: '0', 'aria-label': title + ', body' },
          visible(pretty(body)),
        )
      : '',
  );
}

/** JSON on one line is set out to be read; anything else stays as it came. */
function pretty(body) {
  if (body.includes('\n')) return body;
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}

function copyButton(request) {
  const place = element('div', {});
  const copy = async () => {
    const command = curlOf(request);
    try {
      await navigator.clipboard.writeText(command);
    } catch {
      // No clipboard away from localhost and HTTPS: then it is shown, to be copied by hand.
      place.replaceChildren(
        element('pre', { class: 'wire', tabindex: '0', 'aria-label': 'curl' }, visible(command)),
      );
      throw new Error('This browser gives no clipboard here: copy the command from below.');
    }
  };
  return element(
    'div',
    {},
    element(
      'button',
      {
        type: 'button',
        class: 'button button--small',
        click: () => attempt(copy, 'Copied as curl, secrets masked.'),
      },
      'Copy as curl',
    ),
    place,
  );
}
`;
