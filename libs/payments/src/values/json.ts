/** Nothing that we understand is nested deeper. What is, costs a stack frame a level whenever it is copied or written. */
const MOST_LEVELS = 64;

const OPEN = new Set(['[', '{'].map((sign) => sign.charCodeAt(0)));
const CLOSE = new Set([']', '}'].map((sign) => sign.charCodeAt(0)));
const QUOTE = '"'.charCodeAt(0);
const ESCAPE = '\\'.charCodeAt(0);

/**
 * Parses a JSON text of the platform.
 * @throws SyntaxError when it is none, or is nested deeper than 64 levels
 */
export function parseJson(text: string): unknown {
  if (isDeeper(text, MOST_LEVELS))
    throw new SyntaxError(`it is nested deeper than ${MOST_LEVELS} levels`);
  return JSON.parse(text);
}

function isDeeper(text: string, most: number): boolean {
  let level = 0;
  let quoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (quoted) {
      if (code === ESCAPE) at += 1;
      else if (code === QUOTE) quoted = false;
    } else if (code === QUOTE) quoted = true;
    else if (OPEN.has(code)) {
      level += 1;
      if (level > most) return true;
    } else if (CLOSE.has(code)) level -= 1;
  }
  return false;
}
