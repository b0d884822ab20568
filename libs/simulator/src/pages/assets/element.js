// Creates all elements. Strings become text nodes, so the browser never reads received text as markup.

/** @typedef {string | number | boolean | null | undefined | ((event: Event) => unknown)} Attribute */

/**
 * An element with attributes (a function is an event listener) and children (strings are text).
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Record<string, Attribute>} attributes
 * @param {...(Node | string)} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function element(tag, attributes, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === 'function') made.addEventListener(name, value);
    else made.setAttribute(name, value === true ? '' : String(value));
  }
  made.append(...children);
  return made;
}

/**
 * The first element below another that matches a selector. The page's HTML always has it.
 * @template {HTMLElement} Type
 * @param {ParentNode} parent
 * @param {string} selector
 * @param {new () => Type} type
 * @returns {Type}
 */
export function within(parent, selector, type) {
  const found = parent.querySelector(selector);
  if (!(found instanceof type)) throw new TypeError(`The page has no ${type.name} at ${selector}.`);
  return found;
}

/**
 * The element of the page with this id.
 * @template {HTMLElement} Type
 * @param {string} id
 * @param {new () => Type} type
 */
export const byId = (id, type) => within(document, `#${id}`, type);

/**
 * All elements below another that match a selector.
 * @param {ParentNode} parent
 * @param {string} selector
 * @returns {HTMLElement[]}
 */
export function allWithin(parent, selector) {
  return [...parent.querySelectorAll(selector)].filter((one) => one instanceof HTMLElement);
}

// Control characters, and characters that are invisible or change the direction of the text after them.
const INVISIBLE =
  // oxlint-disable-next-line no-control-regex -- control characters are what it finds
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g;

/**
 * Text with its invisible characters written out, as `<U+202E>`, so that no text can look like another.
 * @param {unknown} text
 */
export function visible(text) {
  return String(text).replace(
    INVISIBLE,
    (character) => `<U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}>`,
  );
}

/**
 * The time of day of an ISO 8601 time, in the reader's time zone.
 * @param {string} time
 */
export function timeOf(time) {
  return new Date(time).toLocaleTimeString('en', { hour12: false });
}

/**
 * An amount in units of its currency, as `KES 1,000.00`.
 * @param {string} currency
 * @param {number} amount
 */
export function moneyOf(currency, amount) {
  const { maximumFractionDigits: decimals = 0 } = new Intl.NumberFormat('en', {
    style: 'currency',
    currency,
  }).resolvedOptions();
  return `${currency} ${amount.toLocaleString('en', { minimumFractionDigits: decimals })}`;
}

/**
 * The message of an error.
 * @param {unknown} error
 */
export function messageOf(error) {
  return error instanceof Error ? error.message : String(error);
}
