import { WORDS } from '../words/english.words.js';

const BYTES_PER_LINE = 16;
const MAX_BYTES = 4_096;

/** A body is text that is JSON, other text, or bytes. */
export type BodyFormat = 'json' | 'text' | 'bytes';

export function formatOf(body: Buffer): BodyFormat {
  const text = textOf(body);
  if (text === null) return 'bytes';
  try {
    JSON.parse(text);
    return 'json';
  } catch {
    return 'text';
  }
}

/**
 * Returns a readable form of a body: indented JSON, other text unchanged, anything else as a hex dump. Bytes that are not text can contain a phone
 * number in a form that cannot be masked, so they are hidden together with the phone numbers.
 * @param isRevealed whether to show bytes
 */
export function readableBody(body: Buffer, isRevealed: boolean): string {
  const text = textOf(body);
  if (text === null) return isRevealed ? hexDump(body) : WORDS.delivery.bytesHidden;
  return indented(text) ?? text;
}

function textOf(body: Buffer): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body);
  } catch {
    return null;
  }
}

/** Returns indented JSON; null when indenting would change a value, such as `1.10` or a large integer. */
function indented(text: string): string | null {
  try {
    const value: unknown = JSON.parse(text);
    const dense = JSON.stringify(value);
    return dense === withoutWhitespace(text) ? JSON.stringify(value, null, 2) : null;
  } catch {
    return null;
  }
}

function withoutWhitespace(json: string): string {
  return json.replace(/("(?:[^"\\]|\\.)*")|\s+/g, (_, quoted?: string) => quoted ?? '');
}

function hexDump(body: Buffer): string {
  const lines: string[] = [];
  const shown = body.subarray(0, MAX_BYTES);
  for (let start = 0; start < shown.length; start += BYTES_PER_LINE) {
    const bytes = shown.subarray(start, start + BYTES_PER_LINE);
    const hex = bytes.toString('hex').replace(/(..)(?=.)/g, '$1 ');
    const letters = bytes.toString('latin1').replace(/[^\x20-\x7e]/g, '.');
    lines.push(`${start.toString(16).padStart(6, '0')}  ${hex.padEnd(47)}  ${letters}`);
  }
  return lines.join('\n');
}
