import { byId, messageOf } from './element.js';

const status = byId('status', HTMLElement);

/**
 * Shows the outcome of an action in the status line, which screen readers announce.
 * @param {string} text
 */
export function announce(text, isError = false) {
  status.textContent = text;
  status.classList.toggle('status--bad', isError);
}

/**
 * Runs an action and announces its outcome, if there is something to say; undefined when it failed.
 * @template Result
 * @param {() => Promise<Result>} action
 * @param {string | ((result: Result) => string)} [outcome]
 */
export async function attempt(action, outcome) {
  try {
    const result = await action();
    if (outcome !== undefined) announce(typeof outcome === 'function' ? outcome(result) : outcome);
    return result;
  } catch (error) {
    announce(messageOf(error), true);
    return undefined;
  }
}
