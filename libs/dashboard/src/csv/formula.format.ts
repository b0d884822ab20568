/** What begins a formula, also in full width. */
const FIRST = '=+-@\uff1d\uff0b\uff0d\uff20';

/** What a spreadsheet may take for the end of a cell. */
const SEPARATORS = ';,|\t\r\n';

/** What may stand before a formula in its cell. */
const BLANK = /[\s"]/;

/**
 * A text with an apostrophe wherever a formula could begin: at its start, or after a separator. It reads the text once, from its end: an
 * expression that looks ahead from each separator needs minutes for a name of many line breaks, and anyone can pay with such a name.
 */
export function withoutFormulas(text: string): string {
  const parts: string[] = [];
  let end = text.length;
  let isFormula = false;
  for (let at = text.length - 1; at >= 0; at -= 1) {
    const character = text.charAt(at);
    if (!BLANK.test(character)) isFormula = FIRST.includes(character);
    if (!isFormula || (at > 0 && !SEPARATORS.includes(text.charAt(at - 1)))) continue;
    parts.push(text.slice(at, end));
    end = at;
  }
  parts.push(text.slice(0, end));
  return parts.reverse().join(`'`);
}
