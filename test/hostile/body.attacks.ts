import { webhookBody } from '../support/deliver.js';
import { chunked, RawConnection } from '../support/raw.connection.js';
import {
  accepted,
  CALLBACK,
  LOOKS_SIGNED,
  refused,
  statusOf,
  times,
  WEBHOOKS,
  type Attack,
  type Attacked,
} from './attack.requests.js';

const FORM = '/payments-dashboard/find';
const DECLARED = 900_000;
const UNFINISHED = { ...LOOKS_SIGNED, 'Content-Length': DECLARED };

/** Sends the beginning of a body and nothing more, and expects to be refused. */
function unfinished(attacked: Attacked, bytes: number): Promise<void> {
  return refused(attacked, CALLBACK, UNFINISHED, Buffer.alloc(bytes, 'x'), true);
}

/** Attacks by bodies that are large, slow or never complete. */
export const BODY_ATTACKS: readonly Attack[] = [
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
      await times(count, count, async (n) => {
        // The time limit of a form is fixed: a short run does not wait for it.
        if (n % 2 === 0 || attacked.scale < 1) await unfinished(attacked, 500_000);
        else await refused(attacked, FORM, { 'Content-Length': 16_000 }, 'words=');
      });
      return `${count} connections`;
    },
  },
  {
    name: 'bodies of which one chunk arrives',
    async run(attacked) {
      const count = Math.ceil(3_000 * attacked.scale);
      await times(count, count, () => unfinished(attacked, 65_000));
      return `${count} connections`;
    },
  },
  {
    name: 'bodies that are refused and reset, then bodies that never end',
    async run(attacked) {
      const resets = Math.ceil(300 * attacked.scale);
      const count = Math.ceil(600 * attacked.scale);
      // Without a length, it is refused only when 1 MB of it has arrived.
      const tooLarge = chunked('x'.repeat(1_100_000), 65_536);
      const headers = { ...LOOKS_SIGNED, 'Transfer-Encoding': 'chunked' };
      await times(resets, 20, () => refused(attacked, CALLBACK, headers, tooLarge));
      await times(count, count, () => unfinished(attacked, DECLARED - 1));
      return `${resets} resets, ${count} connections`;
    },
  },
  {
    name: 'outsiders fill the memory for bodies, the platform sends two packets',
    async run(attacked) {
      const { target } = attacked;
      const outsiders: RawConnection[] = [];
      const fill = async (): Promise<void> => {
        const outsider = await RawConnection.open(target.url);
        outsider.post(CALLBACK, UNFINISHED, Buffer.alloc(800_000));
        outsiders.push(outsider);
      };
      // 40 MB, of which 32 MB are kept: what still arrives after the first refusal cannot push out a delivery of the platform.
      await times(50, 50, fill);
      await Promise.race(outsiders.map(statusOf));
      for (let n = 0; n < 20; n += 1) {
        await fill();
        await accepted(attacked, WEBHOOKS, webhookBody({ reference: `FULL${n}` }), 2);
      }
      for (const outsider of outsiders) outsider.abort();
      return `${outsiders.length} outsiders`;
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
];
