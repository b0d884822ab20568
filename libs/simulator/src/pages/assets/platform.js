// Calls of the simulator's control API, the stream of its journal, and its clock.

import { ofMerchant } from './merchant.js';

/** @typedef {import('../../journal/journal.entry.js').JournalEntry} JournalEntry */

/**
 * Calls the control API.
 * @param {string} method
 * @param {string} path
 * @param {object} [body]
 * @returns {Promise<any>} the JSON of the response; its shape depends on the route
 * @throws {Error} with the message of a response that is not 2xx
 */
export async function call(method, path, body) {
  const response = await fetch(`/_simulator${path}`, {
    method,
    ...(body && {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
  });
  const answer = await response.json().catch(() => ({}));
  if (!response.ok)
    throw new Error(answer.message || `The simulator responded ${response.status}.`);
  return answer;
}

/**
 * Streams the journal entries after a sequence number and reconnects when the connection breaks.
 * @param {number} after sequence number of the last known entry
 * @param {{ onOpen: () => void, onEntry: (entry: JournalEntry) => void, onLost: () => void }} listeners
 */
export function follow(after, { onOpen, onEntry, onLost }) {
  let last = after;
  /** @type {EventSource | null} */
  let stream = null;
  /** @param {MessageEvent<string>} event */
  const receive = (event) => {
    /** @type {JournalEntry} */
    const entry = JSON.parse(event.data);
    last = entry.sequence;
    onEntry(entry);
  };
  const open = () => {
    if (stream) return;
    stream = new EventSource(`/_simulator${ofMerchant(`/journal/stream?after=${last}`)}`);
    for (const type of ['request', 'attempt', 'note']) stream.addEventListener(type, receive);
    stream.addEventListener('open', onOpen);
    stream.addEventListener('error', onLost);
  };
  // A page in the browser's back/forward cache must not hold a connection. When it is shown again, it reads the missed entries.
  addEventListener('pagehide', () => {
    stream?.close();
    stream = null;
  });
  addEventListener('pageshow', open);
  open();
}

// How far the simulator's clock is ahead of this machine's, in milliseconds.
let offset = 0;

/** @param {number} now the simulator's time, in milliseconds since 1970 */
export function setSimulatedNow(now) {
  offset = now - Date.now();
}

export function simulatedNow() {
  return Date.now() + offset;
}
