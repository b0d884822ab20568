/**
 * No message that we understand is nested deeper. Deeper JSON costs one stack frame for each level when it is copied or written.
 */
const MOST_LEVELS = 64;

const OPEN = new Set(['[', '{'].map((sign) => sign.charCodeAt(0)));
const CLOSE = new Set([']', '}'].map((sign) => sign.charCodeAt(0)));
const QUOTE = '"'.charCodeAt(0);
const ESCAPE = '\\'.charCodeAt(0);

/**
 * Parses the JSON text of a request that we received.
 * @throws SyntaxError when the text is not JSON, or is nested deeper than 64 levels
 */
export function parseJson(text: string): unknown {
  if (isDeeper(text, MOST_LEVELS))
    throw new SyntaxError(`the JSON is nested deeper than ${MOST_LEVELS} levels`);
  return JSON.parse(text);
}

/**
 * Parses an answer of the platform. Values below level 64 become null: one unusual item must not make the other items of
 * its list unreadable.
 * @throws SyntaxError when the text is not JSON
 */
export function parseAnswer(text: string): unknown {
  const parsed: unknown = JSON.parse(text);
  if (isDeeper(text, MOST_LEVELS)) cutBelow(parsed, MOST_LEVELS);
  return parsed;
}

/** Goes level by level: a recursive function could overflow the stack. */
function cutBelow(value: unknown, levels: number): void {
  let nodes = [value].filter(isNode);
  for (let level = 1; level < levels; level += 1)
    nodes = nodes.flatMap((node) => Object.values(node).filter(isNode));
  for (const node of nodes)
    for (const key of Object.keys(node)) if (isNode(node[key])) node[key] = null;
}

function isNode(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
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
