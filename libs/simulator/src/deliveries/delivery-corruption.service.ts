import { gzipSync } from 'node:zlib';
import type { FaultKind } from '../faults/faults.constants.js';
import { SIGNATURE_HEADER, sign } from './delivery-signature.service.js';

/** The ways to damage the bytes of one attempt, in the order of application. */
export const CORRUPTIONS = [
  'reserialised',
  'bom',
  'gzip',
  'wrong-key',
  'unsigned',
  'truncate',
  'authorization-header',
] as const satisfies readonly FaultKind[];

/** A fault that damages the body or the signature of a delivery. */
export type Corruption = (typeof CORRUPTIONS)[number];

export function isCorruption(name: string): name is Corruption {
  return (CORRUPTIONS as readonly string[]).includes(name);
}

/** Returns the headers and bytes of one attempt, signed, with the corruptions applied. */
export function writeDelivery(
  original: Buffer,
  apiKey: string,
  corruptions: readonly Corruption[],
): { headers: Record<string, string>; body: Buffer } {
  const headers: Record<string, string> = { 'Content-Type': 'application/json' };
  let body = original;
  let signed = original;
  let key = apiKey;
  for (const corruption of corruptions) {
    switch (corruption) {
      case 'reserialised':
        body = Buffer.from(JSON.stringify(JSON.parse(body.toString()), null, 2));
        break;
      case 'bom':
        body = Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), body]);
        signed = body;
        break;
      case 'gzip':
        body = gzipSync(body);
        signed = body;
        headers['Content-Encoding'] = 'gzip';
        break;
      case 'wrong-key':
        key = `${apiKey}-of-another-application`;
        break;
      case 'unsigned':
        key = '';
        break;
      case 'truncate':
        body = body.subarray(0, body.length >> 1);
        break;
      case 'authorization-header':
        headers.Authorization = 'Bearer not-for-your-logs';
        break;
    }
  }
  if (key) headers[SIGNATURE_HEADER] = sign(signed, key);
  return { headers, body };
}
