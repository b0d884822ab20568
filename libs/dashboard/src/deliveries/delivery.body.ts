const BYTES_A_LINE = 16;
const MAX_BYTES = 4_096;

/** A body for people: JSON laid out, other text as it is, anything else byte by byte. */
export function readableBody(body: Buffer): string {
  const text = textOf(body);
  return text === null ? dump(body) : (layOut(text) ?? text);
}

function textOf(body: Buffer): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body);
  } catch {
    return null;
  }
}

/** JSON is laid out only where that changes no number: `1.10` and large integers stay as they came. */
function layOut(text: string): string | null {
  try {
    const value: unknown = JSON.parse(text);
    const dense = JSON.stringify(value);
    return dense === withoutLayout(text) ? JSON.stringify(value, null, 2) : null;
  } catch {
    return null;
  }
}

function withoutLayout(json: string): string {
  return json.replace(/("(?:[^"\\]|\\.)*")|\s+/g, (_, quoted?: string) => quoted ?? '');
}

function dump(body: Buffer): string {
  const lines: string[] = [];
  const shown = body.subarray(0, MAX_BYTES);
  for (let start = 0; start < shown.length; start += BYTES_A_LINE) {
    const bytes = shown.subarray(start, start + BYTES_A_LINE);
    const hex = bytes.toString('hex').replace(/(..)(?=.)/g, '$1 ');
    const letters = bytes.toString('latin1').replace(/[^\x20-\x7e]/g, '.');
    lines.push(`${start.toString(16).padStart(6, '0')}  ${hex.padEnd(47)}  ${letters}`);
  }
  return lines.join('\n');
}
