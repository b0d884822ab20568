import { resultBody, webhookBody } from '../support/deliver.js';
import type { TargetPayment } from './target.settings.js';

type Random = () => number;

const upTo = (random: Random, limit: number): number => Math.floor(random() * limit);
const oneOf = <T>(random: Random, items: readonly T[]): T => items[upTo(random, items.length)] as T;

/** Returns a delivery as the platform would send it, made new each time. */
export function originalBody(random: Random, payments: readonly TargetPayment[]): string {
  const { platformId, callbackUrl } = oneOf(random, payments);
  return oneOf(random, [
    () => webhookBody({ reference: `H${upTo(random, 1e9)}` }),
    () =>
      resultBody(platformId, callbackUrl, {
        status: oneOf(random, ['Success', 'Failed', 'Pending']),
      }),
    () => resultBody(platformId, callbackUrl),
    () =>
      JSON.stringify({
        data: { id: 'p', type: 'polling', attributes: { status: 'Success', _links: {} } },
      }),
  ])();
}

const TEXTS = [
  '__proto__',
  'constructor',
  '\u0000',
  '\uD800',
  '\n\u001B[2JERROR',
  '💸'.repeat(50),
  '1e400',
  '-0',
  '99999999999999999999',
  '../../etc',
  '',
  'x'.repeat(20_000),
];
const VALUES = [
  'null',
  'true',
  '[]',
  '{}',
  '1e999',
  '-1',
  '0.1',
  '"x"',
  '[[[[]]]]',
  '9007199254740993',
];

/** Changes of a body. Each is a way in which a body was once wrong, or might be. */
const MUTATIONS: readonly ((body: Buffer, random: Random) => Buffer)[] = [
  (body, random) => {
    const copy = Buffer.from(body);
    const at = upTo(random, copy.length);
    copy[at] = (copy[at] as number) ^ (1 << upTo(random, 8));
    return copy;
  },
  (body, random) => body.subarray(0, upTo(random, body.length)),
  (body, random) => {
    const at = upTo(random, body.length);
    return Buffer.concat([body.subarray(0, at), body.subarray(at + 1 + upTo(random, 20))]);
  },
  (body, random) => {
    const at = upTo(random, body.length);
    const piece = body.subarray(at, at + 1 + upTo(random, 60));
    return Buffer.concat([body.subarray(0, at), piece, body.subarray(at)]);
  },
  (body, random) => {
    const at = upTo(random, body.length);
    const noise = Buffer.from(
      Array.from({ length: 1 + upTo(random, 30) }, () => upTo(random, 256)),
    );
    return Buffer.concat([body.subarray(0, at), noise, body.subarray(at)]);
  },
  (body, random) =>
    replaced(body, /"[^"\\]*"(?=[,}])/g, random, () => JSON.stringify(oneOf(random, TEXTS))),
  (body, random) =>
    replaced(body, /(?<=":)("[^"\\]*"|null|\{\})/g, random, () => oneOf(random, VALUES)),
  (body, random) =>
    replaced(body, /"[a-z_]+":/g, random, () => `${JSON.stringify(oneOf(random, TEXTS))}:`),
  (body, random) =>
    replaced(
      body,
      /"[a-z_]+":("[^"\\]*"|null)/g,
      random,
      (pair) => `${pair},${pair.replace(/:.*/s, ':"other"')}`,
    ),
  (body) => Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), body]),
  (body, random) => {
    const levels = oneOf(random, [63, 64, 65, 2_000, 20_000]);
    return replaced(
      body,
      /null|"[^"\\]*"(?=})/g,
      random,
      () => '['.repeat(levels) + ']'.repeat(levels),
    );
  },
  (body, random) =>
    replaced(body, /[a-z]/g, random, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`),
  (body) => Buffer.from(body.toString('utf8'), 'utf16le'),
  (body) => Buffer.from(JSON.stringify(JSON.parse(body.toString('utf8')), null, 2)),
];

/** Returns the body after one to three random changes. */
export function mutated(body: Buffer, random: Random): Buffer {
  let changed = body;
  for (let n = 1 + upTo(random, 3); n > 0; n -= 1) {
    try {
      changed = oneOf(random, MUTATIONS)(changed, random);
    } catch {
      // The changes before may have left no JSON, which some mutations need.
    }
  }
  return changed;
}

function replaced(
  body: Buffer,
  what: RegExp,
  random: Random,
  by: (found: string) => string,
): Buffer {
  const text = body.toString('latin1');
  const found = [...text.matchAll(what)];
  if (found.length === 0) return body;
  const { 0: match, index } = oneOf(random, found);
  const after = text.slice(index + match.length);
  return Buffer.concat([
    Buffer.from(text.slice(0, index), 'latin1'),
    Buffer.from(by(match), 'utf8'),
    Buffer.from(after, 'latin1'),
  ]);
}
