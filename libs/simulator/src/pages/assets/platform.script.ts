/** What the browser loads as `platform.js`: text, so that it is there from the source, the build and the package alike. */
export const PLATFORM_SCRIPT = String.raw`// How the pages speak with the simulator: its control API, and the stream of its journal.

/** Asks the control API. @throws Error with what it complains of. */
export async function ask(method, path, body) {
  const response = await fetch('/_simulator' + path, {
    method,
    headers: body === undefined ? {} : { 'content-type': 'application/json' },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  const answer = await response.json().catch(() => ({}));
  if (!response.ok)
    throw new Error(answer.message || 'The simulator answered ' + response.status + '.');
  return answer;
}

/** Follows the journal after an entry, also over broken connections. */
export function follow(after, { onOpen, onEntry, onLost }) {
  let last = after;
  let stream = null;
  const take = (event) => {
    const entry = JSON.parse(event.data);
    last = entry.sequence;
    onEntry(entry);
  };
  const open = () => {
    if (stream) return;
    stream = new EventSource('/_simulator/journal/stream?after=' + last);
    for (const type of ['request', 'attempt', 'happening']) stream.addEventListener(type, take);
    stream.addEventListener('open', () => onOpen?.());
    stream.addEventListener('error', () => onLost?.());
  };
  // A page in the browser's back-forward memory holds no connection, and catches up when it is shown again.
  addEventListener('pagehide', () => {
    stream?.close();
    stream = null;
  });
  addEventListener('pageshow', open);
  open();
}

// How far the simulator's clock is from this machine's.
let offset = 0;

export function keepTime(now) {
  offset = now - Date.now();
}

export function simulatedNow() {
  return Date.now() + offset;
}
`;
