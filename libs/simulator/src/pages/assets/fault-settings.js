import { messageOf } from './element.js';
import { merchant } from './merchant.js';
import { call } from './platform.js';
import { announce, attempt } from './status.js';

/**
 * @typedef {import('../../faults/faults.service.js').FaultSetting} FaultSetting
 * @typedef {import('../../journal/journal.entry.js').JournalEntry} JournalEntry
 */

const REFRESH_MS = 300;

/** @type {((settings: readonly FaultSetting[]) => void)[]} */
const listeners = [];

/**
 * Calls the listener with the faults of this page's merchant, or of all, each time they were read.
 * @param {(settings: readonly FaultSetting[]) => void} listener
 */
export function onFaults(listener) {
  listeners.push(listener);
}

export async function refreshFaults() {
  /** @type {{ settings: FaultSetting[] }} */
  let answer;
  try {
    answer = await call('GET', '/faults');
  } catch (error) {
    announce(messageOf(error), true);
    return;
  }
  const settings = answer.settings.filter(
    ({ match }) => merchant === '' || match.merchant === merchant,
  );
  for (const listener of listeners) listener(settings);
}

/**
 * Changes a fault, announces the outcome and reads the faults again.
 * @param {() => Promise<unknown>} action
 * @param {string} outcome
 */
export async function changeFaults(action, outcome) {
  await attempt(action, outcome);
  await refreshFaults();
}

/**
 * Ends a fault of one merchant, or of all.
 * @param {string} kind
 * @param {string} [of] the name of the merchant; empty for all
 */
export function endFault(kind, of = merchant) {
  return changeFaults(
    () => call('DELETE', `/faults/${kind}?merchant=${encodeURIComponent(of)}`),
    `${kind} is off.`,
  );
}

/**
 * Describes how a fault is set, in words.
 * @param {FaultSetting} setting
 */
export function describe({ rate, once, injected, match }) {
  return [
    rate > 0 ? percent(rate) : '',
    once > 0 ? `${once} pending` : '',
    ...(rate > 0 ? Object.entries(match).map(limit) : []),
    injected > 0 ? `injected ${injected}×` : '',
  ].filter((part) => part !== '');
}

/** @param {[string, string | undefined]} part of a matcher */
function limit([name, value]) {
  if (name === 'merchant') return value === merchant ? '' : `only merchant ${value}`;
  return name === 'delivery' ? `only ${value}s` : `only ${value}`;
}

/** @param {number} rate */
export const percent = (rate) => `${Number((rate * 100).toFixed(2))} %`;

/** @param {FaultSetting} setting */
export const isActive = ({ rate, once }) => rate > 0 || once > 0;

/** @type {ReturnType<typeof setTimeout> | null} */
let due = null;

/**
 * Reads the faults again when one was injected.
 * @param {readonly JournalEntry[]} entries
 */
export function noticeFaults(entries) {
  const hasFault = entries.some((entry) =>
    entry.type === 'note' ? entry.detail.includes('fault:') : entry.faults.length > 0,
  );
  if (!hasFault) return;
  due ??= setTimeout(() => {
    due = null;
    void refreshFaults();
  }, REFRESH_MS);
}
