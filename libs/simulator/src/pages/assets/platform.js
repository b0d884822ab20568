// Calls of the simulator's control API, and the stream of its journal.

/** @typedef {import('../../journal/journal-entry.js').JournalEntry} JournalEntry */

/** The name of the merchant that the page is about; empty for all. */
export const merchant =
  document.querySelector('[data-merchant]')?.getAttribute('data-merchant') ?? '';

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
 * Streams the kept journal entries, then each new one, and reconnects when the connection breaks.
 * @param {{ onOpen: () => void, onEntry: (entry: JournalEntry) => void, onLost: () => void }} listeners
 */
export function follow({ onOpen, onEntry, onLost }) {
  let last = 0;
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
    stream = new EventSource(`/_simulator/journal/stream?after=${last}`);
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
