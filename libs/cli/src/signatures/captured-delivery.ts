import { SIGNATURE_HEADER } from '@tillkit/payments/internal/tools';

/** A delivery that was saved: its headers, an empty line, and the exact body. */
export interface CapturedDelivery {
  signature: string | undefined;
  body: Buffer;
}

/** Reads a saved delivery; null when it does not begin with headers. A request line before the headers is skipped. */
export function readCapturedDelivery(bytes: Buffer): CapturedDelivery | null {
  const [end, length] = [
    [bytes.indexOf('\r\n\r\n'), 4] as const,
    [bytes.indexOf('\n\n'), 2] as const,
  ]
    .filter(([at]) => at >= 0)
    .toSorted(([one], [other]) => one - other)[0] ?? [-1, 0];
  if (end < 0) return null;
  const lines = bytes.subarray(0, end).toString('latin1').split(/\r?\n/);
  if (/^[A-Z]+ \S+/.test(lines[0] ?? '') && !/^[\w-]+:/.test(lines[0] ?? '')) lines.shift();
  const headers = lines.map((line) => /^([\w-]+):\s*(.*?)\s*$/.exec(line));
  if (headers.length === 0 || headers.includes(null)) return null;
  const signature = headers.find((header) => header?.[1]?.toLowerCase() === SIGNATURE_HEADER);
  return { signature: signature?.[2], body: bytes.subarray(end + length) };
}

/** Reads a signature as people paste it, with or without the name of its header. */
export function pastedSignature(text: string): string {
  return text.replace(new RegExp(`^\\s*${SIGNATURE_HEADER}\\s*:`, 'i'), '').trim();
}
