/**
 * Measures what four hostile merchants do to another one of the same process: the p99 of the answers to its deliveries, and how late its failed
 * listener calls are repeated, calm and under attack, in one run. An attack has the API keys of the hostile merchants.
 * Usage: node --conditions=@tillkit/source --import ./test/support/typescript.register.mjs test/hostile/merchants.ts [bodies|results|hang]
 */
import { fork, type ChildProcess } from 'node:child_process';
import { createHmac, randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import { webhookBody } from '../support/deliver.js';
import { HOSTILE, keyOf, OTHER, type MerchantsMessage } from './merchants.settings.js';
import { Poster } from './poster.js';

const TARGET = fileURLToPath(new URL('./merchants.target.ts', import.meta.url));
const REGISTER = new URL('../support/typescript.register.mjs', import.meta.url).href;
const PHASE_MS = 20_000;
const EVERY_MS = 20;
const MB = 2 ** 20;

interface Signed {
  body: Buffer;
  headers: Record<string, string>;
}

const say = (line: string): void => void process.stdout.write(`${line}\n`);

function signed(account: string, text: string): Signed {
  const body = Buffer.from(text);
  const signature = createHmac('sha256', keyOf(account)).update(body).digest('hex');
  return { body, headers: { 'X-KopoKopo-Signature': signature } };
}

const webhookOf = (account: string, index: number): Signed =>
  signed(account, webhookBody({ reference: `R${randomUUID()}`, till_number: `51445${index}` }));

/** Bodies of nearly 1 MB with many names, empty objects or escapes. */
const BODIES: readonly (() => string)[] = [
  () =>
    `{${Array.from({ length: 60_000 }, (_, n) => `"${n}-${Math.random()}":1`)
      .join(',')
      .slice(0, MB - 2)}}`,
  () => `{"data":[${'{},'.repeat(300_000)}{}],"n":${Math.random()}}`,
  () => `{"a":["${'\\u0041'.repeat(160_000)}"],"n":${Math.random()}}`,
];

/** Returns the result of a bare request that is understood, with a text of nearly 1 MB. */
const result = (account: string): string =>
  JSON.stringify({
    data: {
      id: randomUUID(),
      type: 'incoming_payment',
      attributes: {
        status: 'Success',
        event: { type: 'x', resource: { reference: randomUUID(), text: 'x'.repeat(MB - 1_000) } },
        _links: {
          callback_url: `http://127.0.0.1/${account}/callbacks/incoming-payments/bare-${randomUUID()}`,
        },
      },
    },
  });

type Attack = (
  post: (account: string, path: string, delivery: Signed) => Promise<number>,
  isOver: () => boolean,
) => Promise<string>;

const ATTACKS: Readonly<Record<string, Attack>> = {
  async bodies(post, isOver) {
    const bodies = HOSTILE.flatMap((account) =>
      BODIES.map((make) => [account, signed(account, make())] as const),
    );
    let sent = 0;
    for (; !isOver(); sent += 1) {
      const [account, delivery] = bodies[sent % bodies.length]!;
      await post(account, 'callbacks/polling/x', delivery);
      await sleep(1_000);
    }
    return `${sent} bodies`;
  },
  async results(post, isOver) {
    // Made before: what this process does meanwhile would be measured as well.
    const results = Array.from({ length: 100 }, (_, index) => {
      const account = HOSTILE[index % HOSTILE.length]!;
      return [account, signed(account, result(account))] as const;
    });
    let sent = 0;
    for (; !isOver() && sent < results.length; sent += 1) {
      const [account, delivery] = results[sent]!;
      await post(account, 'callbacks/incoming-payments/x', delivery);
      await sleep(180);
    }
    return `${sent} results`;
  },
  async hang(post, isOver) {
    let sent = 0;
    while (!isOver()) {
      for (const [index, account] of HOSTILE.entries()) {
        if (sent < 400) await post(account, 'webhooks', webhookOf(account, index));
        sent += 1;
      }
      await sleep(10);
    }
    return `${Math.min(sent, 400)} calls that hang`;
  },
};

const p99 = (values: readonly number[]): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length * 0.99)] ?? NaN;

class Target {
  readonly lates: number[] = [];
  private constructor(
    readonly url: string,
    private readonly child: ChildProcess,
  ) {}

  static start(): Promise<Target> {
    const child = fork(TARGET, [], {
      execArgv: ['--conditions=@tillkit/source', '--max-old-space-size=400', '--import', REGISTER],
      env: { ...process.env, NODE_OPTIONS: '' },
    });
    return new Promise((resolve, reject) => {
      let target: Target | undefined;
      child.on('message', (message: MerchantsMessage) => {
        if (message.kind === 'ready') resolve((target = new Target(message.url, child)));
        if (message.kind === 'repeated') target?.lates.push(message.lateMs);
        if (message.kind === 'memory') say(`memory ${message.rssMb.toFixed(0)} MB`);
      });
      child.once('exit', (code, signal) => {
        say(`the process ended: ${code ?? signal}`);
        reject(new Error('it ended'));
      });
    });
  }

  async stop(): Promise<void> {
    this.child.send('memory');
    await sleep(500);
    this.child.disconnect();
  }
}

/** Posts a delivery of the other merchant every 20 ms, and returns how long each answer took. */
async function measure(target: Target, poster: Poster, ms: number): Promise<number[]> {
  const took: number[] = [];
  const until = performance.now() + ms;
  const posted: Promise<void>[] = [];
  while (performance.now() < until) {
    const { body, headers } = webhookOf(OTHER, HOSTILE.length);
    const began = performance.now();
    posted.push(
      poster.post(`/${OTHER}/webhooks`, body, headers).then((status) => {
        took.push(status === 200 ? performance.now() - began : Infinity);
      }),
    );
    await sleep(EVERY_MS);
  }
  await Promise.all(posted);
  await sleep(2_000);
  return took;
}

async function run(name: string, attack: Attack): Promise<void> {
  const target = await Target.start();
  const [poster, hostile] = [new Poster(target.url, 8), new Poster(target.url, 4)];
  await measure(target, poster, PHASE_MS / 2);
  target.lates.length = 0;
  const calm = await measure(target, poster, PHASE_MS);
  const calmLates = target.lates.splice(0);
  let isOver = false;
  const attacked = attack(
    (account, path, { body, headers }) => hostile.post(`/${account}/${path}`, body, headers),
    () => isOver,
  );
  const under = await measure(target, poster, PHASE_MS);
  isOver = true;
  const sent = await attacked;
  const lines: [string, number[], number[]][] = [
    ['answers', calm, under],
    ['repeats are late by', calmLates, target.lates],
  ];
  for (const [what, before, during] of lines)
    say(
      `${name} (${sent}): ${what}: p99 ${p99(before).toFixed(1)} ms calm, ${p99(during).toFixed(1)} ms under attack, ratio ` +
        `${(p99(during) / p99(before)).toFixed(2)} (${before.length} and ${during.length})`,
    );
  await target.stop();
  poster.close();
  hostile.close();
}

for (const [name, attack] of Object.entries(ATTACKS))
  if ([undefined, name].includes(process.argv[2])) await run(name, attack);
process.exit(0);
