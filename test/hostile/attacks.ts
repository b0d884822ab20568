import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { webhookBody } from '../support/deliver.js';
import { RawConnection } from '../support/raw.connection.js';
import { accepted, CALLBACK, refused, times, WEBHOOKS, type Attack } from './attack.requests.js';
import { BODY_ATTACKS } from './body.attacks.js';
import { mutated, originalBody } from './mutations.js';
import { Poster } from './poster.js';
import type { TargetProcess } from './target.process.js';
import type { Truth } from './truth.js';

const POSTED_AT_ONCE = 48;

export const ATTACKS: readonly Attack[] = [
  ...BODY_ATTACKS,
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
