import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * Ports that no system gives to a connection or to `listen(0)`, so that nothing takes one before the application listens.
 * They begin after 10,080, the highest port that `fetch` refuses (https://fetch.spec.whatwg.org/#port-blocking).
 */
const PORTS = { from: 10_081, to: 30_000 } as const;

/** A port that is free: an application must know its public URL before it listens. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(PORTS.from, PORTS.to);
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
