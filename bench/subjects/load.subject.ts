/** Sends deliveries to a server with autocannon. */
import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import autocannon from 'autocannon';
import { makeDelivery, type SignedDelivery } from '../delivery.fixture.js';
import { quantile } from '../statistics.js';
import { host } from './subject.host.js';

export interface Batch {
  url: string;
  connections: number;
  /** Number of deliveries to prepare. */
  count: number;
  /** Prefix of the references, unique to this batch. */
  prefix: string;
}

export interface BatchResult {
  rate: number;
  p50: number;
  p99: number;
}

let prepared: SignedDelivery[] = [];

/** Creates and signs deliveries before the measurement, because signing takes longer than sending. */
function prepare({ count, prefix }: { count: number; prefix: string }): void {
  prepared = Array.from({ length: count }, (_, n) => makeDelivery(`${prefix}${n}`));
}

/** Sends each delivery once; each connection sends an equal share. */
async function send({ url, connections }: Batch): Promise<BatchResult> {
  const share = Math.floor(prepared.length / connections);
  if (share * connections !== prepared.length)
    throw new Error(`${prepared.length} is not a multiple of ${connections}`);
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
          client.setRequests(prepared.slice(place, place + share).map(toRequest));
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
      `${answered} of ${latencies.length} deliveries were answered; ${failed} of them not with 2xx`,
    );
  }
  latencies.sort();
  return {
    rate: answered / ((lastAt - startedAt) / 1000),
    p50: quantile(latencies, 0.5),
    p99: quantile(latencies, 0.99),
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
  /** True when each delivery waits for the answer to the previous one. */
  waits: boolean;
}

/** The time at which each reference was sent, in nanoseconds of the machine's clock. */
export type SentAt = Map<string, bigint>;

/** Sends deliveries at constant intervals. */
async function sendPaced({ url, prefix, count, everyMs, waits }: Pacing): Promise<SentAt> {
  prepare({ count, prefix });
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  const sentAt: SentAt = new Map();
  const answers: Promise<void>[] = [];
  const startedAt = performance.now();
  for (const [n, delivery] of prepared.entries()) {
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

host({ prepare, send, sendPaced });
