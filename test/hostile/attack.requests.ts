import { setTimeout as sleep } from 'node:timers/promises';
import { RawConnection } from '../support/raw.connection.js';
import type { TargetProcess } from './target.process.js';
import type { Truth } from './truth.js';

/** Every attack gets these to work with. */
export interface Attacked {
  target: TargetProcess;
  truth: Truth;
  random: () => number;
  /** The size of the attack, from 0 to 1: `npm run test:hostile` uses 1. */
  scale: number;
  /** Mutated deliveries. */
  deliveries: number;
}

export interface Attack {
  name: string;
  run(attacked: Attacked): Promise<string>;
}

export const WEBHOOKS = '/payments/webhooks';
export const CALLBACK = '/payments/callbacks/incoming-payments/an-id';
export const LOOKS_SIGNED = { 'X-KopoKopo-Signature': 'a'.repeat(64) };
/** An attack waits this long between the two packets of a delivery. */
export const PAUSE_MS = 10;

export const times = async (
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

const NO_ANSWER = -1;
/** Much longer than a busy machine needs: no route waits longer for a body than 10 s. */
const NO_ANSWER_MS = 120_000;

/** Returns the status of the answer; 0 when the connection was closed without one. */
export async function statusOf(connection: RawConnection): Promise<number> {
  return Promise.race([connection.status(), sleep(NO_ANSWER_MS, NO_ANSWER, { ref: false })]);
}

/**
 * Sends a request by hand, and expects it to be refused.
 * @param mayBeClosed whether a close without an answer is a refusal too. With thousands of connections, a reset may come before the
 * attacker has read the answer.
 */
export async function refused(
  { target, truth }: Attacked,
  path: string,
  headers: Record<string, string | number>,
  body: string | Buffer,
  mayBeClosed = false,
): Promise<void> {
  const connection = await RawConnection.open(target.url);
  connection.post(path, headers, body);
  const status = await statusOf(connection);
  if (status === NO_ANSWER) truth.problem(`${path} was not answered`);
  else if (status < 400 && !(mayBeClosed && status === 0))
    truth.problem(`${path} was answered ${status} to ${JSON.stringify(headers)}`);
  connection.abort();
}

/** Posts a delivery whose signature is the platform's, in one packet or in two, and expects it to be accepted. */
export async function accepted(
  { target, truth }: Attacked,
  path: string,
  text: string,
  packets: 1 | 2 = 1,
): Promise<void> {
  const body = Buffer.from(text);
  const signature = truth.sign(body);
  truth.posts(body, signature);
  const connection = await RawConnection.open(target.url);
  const headers = { 'X-KopoKopo-Signature': signature, 'Content-Length': body.length };
  const first = packets === 1 ? body.length : body.length >> 1;
  connection.post(path, headers, body.subarray(0, first));
  if (packets === 2) await sleep(PAUSE_MS);
  connection.send(body.subarray(first));
  const status = await statusOf(connection);
  if (status !== 200) truth.problem(`a signed delivery to ${path} was answered ${status}`);
  connection.abort();
}
