/** A formula begins with one of these characters, also in full width. */
const FIRST = '=+-@\uff1d\uff0b\uff0d\uff20';

/** A spreadsheet may end a cell at one of these characters. */
const SEPARATORS = ';,|\t\r\n';

/** These characters may stand before a formula in its cell. */
const BLANK = /[\s"]/;

/**
 * Puts an apostrophe wherever a formula could begin: at the start of the text, or after a separator. It reads the text once, from its end.
 * An expression that looks ahead from each separator needs minutes for a name of many line breaks, and anyone can pay with such a name.
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
