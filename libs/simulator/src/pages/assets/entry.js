import { deliveryControls } from './delivery.js';
import { element, timeOf, visible } from './element.js';
import { merchant } from './platform.js';

/**
 * @typedef {import('../../journal/journal-entry.js').JournalEntry} JournalEntry
 * @typedef {import('../../journal/journal-entry.js').NoteEntry} NoteEntry
 * @typedef {import('../../journal/journal-entry.js').JournalHeaders} Headers
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
  const details = element(
    'details',
    {
      toggle: () => {
        if (details.open && details.childElementCount === 1) details.append(...detailsOf(entry));
      },
    },
    element(
      'summary',
      {},
      element('time', { class: 'soft', datetime: entry.at }, timeOf(entry.at)),
      element('span', { class: 'soft' }, KINDS[entry.type]),
      element('span', { class: 'entry__what' }, visible(summaryOf(entry).slice(0, LINE_LENGTH))),
      ...marksOf(entry),
    ),
  );
  return element('li', {}, details);
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

/** Whether the page is about several merchants. */
const isOfSeveral = merchant === '' && document.getElementById('merchant') !== null;

/** @param {JournalEntry} entry */
function marksOf(entry) {
  const marks = [];
  if (isOfSeveral && entry.merchant !== null) {
    marks.push(element('span', { class: 'mark' }, entry.merchant));
  }
  if (entry.type === 'note') return marks;
  const status = statusOf(entry);
  const error = entry.type === 'attempt' ? entry.error : null;
  return [
    ...marks,
    ...entry.faults.map((fault) => element('span', { class: 'mark mark--fault' }, fault)),
    element(
      'span',
      { class: isGood(status) ? 'mark' : 'mark mark--bad' },
      status === null ? visible(error || 'no answer') : String(status),
    ),
  ];
}

/** @param {JournalEntry} entry */
function detailsOf(entry) {
  if (entry.type === 'note') {
    return [
      element('p', { class: 'entry__what' }, visible(summaryOf(entry))),
      ...(entry.deliveryId ? [deliveryControls(entry.deliveryId)] : []),
    ];
  }
  const { url, headers, body, durationMs } = entry;
  const method = entry.type === 'request' ? entry.method : 'POST';
  return [
    element(
      'p',
      { class: 'entry__what' },
      element('code', {}, `${method} ${visible(url)}`),
      ` in ${durationMs} ms`,
    ),
    ...(entry.type === 'attempt' ? [deliveryControls(entry.deliveryId)] : []),
    ...message('Request', headers, body),
    ...(entry.type === 'request' ? answerOf(entry.answer) : []),
  ];
}

/** @param {import('../../journal/journal-entry.js').RequestEntry['answer']} answer */
function answerOf(answer) {
  if (answer) return message(`Answer ${answer.status}`, answer.headers, answer.body);
  return [element('p', { class: 'soft' }, 'The platform never answered.')];
}

/**
 * An HTTP message: its headers and its body.
 * @param {string} title
 * @param {Headers} headers
 * @param {string} body
 */
function message(title, headers, body) {
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const parts = [element('h3', {}, title), wire(`${title}, headers`, head.join('\n'))];
  return body ? [...parts, wire(`${title}, body`, pretty(body))] : parts;
}

/**
 * Text as it was sent, in a scrollable region.
 * @param {string} label
 * @param {string} text
 */
function wire(label, text) {
  return element('pre', { class: 'wire', tabindex: '0', 'aria-label': label }, visible(text));
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
