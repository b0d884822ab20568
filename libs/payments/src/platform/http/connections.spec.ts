import { createServer, get, type RequestListener, type Server } from 'node:http';
import { createServer as createSecureServer, get as getSecurely } from 'node:https';
import { createServer as createTcpServer, type AddressInfo, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { CERTIFICATE } from '../../../../simulator/src/testing/certificate.fixture.js';
import { Runtime } from '../../runtime/clock.js';
import { Connections } from './connections.js';

/** A runtime whose clock stands still. */
class RuntimeAt extends Runtime {
  constructor(private readonly at: () => number) {
    super();
  }

  override elapsed(): number {
    return this.at();
  }
}

describe.each(['http', 'https'])('A connection by %s that is idle', (protocol) => {
  const isSecure = protocol === 'https';
  let server: Server;
  let client: Connections;
  let latest: Socket;
  let now: number;
  let connections: number;
  let keepAlive: string;

  beforeEach(async () => {
    now = 0;
    connections = 0;
    keepAlive = '';
    const kept = { keepAliveTimeout: 600_000 };
    const answer: RequestListener = (request, response) => {
      latest = request.socket;
      if (keepAlive) response.setHeader('Keep-Alive', keepAlive);
      response.end('{}');
    };
    server = isSecure
      ? createSecureServer({ ...kept, ...CERTIFICATE }, answer)
      : createServer(kept, answer);
    server.on('connection', () => (connections += 1));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const options = { maxSockets: 4, tls: { ca: CERTIFICATE.cert }, proxy: undefined };
    client = new Connections(`${protocol}://127.0.0.1:${port}`, options, new RuntimeAt(() => now));
  });

  afterEach(async () => {
    client.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  /** Resolves when the connection of the request is free again. */
  const ask = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const request = (isSecure ? getSecurely : get)(client.to, (response) => {
        response.resume();
        response.once('end', () => setImmediate(resolve));
      });
      request.once('error', reject);
    });

  it.each([
    ['4 seconds, when the server gives no hint', '', 4_000],
    ['a second less than the server says', 'timeout=3, max=100', 2_000],
    ['4 seconds, when the server says more', 'max=9, timeout=60', 4_000],
  ])('is used again for %s, and not after', async (_, hint, limitMs) => {
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
    expect(Object.values(client.to.agent.freeSockets).flat()).toHaveLength(1);
  });

  it('is not used again a minute after it was opened', async () => {
    for (; now < 60_000; now += 3_000) await ask();
    expect(connections).toBe(1);
    await ask();
    expect(connections).toBe(2);
  });

  it('is not used again after an answer that nobody could use, nor are the others that were open then', async () => {
    await Promise.all([ask(), ask()]);
    client.retire();
    now += 1;
    await ask();
    await ask();
    expect(connections).toBe(3);
  });

  it('is not used again when the server sends something that nobody has asked for', async () => {
    await ask();
    latest.write('HTTP/1.1 201 Created\r\nLocation: /another\r\nContent-Length: 0\r\n\r\n');
    const [kept] = Object.values(client.to.agent.freeSockets).flat() as Socket[];
    const before = kept?.bytesRead;
    while (kept?.bytesRead === before) await new Promise(setImmediate);
    await ask();
    expect(connections).toBe(2);
  });
});

/** The limit of 5 seconds never ends anything. */
class TimelessRuntime extends Runtime {
  override timer(): () => void {
    return () => undefined;
  }
}

describe('A connection that a proxy is asked for', () => {
  it('ends with the others, when the application closes', async () => {
    const sockets = new Set<Socket>();
    const proxy = createTcpServer((socket) => {
      sockets.add(socket);
      socket.resume().on('close', () => sockets.delete(socket));
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    const { port } = proxy.address() as AddressInfo;
    const options = { maxSockets: 4, tls: {}, proxy: `http://127.0.0.1:${port}` };
    const client = new Connections('https://platform.example', options, new TimelessRuntime());
    const failed = new Promise<Error>((resolve) => {
      getSecurely(client.to).once('error', resolve);
    });
    while (sockets.size === 0) await new Promise(setImmediate);
    client.close();
    expect(await failed).toMatchObject({ phase: 'proxy' });
    while (sockets.size > 0) await new Promise(setImmediate);
    await new Promise((resolve) => proxy.close(resolve));
  });
});
