import { hash } from 'node:crypto';

/**
 * No message that we understand is nested deeper. Deeper JSON costs one stack frame for each level when it is copied or written.
 */
const MOST_LEVELS = 64;

const QUOTE = '"'.charCodeAt(0);
const ESCAPE = '\\'.charCodeAt(0);
const OPEN = '{'.charCodeAt(0);
const CLOSE = '}'.charCodeAt(0);
/** This bit turns `[` into `{`, and `]` into `}`. */
const BRACKET_BIT = 0x20;

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
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = endOfString(text, at);
      continue;
    }
    const bracket = code | BRACKET_BIT;
    if (bracket === OPEN) {
      level += 1;
      if (level > most) return true;
    } else if (bracket === CLOSE) level -= 1;
  }
  return false;
}

/** Returns the index at which the string that begins at `start` ends. `indexOf` is much faster than a look at each character. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end === -1 ? text.length : end;
}

function isEscaped(text: string, at: number): boolean {
  let before = at - 1;
  while (text.charCodeAt(before) === ESCAPE) before -= 1;
  return (at - before) % 2 === 0;
}

/** Returns the first characters of a hash, in hex, of values in JSON: equal for equal values, and practically never for others. */
export function digest(characters: number, ...values: readonly unknown[]): string {
  return hash('sha256', JSON.stringify(values)).slice(0, characters);
}
