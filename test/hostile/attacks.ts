import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { webhookBody } from '../support/deliver.js';
import { chunked, RawConnection } from '../support/raw.connection.js';
import { mutated, originalBody } from './mutations.js';
import { Poster } from './poster.js';
import type { TargetProcess } from './target.process.js';
import type { Truth } from './truth.js';

/** What an attack works with. */
export interface Attacked {
  target: TargetProcess;
  truth: Truth;
  random: () => number;
  /** How large it is, from 0 to 1: 1 is what `npm run test:hostile` does. */
  scale: number;
  /** Mutated deliveries. */
  deliveries: number;
}

export interface Attack {
  name: string;
  run(attacked: Attacked): Promise<string>;
}

const WEBHOOKS = '/payments/webhooks';
const CALLBACK = '/payments/callbacks/incoming-payments/an-id';
const FORM = '/payments-dashboard/find';
const LOOKS_SIGNED = { 'X-KopoKopo-Signature': 'a'.repeat(64) };
const POSTED_AT_ONCE = 48;

const times = async (
  count: number,
  atOnce: number,
  one: (n: number) => Promise<void>,
): Promise<void> => {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) await one(next++);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
};

/** No route waits longer for a body than 10 s. */
async function noAnswer(): Promise<number> {
  await sleep(30_000, undefined, { ref: false });
  return 0;
}

/** Sends a request by hand, and expects it to be refused. */
async function refused(
  { target, truth }: Attacked,
  path: string,
  headers: Record<string, string | number>,
  body: string | Buffer,
): Promise<void> {
  const connection = await RawConnection.open(target.url);
  connection.post(path, headers, body);
  const status = await Promise.race([connection.status(), noAnswer()]);
  if (status < 400) truth.problem(`${path} was answered ${status} to ${JSON.stringify(headers)}`);
  connection.abort();
}

/** Posts a delivery whose signature is the platform's, and expects it to be accepted. */
async function accepted({ target, truth }: Attacked, path: string, text: string): Promise<void> {
  const body = Buffer.from(text);
  const signature = truth.sign(body);
  truth.posts(body, signature);
  const connection = await RawConnection.open(target.url);
  connection.post(path, { 'X-KopoKopo-Signature': signature, 'Content-Length': body.length }, body);
  const status = await connection.status();
  if (status !== 200) truth.problem(`a signed delivery to ${path} was answered ${status}`);
  connection.abort();
}

export const ATTACKS: readonly Attack[] = [
  {
    name: 'chunks of one byte',
    async run(attacked) {
      const { scale } = attacked;
      const body = chunked('x'.repeat(Math.ceil(1.7e6 * scale)), 1);
      const headers = { ...LOOKS_SIGNED, 'Transfer-Encoding': 'chunked' };
      await times(20, 20, () => refused(attacked, CALLBACK, headers, body));
      await times(20, 20, () => refused(attacked, FORM, headers, body));
      return `${Math.round((40 * body.length) / 6e6)} MB`;
    },
  },
  {
    name: 'bodies that never end',
    async run(attacked) {
      const count = Math.ceil(1_000 * attacked.scale);
      const part = Buffer.alloc(500_000, 'x');
      const toCallback = { ...LOOKS_SIGNED, 'Content-Length': 900_000 };
      await times(count, count, async (n) => {
        // The time limit of a form is fixed: a short run does not wait for it.
        if (n % 2 === 0 || attacked.scale < 1) await refused(attacked, CALLBACK, toCallback, part);
        else await refused(attacked, FORM, { 'Content-Length': 16_000 }, 'words=');
      });
      return `${count} connections`;
    },
  },
  {
    name: 'bodies of 5 GB',
    async run(attacked) {
      const count = Math.ceil(2_000 * attacked.scale);
      await times(count, 200, async (n) => {
        const headers = { ...(n % 2 === 0 && LOOKS_SIGNED), 'Content-Length': 5 * 2 ** 30 };
        await refused(attacked, n % 3 === 0 ? FORM : WEBHOOKS, headers, Buffer.alloc(100_000));
      });
      return `${count} requests`;
    },
  },
  {
    name: 'deep bodies',
    async run(attacked) {
      const depths = [63, 2_000, 30_000];
      for (const depth of depths) {
        const deep = '['.repeat(depth) + ']'.repeat(depth);
        const body = webhookBody({ reference: `DEEP${depth}` }).replace('"Doe"', deep);
        await accepted(attacked, WEBHOOKS, body);
        await accepted(attacked, CALLBACK, deep);
      }
      return `to ${depths.at(-1)} levels`;
    },
  },
  {
    name: 'absolute request lines',
    async run(attacked) {
      const { target } = attacked;
      await accepted(attacked, `${target.url}${WEBHOOKS}`, webhookBody({ reference: 'ABSOLUTE' }));
      for (const origin of ['http://evil.example', 'ftp://x', 'http://[::1]:1'])
        await refused(attacked, origin + WEBHOOKS, { 'Content-Length': 2 }, '{}');
      return '4 requests';
    },
  },
  {
    name: 'one captured delivery, replayed',
    async run(attacked) {
      const count = Math.ceil(3_000 * attacked.scale);
      const text = webhookBody({ reference: `REPLAYED${randomUUID()}` });
      await times(count, POSTED_AT_ONCE, (n) =>
        accepted(
          attacked,
          n === 0 ? WEBHOOKS : `/payments/callbacks/incoming-payments/${randomUUID()}`,
          text,
        ),
      );
      return `to ${count} URLs`;
    },
  },
  {
    name: 'idle connections',
    async run({ target, scale }) {
      const count = Math.ceil(10_000 * scale);
      const connections: RawConnection[] = [];
      await times(count, 100, async () => {
        connections.push(await RawConnection.open(target.url));
      });
      await sleep(3_000 * scale);
      for (const connection of connections) connection.abort();
      return `${count} connections`;
    },
  },
  {
    name: 'mutated deliveries',
    async run({ target, truth, random, deliveries }) {
      const poster = new Poster(target.url, POSTED_AT_ONCE);
      let signed = 0;
      await times(deliveries, POSTED_AT_ONCE, async () => {
        const original = Buffer.from(originalBody(random, target.payments));
        const body = mutated(original, random);
        const signature = signatureOf(truth, random, original, body);
        const path = pathOf(random, target);
        const isSigned = truth.posts(body, signature);
        if (isSigned) signed += 1;
        const headers: Record<string, string> =
          signature === undefined ? {} : { 'X-KopoKopo-Signature': signature };
        const status = await poster.post(path, body, headers);
        if (!isSigned && status >= 200 && status < 300)
          truth.problem(
            `false accept: ${status} to ${path} with ${signature}, ${body.toString('base64')}`,
          );
        const mustBeAccepted = isSigned && path === WEBHOOKS && body.length <= 64 * 1024;
        if (mustBeAccepted && status !== 200 && status !== 503)
          truth.problem(`a signed delivery was answered ${status}: ${body.toString('base64')}`);
      });
      poster.close();
      return `${deliveries}, ${signed} of them signed`;
    },
  },
];

/** One in twelve has the platform's signature: so the platform might write. */
function signatureOf(
  truth: Truth,
  random: () => number,
  original: Buffer,
  body: Buffer,
): string | undefined {
  const draw = random();
  if (draw < 1 / 12) return truth.sign(body);
  if (draw < 0.3) return truth.sign(original);
  if (draw < 0.4) return truth.sign(Buffer.concat([body, Buffer.from(' ')]));
  if (draw < 0.6) return 'f'.repeat(64);
  if (draw < 0.7) return truth.sign(body).slice(0, 63);
  if (draw < 0.8) return `sha256=${truth.sign(body)}`;
  if (draw < 0.9) return `${truth.sign(body)}${truth.sign(body)}`;
  return undefined;
}

function pathOf(random: () => number, { payments }: TargetProcess): string {
  const draw = random();
  if (draw < 0.5) return WEBHOOKS;
  const { id = 'x' } = payments[Math.floor(random() * payments.length)] ?? {};
  if (draw < 0.8) return `/payments/callbacks/incoming-payments/${id}`;
  if (draw < 0.9) return `/payments/callbacks/polling/bare-${Math.floor(random() * 1e9)}`;
  return `${WEBHOOKS}/${encodeURIComponent(String.fromCharCode(Math.floor(random() * 0x250)))}`;
}
