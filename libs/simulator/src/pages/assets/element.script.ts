/** What the browser loads as `element.js`: text, so that it is there from the source, the build and the package alike. */
export const ELEMENT_SCRIPT = String.raw`// Elements are made here, and text goes into them as text: nothing that came from outside is ever read as markup.

/** An element with attributes (a function is a listener) and children (strings are text). */
export function element(tag, attributes, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === 'function') made.addEventListener(name, value);
    else made.setAttribute(name, value === true ? '' : String(value));
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

// What is invisible or turns the direction of what follows, so that no text can pass for another.
const INVISIBLE =
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g;

/** Text with its invisible characters written out, as <U+202E>. */
export function visible(text) {
  return String(text).replace(
    INVISIBLE,
    (character) =>
      '<U+' + character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0') + '>',
  );
}

/** The time of day of an ISO 8601 moment, where the reader is. */
export function timeOf(moment) {
  return new Date(moment).toLocaleTimeString([], {
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hour12: false,
  });
}
`;
