import { curlOf } from './curl.js';
import { deliveryControls } from './delivery.js';
import { element, timeOf, visible } from './element.js';
import { merchant } from './merchant.js';
import { attempt } from './status.js';

/**
 * @typedef {import('../../journal/journal.entry.js').JournalEntry} JournalEntry
 * @typedef {import('../../journal/journal.entry.js').NoteEntry} NoteEntry
 * @typedef {import('../../journal/journal.entry.js').JournalHeaders} Headers
 */

/** @type {Readonly<Record<JournalEntry['type'], string>>} */
const KINDS = { request: '→ request', attempt: '← delivery', note: 'event' };

/** A line of the list shows this many characters. The details have all of them. */
const LINE_LENGTH = 300;

/** @param {number | null} status */
const isGood = (status) => status !== null && status >= 200 && status < 300;

/**
 * The HTTP status of a request or a delivery attempt; null when there was no answer.
 * @param {Exclude<JournalEntry, NoteEntry>} entry
 */
const statusOf = (entry) =>
  entry.type === 'request' ? (entry.answer?.status ?? null) : entry.status;

/**
 * Whether the filter "Problems only" shows an entry.
 * @param {JournalEntry} entry
 */
export function isProblem(entry) {
  if (entry.type === 'note') return /lost|given up|dropped|delayed|error/.test(entry.title);
  return !isGood(statusOf(entry)) || entry.faults.length > 0;
}

/**
 * One row of the journal. Its details are created when a reader opens it.
 * @param {JournalEntry} entry
 */
export function entryRow(entry) {
  const content = element('div', { class: 'details' });
  const details = element(
    'details',
    {
      toggle: () => {
        if (details.open && content.childElementCount === 0) content.append(...detailsOf(entry));
      },
    },
    element(
      'summary',
      {},
      element('time', { class: 'entry__time', datetime: entry.at }, timeOf(entry.at)),
      element('span', { class: 'entry__kind' }, KINDS[entry.type]),
      element('span', { class: 'entry__what' }, visible(cut(summaryOf(entry)))),
      element('span', { class: 'entry__marks' }, ...marksOf(entry)),
    ),
    content,
  );
  return element('li', { class: `entry entry--new entry--${entry.type}` }, details);
}

/**
 * The text that the search looks through, in lower case.
 * @param {JournalEntry} entry
 */
export function searchableOf(entry) {
  const parts =
    entry.type === 'note'
      ? [entry.paymentId, entry.deliveryId]
      : [entry.url, entry.body, entry.faults.join(' '), statusOf(entry)];
  if (entry.type === 'attempt') parts.push(entry.paymentId, entry.deliveryId);
  if (entry.type === 'request') parts.push(entry.answer?.body ?? null);
  return [summaryOf(entry), ...parts]
    .filter((part) => part !== null)
    .join('\n')
    .toLowerCase();
}

/** @param {JournalEntry} entry */
function summaryOf(entry) {
  switch (entry.type) {
    case 'request':
      return `${entry.method} ${entry.url.replace(/^[a-z]+:\/\/[^/]*/, '') || '/'}`;
    case 'attempt': {
      const attempts = entry.attempt > 1 ? `, attempt ${entry.attempt}` : '';
      return `${entry.kind} ${entry.topic}${attempts} to ${entry.url}`;
    }
    case 'note':
      return [entry.title, entry.phone, entry.detail].filter(Boolean).join(' · ');
  }
}

/** @param {string} text */
function cut(text) {
  return text.length > LINE_LENGTH ? `${text.slice(0, LINE_LENGTH)}…` : text;
}

/** Whether the page is about several merchants: there is a chooser, and no merchant is chosen. */
const isOfSeveral = merchant === '' && document.getElementById('merchant') !== null;

/** @param {JournalEntry} entry */
function marksOf(entry) {
  const name = isOfSeveral ? entry.merchant : null;
  const marks = name === null ? [] : [element('span', { class: 'mark mark--plain' }, name)];
  return [...marks, ...outcomeMarks(entry)];
}

/** @param {JournalEntry} entry */
function outcomeMarks(entry) {
  if (entry.type === 'note') {
    return isProblem(entry) ? [faultMark(entry.title.replace('delivery ', ''))] : [];
  }
  const status = statusOf(entry);
  const error = entry.type === 'attempt' ? entry.error : null;
  return [
    ...entry.faults.map(faultMark),
    element(
      'span',
      { class: isGood(status) ? 'mark' : 'mark mark--bad' },
      status === null ? visible(error || 'no answer') : String(status),
    ),
  ];
}

/** @param {string} text */
function faultMark(text) {
  return element('span', { class: 'mark mark--fault' }, text);
}

/** @param {JournalEntry} entry */
function detailsOf(entry) {
  if (entry.type === 'note') {
    return [
      element('p', { class: 'details__url' }, visible(summaryOf(entry))),
      ...(entry.paymentId
        ? [element('p', { class: 'soft small' }, `Payment ${visible(entry.paymentId)}`)]
        : []),
      ...(entry.deliveryId ? [deliveryControls(entry.deliveryId)] : []),
    ];
  }
  const { url, headers, body, durationMs } = entry;
  const method = entry.type === 'request' ? entry.method : 'POST';
  const messages = [message('Request', headers, body)];
  if (entry.type === 'request') messages.push(answerOf(entry.answer));
  return [
    element(
      'p',
      { class: 'details__url' },
      element('code', {}, `${method} ${visible(url)}`),
      element('span', { class: 'soft' }, ` in ${durationMs} ms`),
    ),
    ...(entry.type === 'attempt' ? [deliveryControls(entry.deliveryId)] : []),
    copyButton({ method, url, headers, body }),
    element(
      'div',
      { class: messages.length > 1 ? 'messages messages--two' : 'messages' },
      ...messages,
    ),
  ];
}

/** @param {import('../../journal/journal.entry.js').RequestEntry['answer']} answer */
function answerOf(answer) {
  if (answer) return message(`Answer ${answer.status}`, answer.headers, answer.body);
  return element(
    'div',
    {},
    element('h3', {}, 'Answer'),
    element('p', { class: 'soft' }, 'The platform never answered.'),
  );
}

/**
 * An HTTP message: its headers and its body.
 * @param {string} title
 * @param {Headers} headers
 * @param {string} body
 */
function message(title, headers, body) {
  const head = wire(`${title}, headers`);
  for (const [name, value] of Object.entries(headers)) {
    head.append(
      element('span', { class: 'wire__name' }, `${visible(name)}: `),
      `${visible(value)}\n`,
    );
  }
  return element(
    'div',
    {},
    element('h3', {}, title),
    head,
    body ? wire(`${title}, body`, visible(pretty(body))) : '',
  );
}

/**
 * Text as it was sent, in a scrollable region.
 * @param {string} label
 */
function wire(label, text = '') {
  return element('pre', { class: 'wire', tabindex: '0', 'aria-label': label }, text);
}

/**
 * JSON on one line is indented; anything else stays as it is.
 * @param {string} body
 */
function pretty(body) {
  if (body.includes('\n')) return body;
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}

/** @param {import('./curl.js').Request} request */
function copyButton(request) {
  const fallback = element('div', {});
  const copy = async () => {
    const command = curlOf(request);
    try {
      await navigator.clipboard.writeText(command);
    } catch {
      // Browsers offer the clipboard only on localhost and over HTTPS.
      fallback.replaceChildren(wire('curl', visible(command)));
      throw new Error('This browser does not allow the clipboard here. Copy the command below.');
    }
  };
  return element(
    'div',
    {},
    element(
      'button',
      {
        type: 'button',
        class: 'button button--small button--quiet',
        click: () => attempt(copy, 'Copied as curl, secrets masked.'),
      },
      'Copy as curl',
    ),
    fallback,
  );
}
