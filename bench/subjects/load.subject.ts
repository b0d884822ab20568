/** Puts a server under load with autocannon, in a process of its own. */
import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import autocannon from 'autocannon';
import { makeDelivery, type SignedDelivery } from '../delivery.making.js';
import { quantile } from '../statistics.js';
import { host } from './subject.host.js';

export interface Volley {
  url: string;
  connections: number;
  /** Deliveries to send: as many as were made. */
  count: number;
  /** What makes the references of this volley differ from those of any other. */
  prefix: string;
}

export interface VolleyResult {
  rate: number;
  p50: number;
  p99: number;
  slowest: number;
  refused: number;
}

let made: SignedDelivery[] = [];

/** Signing takes longer than sending: it is done before. */
function make({ count, prefix }: { count: number; prefix: string }): void {
  made = Array.from({ length: count }, (_, n) => makeDelivery(`${prefix}${n}`));
}

/** Every delivery once, each connection with its own share of them. */
async function fire({ url, connections }: Volley): Promise<VolleyResult> {
  const share = Math.floor(made.length / connections);
  if (share * connections !== made.length)
    throw new Error(`${made.length} is no multiple of ${connections}`);
  const latencies = new Float64Array(share * connections);
  let answered = 0;
  let refused = 0;
  let place = 0;
  let lastAt = 0;
  let startedAt = 0;
  const result = await new Promise<autocannon.Result>((resolve, reject) => {
    const run = autocannon(
      {
        url: `${url}/payments/webhooks`,
        connections,
        amount: share * connections,
        sampleInt: 100,
        setupClient: (client) => {
          client.setRequests(made.slice(place, place + share).map(toRequest));
          place += share;
          startedAt = performance.now();
        },
      },
      (error: unknown, outcome) => (error ? reject(error as Error) : resolve(outcome)),
    );
    run.on('response', (_client, status, _bytes, latency) => {
      latencies[answered] = latency;
      answered += 1;
      if (status < 200 || status > 299) refused += 1;
      lastAt = performance.now();
    });
  });
  const failed = refused + result.errors;
  if (failed > 0 || answered !== latencies.length) {
    throw new Error(
      `of ${latencies.length} deliveries ${answered} were answered, ${failed} not by 2xx`,
    );
  }
  latencies.sort();
  return {
    rate: answered / ((lastAt - startedAt) / 1000),
    p50: quantile(latencies, 0.5),
    p99: quantile(latencies, 0.99),
    slowest: latencies.at(-1) ?? 0,
    refused,
  };
}

function toRequest({ body, signature }: SignedDelivery): autocannon.Request {
  const headers = { 'content-type': 'application/json', 'x-kopokopo-signature': signature };
  return { method: 'POST', headers, body };
}

export interface Pacing {
  url: string;
  prefix: string;
  count: number;
  everyMs: number;
  /** Whether each waits for the answer to the one before. */
  waits: boolean;
}

/** When each reference was sent, in nanoseconds of the machine's clock. */
export type SentAt = Map<string, bigint>;

/** Deliveries at even times. */
async function pace({ url, prefix, count, everyMs, waits }: Pacing): Promise<SentAt> {
  make({ count, prefix });
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  const sentAt: SentAt = new Map();
  const answers: Promise<void>[] = [];
  const startedAt = performance.now();
  for (const [n, delivery] of made.entries()) {
    const earlyMs = startedAt + n * everyMs - performance.now();
    if (waits || earlyMs > 1) await sleep(waits ? everyMs : earlyMs);
    sentAt.set(delivery.reference, process.hrtime.bigint());
    const answer = post(`${url}/payments/webhooks`, delivery, agent);
    if (waits) await answer;
    else answers.push(answer);
  }
  await Promise.all(answers);
  agent.destroy();
  return sentAt;
}

function post(url: string, { body, signature }: SignedDelivery, agent: Agent): Promise<void> {
  const headers = { 'content-type': 'application/json', 'x-kopokopo-signature': signature };
  return new Promise((resolve, reject) => {
    request(url, { method: 'POST', agent, headers }, (response) => {
      response.resume().once('end', () => {
        if (response.statusCode === 200) resolve();
        else reject(new Error(`a delivery was answered ${response.statusCode}`));
      });
    })
      .once('error', reject)
      .end(body);
  });
}

host({ make, fire, pace });
