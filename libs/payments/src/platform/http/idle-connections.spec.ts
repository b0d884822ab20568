import { createServer, get, type Agent, type RequestListener, type Server } from 'node:http';
import { createServer as createSecureServer, get as getSecurely } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { CERTIFICATE } from '../../../../simulator/src/testing/certificate.fixture.js';
import { freshAgent } from './idle-connections.js';

describe.each(['http', 'https'])('A connection by %s that is idle', (protocol) => {
  const isSecure = protocol === 'https';
  let server: Server;
  let agent: Agent;
  let now: number;
  let connections: number;
  let keepAlive: string;

  beforeEach(async () => {
    now = 0;
    connections = 0;
    keepAlive = '';
    const options = { keepAliveTimeout: 600_000 };
    const answer: RequestListener = (_, response) => {
      if (keepAlive) response.setHeader('Keep-Alive', keepAlive);
      response.end('{}');
    };
    server = isSecure
      ? createSecureServer({ ...options, ...CERTIFICATE }, answer)
      : createServer(options, answer);
    server.on('connection', () => (connections += 1));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const pool = { keepAlive: true, maxSockets: 4 };
    agent = freshAgent(`${protocol}:`, { ...pool, ca: CERTIFICATE.cert }, () => now);
  });

  afterEach(async () => {
    agent.destroy();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  /** Resolves when the connection of the request is free again. */
  const ask = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const { port } = server.address() as AddressInfo;
      const request = (isSecure ? getSecurely : get)(
        { port, host: '127.0.0.1', agent },
        (response) => {
          response.resume();
          response.once('end', () => setImmediate(resolve));
        },
      );
      request.once('error', reject);
    });

  it.each([
    ['4 seconds when the server gives no hint', '', 4_000],
    ['a second less than the server says', 'timeout=3, max=100', 2_000],
    ['4 seconds when the server says more', 'max=9, timeout=60', 4_000],
  ])('is used again before %s are over, and not after', async (_, hint, limitMs) => {
    keepAlive = hint;
    await ask();
    now += limitMs - 1;
    await ask();
    expect(connections).toBe(1);
    now += limitMs;
    await ask();
    expect(connections).toBe(2);
  });

  it('is not used again when the server closes it within a second', async () => {
    keepAlive = 'timeout=1';
    await ask();
    await ask();
    expect(connections).toBe(2);
  });

  it('is closed with all others that were idle for too long', async () => {
    await Promise.all([ask(), ask(), ask()]);
    expect(connections).toBe(3);
    now += 4_000;
    await ask();
    expect(connections).toBe(4);
    expect(Object.values(agent.freeSockets).flat()).toHaveLength(1);
  });
});
