import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * Ports that no system gives to a connection or to `listen(0)`, so that nothing takes one before the application listens.
 * They begin after 10,080, the highest port that `fetch` refuses (https://fetch.spec.whatwg.org/#port-blocking).
 */
const PORTS = { from: 10_081, to: 30_000 } as const;

/** Each worker of Jest has its own part of them: two that look at the same moment would find the same port free. */
const WORKERS = 16;
const SIZE = Math.floor((PORTS.to - PORTS.from) / WORKERS);
const worker = Number(process.env['JEST_WORKER_ID'] ?? randomInt(WORKERS)) % WORKERS;

/** A port comes again only after all others of the part. */
let given = randomInt(SIZE);

/** Returns a port that is free: an application must know its public URL before it listens. */
export async function freePort(): Promise<number> {
  for (;;) {
    given = (given + 1) % SIZE;
    const port = PORTS.from + worker * SIZE + given;
    if (await isFree(port)) return port;
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  const isListening = new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true));
  });
  if (!(await isListening)) return false;
  await new Promise((resolve) => server.close(resolve));
  return true;
}
