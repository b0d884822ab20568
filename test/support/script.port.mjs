import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * Finds a free port for a script; tests have `free.port.ts`. It is below the ports that the kernel gives to the connections of other processes at any
 * moment, and above 10,080, the highest port that `fetch` refuses.
 * @returns {Promise<number>}
 */
export function freePort() {
  const port = randomInt(10_081, 30_000);
  return new Promise((resolve) => {
    const server = createServer()
      .once('error', () => resolve(freePort()))
      .listen(port, '127.0.0.1', () => server.close(() => resolve(port)));
  });
}
